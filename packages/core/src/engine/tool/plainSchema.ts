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

/** Keywords that say nothing of null, so that they may stand beside a type that allows it. */
const ofOneType = new Set([
  "type",
  "description",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "items",
  "minItems",
  "maxItems",
  "properties",
  "required",
  "additionalProperties"
])

/** "This type or that" in one, where the forms say no more than their types. */
const ofBareTypes = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length === 0 || "type" in rest) return schema
  const types = anyOf.flatMap((form: unknown) =>
    isSchema(form) && typeof form["type"] === "string" && Object.keys(form).length === 1 ? [form["type"]] : []
  )
  return types.length === anyOf.length ? { type: types, ...rest } : schema
}

/**
 * "This or null" in one: shorter, and described as a whole, since readers look at the argument and not at its forms.
 */
const withNull = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [form, other]: ReadonlyArray<unknown> = anyOf
  if (!isSchema(form) || !isSchema(other) || other["type"] !== "null" || typeof form["type"] !== "string") return schema
  const { enum: values, ...plain } = form
  const fits = (keyword: string) => ofOneType.has(keyword) && (keyword === "description" || !(keyword in rest))
  if (!Object.keys(plain).every(fits)) return schema
  return {
    ...plain,
    type: [form["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest
  }
}

/**
 * A JSON Schema as the strict modes of language models take it: every object names its properties, nothing constrains
 * names, an integer has no bound that only says how far JavaScript counts, and what may be null is told by its type. It
 * holds the same values, but for names that can be no names.
 */
export const plainSchema = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const plain = Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) =>
      saysNothing(keyword, value) ? [] : [[keyword, plainValue(keyword, value)]]
    )
  )
  if (plain["type"] === "object" && plain["properties"] === undefined) plain["properties"] = {}
  return ofBareTypes(withNull(plain))
}
