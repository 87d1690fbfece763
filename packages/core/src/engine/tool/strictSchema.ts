import type { JsonSchema } from "effect"

const isSchema = (u: unknown): u is JsonSchema.JsonSchema => typeof u === "object" && u !== null && !Array.isArray(u)

/** The JSON Schema keywords whose values map names to schemas. */
const schemaMaps = new Set(["properties", "patternProperties", "$defs"])

const dataKeywords = new Set(["const", "default", "enum", "example", "examples"])

/** Returns whether `toStrictSchema` omits a keyword. */
const isRedundant = (keyword: string, value: unknown): boolean =>
  keyword === "propertyNames" || (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)

const plainValue = (keyword: string, value: unknown): unknown => {
  if (dataKeywords.has(keyword)) return value
  if (Array.isArray(value)) return value.map((item: unknown) => isSchema(item) ? toStrictSchema(item) : item)
  if (!isSchema(value)) return value
  if (!schemaMaps.has(keyword)) return toStrictSchema(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSchema(item) ? toStrictSchema(item) : item])
  )
}

/**
 * The JSON Schema keywords that may be used in a schema that allows null. A schema with any of these keywords can still
 * accept null.
 */
const nullCompatibleKeywords = new Set([
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

/** Replaces `anyOf` by a list of types, if the schemas of `anyOf` contain only types. */
const mergeBareTypes = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length === 0 || "type" in rest) return schema
  const types = anyOf.flatMap((member: unknown) =>
    isSchema(member) && typeof member["type"] === "string" && Object.keys(member).length === 1 ? [member["type"]] : []
  )
  return types.length === anyOf.length ? { type: types, ...rest } : schema
}

/** Merges `anyOf` of a schema and null into one schema, with the description at the top level. */
const mergeNull = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [member, other]: ReadonlyArray<unknown> = anyOf
  if (!isSchema(member) || !isSchema(other) || other["type"] !== "null" || typeof member["type"] !== "string") {
    return schema
  }
  const { enum: values, ...memberKeywords } = member
  const fits = (keyword: string) =>
    nullCompatibleKeywords.has(keyword) && (keyword === "description" || !(keyword in rest))
  if (!Object.keys(memberKeywords).every(fits)) return schema
  return {
    ...memberKeywords,
    type: [member["type"], "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest
  }
}

/**
 * Converts a JSON Schema to the form that the strict modes of language models accept. The converted schema does not
 * constrain property names, and omits the bounds of JavaScript's safe integers. In the converted schema, every object
 * lists its properties. Apart from names, the converted schema accepts the same values.
 */
export const toStrictSchema = (schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const plain = Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) =>
      isRedundant(keyword, value) ? [] : [[keyword, plainValue(keyword, value)]]
    )
  )
  if (plain["type"] === "object" && plain["properties"] === undefined) plain["properties"] = {}
  return mergeBareTypes(mergeNull(plain))
}
