import type { JsonSchema } from "./service.ts"

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The JSON Schema keywords whose values map names to schemas. */
const schemaMapKeywords = new Set(["properties", "patternProperties", "$defs"])

/** The JSON Schema keywords whose values are data, not schemas. */
const dataKeywords = new Set(["const", "default", "enum", "examples"])

/**
 * Returns whether the JSON Schema of a tool can omit a keyword. If a model violates an omitted keyword, the service's
 * error names the invalid field.
 */
const isOmittable = (keyword: string, value: unknown): boolean =>
  keyword === "$schema" || keyword === "title" || keyword === "pattern" ||
  (keyword === "additionalProperties" && value === false)

/**
 * Removes null from the type of an optional argument, because a model can omit the argument. Converts several remaining
 * types to an `anyOf`, because some MCP hosts do not support lists of types.
 */
const removeNull = (schema: JsonSchema): JsonSchema => {
  const { enum: values, type, ...rest } = schema
  if (!Array.isArray(type) || "anyOf" in schema) return schema
  const types: ReadonlyArray<unknown> = type.filter((one) => one !== "null")
  if (types.length === 0) return schema
  return {
    ...(types.length === 1 ? { type: types[0] } : { anyOf: types.map((one) => ({ type: one })) }),
    ...rest,
    ...(Array.isArray(values) ? { enum: values.filter((one: unknown) => one !== null) } : {})
  }
}

const shortenValue = (keyword: string, value: unknown): unknown => {
  if (dataKeywords.has(keyword)) return value
  if (Array.isArray(value)) return value.map((one: unknown) => isSchema(one) ? shortenSchema(one) : one)
  if (!isSchema(value)) return value
  if (!schemaMapKeywords.has(keyword)) return shortenSchema(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isSchema(one) ? shortenSchema(one) : one])
  )
}

/** Shortens the JSON Schema of a tool's arguments. */
export const shortenSchema = (schema: JsonSchema): JsonSchema =>
  removeNull(
    Object.fromEntries(
      Object.entries(schema).flatMap(([keyword, value]) =>
        isOmittable(keyword, value) ? [] : [[keyword, shortenValue(keyword, value)]]
      )
    )
  )
