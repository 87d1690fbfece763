/** A JSON object of an OpenAPI document, with untyped fields. */
export type Json = Record<string, any>

export type JsonSchema = Readonly<Json>

/** Sample strings, of which the first string that matches a schema becomes the schema's example. */
const sampleTexts = [
  "2026-11-21T09:30:00.000Z",
  "2026-11-21",
  "2026-11",
  "BTC",
  "005930",
  "ab",
  "0"
]

const textsByField: Readonly<Record<string, string>> = {
  coin: "BTC",
  symbol: "AAPL",
  source: "simulated",
  plan: "pro",
  month: "2026-11",
  key: "tl_live_...",
  token: "tl_admin_...",
  secret: "whsec_...",
  url: "https://example.com/webhooks",
  prefix: "tl_live_7Hq2"
}

const timeFieldPattern = /(_at|^as_of|^time)$/

const exampleText = (schema: JsonSchema, name: string): string => {
  const fits = (text: string) =>
    (schema["pattern"] === undefined || new RegExp(schema["pattern"], "u").test(text)) &&
    text.length >= (schema["minLength"] ?? 0) && text.length <= (schema["maxLength"] ?? Number.POSITIVE_INFINITY)
  const usualText = textsByField[name] ?? (timeFieldPattern.test(name) ? sampleTexts[0]! : "text")
  const preferred = schema["format"] === "date-time" ? sampleTexts[0]! : usualText
  return [preferred, ...sampleTexts].find(fits) ?? "text"
}

const isWithinBounds = (schema: JsonSchema, value: number): boolean =>
  value >= (schema["minimum"] ?? Number.NEGATIVE_INFINITY) &&
  value <= (schema["maximum"] ?? Number.POSITIVE_INFINITY) &&
  value > (schema["exclusiveMinimum"] ?? Number.NEGATIVE_INFINITY) &&
  value < (schema["exclusiveMaximum"] ?? Number.POSITIVE_INFINITY)

/** Returns an example number within the bounds of a schema. */
const exampleNumber = (schema: JsonSchema): number => {
  const low = schema["minimum"] ?? schema["exclusiveMinimum"] ?? 0
  const high = schema["maximum"] ?? schema["exclusiveMaximum"] ?? 1
  const candidates = [1, ...low < 1 ? [high, high - 1] : [low, low + 1]]
  return candidates.find((value) => isWithinBounds(schema, value)) ?? (low + high) / 2
}

const resolveSchema = (schema: JsonSchema, definitions: JsonSchema): JsonSchema => {
  const { $ref, allOf, ...ownKeywords } = schema
  const referenced = $ref === undefined ? {} : resolveSchema(definitions[$ref.split("/").at(-1)] ?? {}, definitions)
  return Object.assign(
    {},
    referenced,
    ...(allOf ?? []).map((part: JsonSchema) => resolveSchema(part, definitions)),
    ownKeywords
  )
}

/** Returns whether a JSON Schema accepts a string or a number, judged by type, `enum`, bounds and pattern. */
const accepts = (schema: JsonSchema, value: unknown): boolean => {
  const types: ReadonlyArray<string> = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) return false
  if (typeof value === "string") {
    return types.includes("string") && schema["format"] === undefined &&
      (schema["pattern"] === undefined || new RegExp(schema["pattern"], "u").test(value)) &&
      value.length >= (schema["minLength"] ?? 0) && value.length <= (schema["maxLength"] ?? Number.POSITIVE_INFINITY)
  }
  return typeof value === "number" &&
    (types.includes("number") || (types.includes("integer") && Number.isInteger(value))) &&
    isWithinBounds(schema, value)
}

/**
 * Returns a deterministic example: in order of preference `requested[name]`, `examples`, `const`, `enum`, `default`, or
 * a generated value.
 */
export const makeExample = (
  schema: JsonSchema,
  definitions: JsonSchema,
  name = "",
  requested: JsonSchema = {}
): unknown => {
  const { additionalProperties, anyOf, items, oneOf, prefixItems, properties, type, ...rest } = resolveSchema(
    schema,
    definitions
  )
  if (Object.hasOwn(requested, name) && accepts({ ...rest, type }, requested[name])) return requested[name]
  if (Array.isArray(rest["examples"]) && rest["examples"].length > 0) return rest["examples"][0]
  if ("const" in rest) return rest["const"]
  if (Array.isArray(rest["enum"])) return rest["enum"][0]
  if ("default" in rest) return rest["default"]
  const choices: ReadonlyArray<JsonSchema> | undefined = anyOf ?? oneOf
  if (choices !== undefined) {
    return makeExample(choices.find((choice) => choice["type"] !== "null") ?? choices[0]!, definitions, name, requested)
  }
  switch (Array.isArray(type) ? type.find((one) => one !== "null") : type) {
    case "object":
      return Object.fromEntries(
        Object.entries<JsonSchema>(properties ?? {}).map((
          [key, value]
        ) => [key, makeExample(value, definitions, key, requested)])
      )
    case "array":
      return prefixItems === undefined
        ? items === undefined || rest["maxItems"] === 0 ? [] : [makeExample(items, definitions, name, requested)]
        : prefixItems.map((item: JsonSchema) => makeExample(item, definitions, name, requested))
    case "string":
      return exampleText(rest, name)
    case "integer":
    case "number":
      return exampleNumber(rest)
    case "boolean":
      return true
    default:
      return type === "null" ? null : {}
  }
}
