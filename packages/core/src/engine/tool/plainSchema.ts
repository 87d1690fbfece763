import type { JsonSchema } from "effect"

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** Keywords whose values are schemas by name, and whose names are not keywords. */
const named = new Set(["properties", "patternProperties", "$defs"])

/** Keywords whose values are data. */
const data = new Set(["const", "default", "enum", "example", "examples"])

/** True for constraints on names, and for bounds that only state the range of JavaScript's integers. */
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

/** Keywords that do not constrain null, so that they may occur next to a type that allows null. */
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

/** Merges `anyOf` to a list of types, if its schemas contain only types. */
const ofBareTypes = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length === 0 || "type" in rest) return schema
  const types = anyOf.flatMap((form: unknown) =>
    isSchema(form) && typeof form["type"] === "string" && Object.keys(form).length === 1 ? [form["type"]] : []
  )
  return types.length === anyOf.length ? { type: types, ...rest } : schema
}

/**
 * Merges `anyOf` of a schema and null to one schema. The merged form is shorter, and its description is at the top
 * level, where readers look.
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
 * Converts a JSON Schema to the form that the strict modes of language models accept. Every object lists its
 * properties, names have no constraints, integers have no bounds at JavaScript's limits, and a type can include null.
 * The schema accepts the same values, except for constraints on names.
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
