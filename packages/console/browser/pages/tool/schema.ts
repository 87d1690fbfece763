/** A tool's arguments as fields of a form, and back: what is typed as arguments, or what is wrong with it. */

type Schema = Readonly<Record<string, unknown>>

/** What a field takes. */
export type Kind =
  | { readonly is: "text" }
  | { readonly is: "long text" }
  | { readonly is: "number"; readonly isWhole: boolean }
  | { readonly is: "choice"; readonly options: ReadonlyArray<string | number> }
  | { readonly is: "flag" }
  /** Some of a list, or as many of anything, with commas between. */
  | { readonly is: "list"; readonly of: "text" | "number"; readonly options: ReadonlyArray<string> | undefined }
  /** What is made of parts: written as JSON. */
  | { readonly is: "json"; readonly sample: string }

export interface Field {
  readonly name: string
  readonly kind: Kind
  readonly isRequired: boolean
  readonly description: string | undefined
  /** What holds where it is left out. */
  readonly standard: unknown
  /** Bounds as a reader writes them: `1 … 1000`. */
  readonly bounds: string | undefined
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemaIn = (schema: Schema, name: string): Schema => {
  const value = schema[name]
  return isSchema(value) ? value : {}
}

/** A schema with what its `$ref` points to. */
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

/** What a value of a schema looks like, to begin with. */
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

/** The fields of a form for the arguments of a JSON Schema. */
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

/** What stands in the fields, by their names, as it was typed: nothing is left out. */
export type Typed = Readonly<Record<string, string>>

/** What to begin with: nothing, but of what has to be there what there is for certain. */
export const begin = (fields: ReadonlyArray<Field>): Typed =>
  Object.fromEntries(fields.map(({ isRequired, kind, name }) => {
    if (!isRequired) return [name, ""]
    if (kind.is === "choice") return [name, String(kind.options[0] ?? "")]
    if (kind.is === "json") return [name, kind.sample]
    return [name, name === "coin" ? "BTC" : ""]
  }))

/** What is wrong with what was typed: the field says it in the reader's language. */
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

/** The arguments that were typed, and what is wrong, by field: with a fault nothing is to be sent. */
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
