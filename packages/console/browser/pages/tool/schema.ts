/** Converts a tool's JSON Schema to the fields of a form, and the text in the fields to arguments. */

type Schema = Readonly<Record<string, unknown>>

/** The kind of a field. */
export type Kind =
  | { readonly is: "text" }
  | { readonly is: "long text" }
  | { readonly is: "number"; readonly isWhole: boolean }
  | { readonly is: "choice"; readonly options: ReadonlyArray<string | number> }
  | { readonly is: "flag" }
  /** A selection of options, or any values separated by commas. */
  | { readonly is: "list"; readonly of: "text" | "number"; readonly options: ReadonlyArray<string> | undefined }
  /** A nested value, written as JSON. */
  | { readonly is: "json"; readonly sample: string }

export interface Field {
  readonly name: string
  readonly kind: Kind
  readonly isRequired: boolean
  readonly description: string | undefined
  /** The value that applies if the field is empty. */
  readonly standard: unknown
  /** The bounds in readable form: `1 … 1000`. */
  readonly bounds: string | undefined
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemaIn = (schema: Schema, name: string): Schema => {
  const value = schema[name]
  return isSchema(value) ? value : {}
}

/** Replaces a schema's `$ref` by its definition. */
const resolved = (schema: Schema, definitions: Schema): Schema => {
  const ref = schema["$ref"]
  if (typeof ref !== "string") return schema
  const { $ref: _, ...rest } = schema
  return { ...resolved(schemaIn(definitions, ref.replace("#/$defs/", "")), definitions), ...rest }
}

const typesOf = ({ type }: Schema): ReadonlyArray<string> =>
  (Array.isArray(type) ? type : [type]).filter((one): one is string => typeof one === "string" && one !== "null")

const optionsOf = (schema: Schema): ReadonlyArray<string | number> | undefined => {
  const { enum: values } = schema
  if (!Array.isArray(values)) return undefined
  return values.filter((one): one is string | number => typeof one === "string" || typeof one === "number")
}

/** An example value of a schema, as the initial text of a field. */
const sampleOf = (schema: Schema, definitions: Schema, depth = 0): unknown => {
  const whole = resolved(schema, definitions)
  const form = Array.isArray(whole["anyOf"]) && isSchema(whole["anyOf"][0]) ? whole["anyOf"][0] : undefined
  if (form !== undefined) return sampleOf(form, definitions, depth)
  if ("default" in whole && whole["default"] !== null) return whole["default"]
  const [option] = optionsOf(whole) ?? []
  if (option !== undefined) return option
  const [type] = typesOf(whole)
  if (type === "number" || type === "integer") return typeof whole["minimum"] === "number" ? whole["minimum"] : 1
  if (type === "boolean") return false
  if (type === "array") return depth > 4 ? [] : [sampleOf(schemaIn(whole, "items"), definitions, depth + 1)]
  if (type !== "object") return ""
  const wanted = Array.isArray(whole["required"]) ? whole["required"] : []
  const properties = Object.entries(schemaIn(whole, "properties")).filter(([name]) => wanted.includes(name))
  return Object.fromEntries(
    properties.map(([name, one]) => [name, isSchema(one) ? sampleOf(one, definitions, depth + 1) : null])
  )
}

const kindOf = (schema: Schema, definitions: Schema): Kind => {
  const options = optionsOf(schema)
  if (options !== undefined) return { is: "choice", options }
  const [type, ...others] = typesOf(schema)
  if (others.length === 0) {
    if (type === "boolean") return { is: "flag" }
    if (type === "number" || type === "integer") return { is: "number", isWhole: type === "integer" }
    if (type === "string") return { is: Number(schema["maxLength"] ?? 0) > 500 ? "long text" : "text" }
    const item = resolved(schemaIn(schema, "items"), definitions)
    const [itemType, ...more] = typesOf(item)
    if (type === "array" && more.length === 0) {
      if (itemType === "string") return { is: "list", of: "text", options: optionsOf(item)?.map(String) }
      if (itemType === "number" || itemType === "integer") return { is: "list", of: "number", options: undefined }
    }
  }
  return { is: "json", sample: JSON.stringify(sampleOf(schema, definitions), null, 2) }
}

const boundsOf = (schema: Schema): string | undefined => {
  const bound = (name: string) => typeof schema[name] === "number" ? String(schema[name]) : undefined
  const least = bound("minimum") ?? bound("exclusiveMinimum")
  const most = bound("maximum") ?? bound("exclusiveMaximum")
  if (least === undefined && most === undefined) return undefined
  return most === undefined ? `≥ ${least}` : least === undefined ? `≤ ${most}` : `${least} … ${most}`
}

/** The form fields for a JSON Schema of arguments. */
export const fieldsOf = (parameters: Schema): ReadonlyArray<Field> => {
  const required = Array.isArray(parameters["required"]) ? parameters["required"] : []
  const definitions = schemaIn(parameters, "$defs")
  return Object.entries(schemaIn(parameters, "properties")).map(([name, given]) => {
    const schema = resolved(isSchema(given) ? given : {}, definitions)
    const { description } = schema
    return {
      name,
      kind: kindOf(schema, definitions),
      isRequired: required.includes(name),
      description: typeof description === "string" ? description : undefined,
      standard: schema["default"] ?? undefined,
      bounds: boundsOf(schema)
    }
  })
}

/** The text in all fields, by field name. */
export type Typed = Readonly<Record<string, string>>

/** The initial texts: empty, except for required fields with an obvious value. */
export const begin = (fields: ReadonlyArray<Field>): Typed =>
  Object.fromEntries(fields.map(({ isRequired, kind, name }) => {
    if (!isRequired) return [name, ""]
    if (kind.is === "choice") return [name, String(kind.options[0] ?? "")]
    if (kind.is === "json") return [name, kind.sample]
    return [name, name === "coin" ? "BTC" : ""]
  }))

/** A fault of a typed value. The field shows a message in the reader's language. */
export type Fault = "missing" | "no number" | "no whole number" | "no json"

const listed = (text: string): ReadonlyArray<string> => text.split(/[,\n]/).map((one) => one.trim()).filter(Boolean)

const valueOf = (kind: Kind, text: string): { readonly value: unknown } | { readonly fault: Fault } => {
  const number = (written: string) => written.trim() === "" ? NaN : Number(written.trim())
  switch (kind.is) {
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
      const values = kind.of === "number" ? listed(text).map(number) : listed(text)
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

/** The typed arguments, and the faults by field. With a fault, nothing must be sent. */
export const argumentsOf = (fields: ReadonlyArray<Field>, typed: Typed) => {
  const args: Record<string, unknown> = {}
  const faults: Record<string, Fault> = {}
  for (const { isRequired, kind, name } of fields) {
    const text = typed[name] ?? ""
    if (text.trim() === "") {
      if (isRequired) faults[name] = "missing"
      continue
    }
    const read = valueOf(kind, text)
    if ("fault" in read) faults[name] = read.fault
    else args[name] = read.value
  }
  return { args, faults, isSound: Object.keys(faults).length === 0 }
}
