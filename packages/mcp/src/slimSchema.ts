import type { JsonSchema } from "./service.ts"

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Keywords whose values are schemas by a name. */
const named = new Set(["properties", "patternProperties", "$defs"])

/** Keywords whose values are data. */
const data = new Set(["const", "default", "enum", "examples"])

/**
 * What tells a model nothing that it could act on. The service refuses names that it does not know, and texts that are
 * not of the form that their description names, and says which.
 */
const saysLittle = (keyword: string, value: unknown): boolean =>
  keyword === "$schema" || keyword === "title" || keyword === "pattern" ||
  (keyword === "additionalProperties" && value === false)

/**
 * An optional argument may also be null, for models that must name every argument; others just leave it out. Types that
 * are left are told one by one: some hosts know no list of them.
 */
const withoutNull = (schema: JsonSchema): JsonSchema => {
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

const slimValue = (keyword: string, value: unknown): unknown => {
  if (data.has(keyword)) return value
  if (Array.isArray(value)) return value.map((one: unknown) => isSchema(one) ? slimSchema(one) : one)
  if (!isSchema(value)) return value
  if (!named.has(keyword)) return slimSchema(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isSchema(one) ? slimSchema(one) : one]))
}

/** The schema of arguments in fewer words. What fits it fits the whole one. */
export const slimSchema = (schema: JsonSchema): JsonSchema =>
  withoutNull(
    Object.fromEntries(
      Object.entries(schema).flatMap(([keyword, value]) =>
        saysLittle(keyword, value) ? [] : [[keyword, slimValue(keyword, value)]]
      )
    )
  )
