/** Converts a tool's JSON Schema to form fields, and the typed texts to arguments. */

type Schema = Readonly<Record<string, unknown>>

export type FieldKind =
  | { readonly type: "text" }
  | { readonly type: "long text" }
  | { readonly type: "number"; readonly isWhole: boolean }
  | { readonly type: "choice"; readonly options: ReadonlyArray<string | number> }
  | { readonly type: "flag" }
  /** A form field for a list of options, or for a list of any values separated by commas. */
  | { readonly type: "list"; readonly of: "text" | "number"; readonly options: ReadonlyArray<string> | undefined }
  | { readonly type: "json"; readonly sample: string }

export interface Field {
  readonly name: string
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly description: string | undefined
  readonly defaultValue: unknown
  /** The bounds of a number in readable form, such as `1 … 1000` or `> 0, < 1`. */
  readonly bounds: string | undefined
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const subschema = (schema: Schema, name: string): Schema => {
  const value = schema[name]
  return isSchema(value) ? value : {}
}

const resolveRef = (schema: Schema, definitions: Schema): Schema => {
  const ref = schema["$ref"]
  if (typeof ref !== "string") return schema
  const { $ref: _, ...rest } = schema
  return { ...resolveRef(subschema(definitions, ref.replace("#/$defs/", "")), definitions), ...rest }
}

const typesOf = ({ type }: Schema): ReadonlyArray<string> =>
  (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === "string" && one !== "null")

const optionsOf = (schema: Schema): ReadonlyArray<string | number> | undefined => {
  const { enum: values } = schema
  if (!Array.isArray(values)) return undefined
  return values.filter((one): one is string | number => typeof one === "string" || typeof one === "number")
}

/** Returns an example value of a JSON Schema, for the initial text of a form field. */
const sampleValue = (schema: Schema, definitions: Schema, depth = 0): unknown => {
  const resolvedSchema = resolveRef(schema, definitions)
  const firstAlternative = Array.isArray(resolvedSchema["anyOf"]) && isSchema(resolvedSchema["anyOf"][0])
    ? resolvedSchema["anyOf"][0]
    : undefined
  if (firstAlternative !== undefined) return sampleValue(firstAlternative, definitions, depth)
  if ("default" in resolvedSchema && resolvedSchema["default"] !== null) return resolvedSchema["default"]
  const [option] = optionsOf(resolvedSchema) ?? []
  if (option !== undefined) return option
  const [type] = typesOf(resolvedSchema)
  if (type === "number" || type === "integer") {
    return typeof resolvedSchema["minimum"] === "number"
      ? resolvedSchema["minimum"]
      : 1
  }
  if (type === "boolean") return false
  if (type === "array") {
    return depth > 4
      ? []
      : [sampleValue(subschema(resolvedSchema, "items"), definitions, depth + 1)]
  }
  if (type !== "object") return ""
  const requiredNames = Array.isArray(resolvedSchema["required"]) ? resolvedSchema["required"] : []
  const properties = Object.entries(subschema(resolvedSchema, "properties")).filter(([name]) =>
    requiredNames.includes(name)
  )
  return Object.fromEntries(
    properties.map(([name, one]) => [name, isSchema(one) ? sampleValue(one, definitions, depth + 1) : null])
  )
}

const fieldKind = (schema: Schema, definitions: Schema): FieldKind => {
  const options = optionsOf(schema)
  if (options !== undefined) return { type: "choice", options }
  const [type, ...others] = typesOf(schema)
  if (others.length === 0) {
    if (type === "boolean") return { type: "flag" }
    if (type === "number" || type === "integer") return { type: "number", isWhole: type === "integer" }
    if (type === "string") return { type: Number(schema["maxLength"] ?? 0) > 500 ? "long text" : "text" }
    const item = resolveRef(subschema(schema, "items"), definitions)
    const [itemType, ...more] = typesOf(item)
    if (type === "array" && more.length === 0) {
      if (itemType === "string") return { type: "list", of: "text", options: optionsOf(item)?.map(String) }
      if (itemType === "number" || itemType === "integer") return { type: "list", of: "number", options: undefined }
    }
  }
  return { type: "json", sample: JSON.stringify(sampleValue(schema, definitions), null, 2) }
}

const formatBounds = (schema: Schema): string | undefined => {
  const numberOf = (name: string) => typeof schema[name] === "number" ? schema[name] : undefined
  const minimum = numberOf("minimum")
  const maximum = numberOf("maximum")
  if (minimum !== undefined && maximum !== undefined) return `${minimum} … ${maximum}`
  const bounds = [
    ["≥", minimum],
    [">", numberOf("exclusiveMinimum")],
    ["≤", maximum],
    ["<", numberOf("exclusiveMaximum")]
  ] as const
  const texts = bounds.flatMap(([sign, bound]) => bound === undefined ? [] : [`${sign} ${bound}`])
  return texts.length === 0 ? undefined : texts.join(", ")
}

export const toFields = (parameters: Schema): ReadonlyArray<Field> => {
  const required = Array.isArray(parameters["required"]) ? parameters["required"] : []
  const definitions = subschema(parameters, "$defs")
  return Object.entries(subschema(parameters, "properties")).map(([name, property]) => {
    const schema = resolveRef(isSchema(property) ? property : {}, definitions)
    const { description } = schema
    return {
      name,
      kind: fieldKind(schema, definitions),
      isRequired: required.includes(name),
      description: typeof description === "string" ? description : undefined,
      defaultValue: schema["default"] ?? undefined,
      bounds: formatBounds(schema)
    }
  })
}

export type FieldInputs = Readonly<Record<string, string>>

/** Returns the initial texts of form fields: empty, except for required fields with an obvious value. */
export const initialInputs = (fields: ReadonlyArray<Field>): FieldInputs =>
  Object.fromEntries(fields.map(({ isRequired, kind, name }) => {
    if (!isRequired) return [name, ""]
    if (kind.type === "choice") return [name, String(kind.options[0] ?? "")]
    if (kind.type === "json") return [name, kind.sample]
    return [name, name === "coin" ? "BTC" : ""]
  }))

export type Fault = "missing" | "no number" | "no whole number" | "no json"

const splitList = (text: string): ReadonlyArray<string> => text.split(/[,\n]/).map((one) => one.trim()).filter(Boolean)

const parseValue = (kind: FieldKind, text: string): { readonly value: unknown } | { readonly fault: Fault } => {
  const number = (numberText: string) => numberText.trim() === "" ? NaN : Number(numberText.trim())
  switch (kind.type) {
    case "number": {
      const value = number(text)
      if (!Number.isFinite(value)) return { fault: "no number" }
      return kind.isWhole && !Number.isInteger(value) ? { fault: "no whole number" } : { value }
    }
    case "choice":
      return { value: kind.options.find((option) => String(option) === text) ?? text }
    case "flag":
      return { value: text === "true" }
    case "list": {
      const values = kind.of === "number" ? splitList(text).map(number) : splitList(text)
      return values.some((value) => Number.isNaN(value)) ? { fault: "no number" } : { value: values }
    }
    case "json":
      try {
        const value: unknown = JSON.parse(text)
        return { value }
      } catch {
        return { fault: "no json" }
      }
    default:
      return { value: text }
  }
}

/** Parses the texts of all form fields, and returns the arguments, and the errors by field name. */
export const parseArguments = (fields: ReadonlyArray<Field>, inputs: FieldInputs) => {
  const args: Record<string, unknown> = {}
  const faults: Record<string, Fault> = {}
  for (const { isRequired, kind, name } of fields) {
    const text = inputs[name] ?? ""
    if (text.trim() === "") {
      if (isRequired) faults[name] = "missing"
      continue
    }
    const parsed = parseValue(kind, text)
    if ("fault" in parsed) faults[name] = parsed.fault
    else args[name] = parsed.value
  }
  return { args, faults, isValid: Object.keys(faults).length === 0 }
}
