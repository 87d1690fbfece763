import type { JsonSchema } from "effect"

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** Keywords whose values are schemas by a name that is nobody's keyword. */
const named = new Set(["properties", "patternProperties", "$defs"])

/** Keywords whose values are data. */
const data = new Set(["const", "default", "enum", "example", "examples"])

/** Bounds that only say how far JavaScript counts. */
const saysNothing = (keyword: string, value: unknown): boolean =>
  keyword === "propertyNames" || (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)

const plainValue = (keyword: string, value: unknown): unknown => {
  if (data.has(keyword)) return value
  if (Array.isArray(value)) return value.map((one: unknown) => isSchema(one) ? plainSchema(one) : one)
  if (!isSchema(value)) return value
  if (!named.has(keyword)) return plainSchema(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isSchema(one) ? plainSchema(one) : one]))
}

/** Describes "this or null" rather than "this": readers look at the argument, not at one of its forms. */
const describeWhole = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const forms: unknown = schema["anyOf"]
  if (!Array.isArray(forms) || forms.length !== 2 || schema["description"] !== undefined) return schema
  const [form, other]: ReadonlyArray<unknown> = forms
  if (!isSchema(form) || !isSchema(other) || other["type"] !== "null") return schema
  const { description, ...rest } = form
  return description === undefined ? schema : { ...schema, anyOf: [rest, other], description }
}

/**
 * A JSON Schema as the strict modes of language models take it: every object names its properties, nothing constrains
 * names, and an integer has no bound that only says how far JavaScript counts. It holds the same values, but for names
 * that can be no names.
 */
export const plainSchema = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const plain = Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) =>
      saysNothing(keyword, value) ? [] : [[keyword, plainValue(keyword, value)]]
    )
  )
  if (plain["type"] === "object" && plain["properties"] === undefined) plain["properties"] = {}
  return describeWhole(plain)
}
