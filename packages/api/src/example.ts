/** JSON of an OpenAPI document. OpenAPI defines its parts, which TypeScript does not know. */
export type Json = Record<string, any>

/** A JSON Schema in the document. */
export type JsonSchema = Readonly<Json>

/** Texts that match the service's schemas. The first one that matches a schema is its example. */
const texts = [
  "2026-11-21T09:30:00.000Z",
  "2026-11-21",
  "2026-11",
  "BTC",
  "005930",
  "ab",
  "0"
]

/** The usual contents of fields by name. */
const byName: Readonly<Record<string, string>> = {
  coin: "BTC",
  symbol: "AAPL",
  source: "simulated",
  plan: "pro",
  month: "2026-11",
  key: "tl_live_...",
  prefix: "tl_live_7Hq2"
}

const instants = /(_at|^as_of|^time)$/

const textFor = (schema: JsonSchema, name: string): string => {
  const fits = (text: string) =>
    (schema["pattern"] === undefined || new RegExp(schema["pattern"], "u").test(text)) &&
    text.length >= (schema["minLength"] ?? 0) && text.length <= (schema["maxLength"] ?? Number.POSITIVE_INFINITY)
  const named = byName[name] ?? (instants.test(name) ? texts[0]! : "text")
  const wanted = schema["format"] === "date-time" ? texts[0]! : named
  return [wanted, ...texts].find(fits) ?? "text"
}

const numberFor = (schema: JsonSchema): number => {
  const least = schema["minimum"] ?? (schema["exclusiveMinimum"] === undefined ? 0 : schema["exclusiveMinimum"] + 1)
  const most = schema["maximum"] ??
    (schema["exclusiveMaximum"] === undefined ? Number.POSITIVE_INFINITY : schema["exclusiveMaximum"] - 1)
  return Math.min(Math.max(1, least), most)
}

/** Returns a schema with its `$ref` and `allOf` merged in. */
const whole = (schema: JsonSchema, definitions: JsonSchema): JsonSchema => {
  const { $ref, allOf, ...own } = schema
  const named = $ref === undefined ? {} : whole(definitions[$ref.split("/").at(-1)] ?? {}, definitions)
  return Object.assign({}, named, ...(allOf ?? []).map((part: JsonSchema) => whole(part, definitions)), own)
}

/** Whether a schema accepts a plain value, by its type, choices, bounds and pattern. */
const holds = (schema: JsonSchema, value: unknown): boolean => {
  const types: ReadonlyArray<string> = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(value)) return false
  if (typeof value === "string") {
    return types.includes("string") && schema["format"] === undefined &&
      (schema["pattern"] === undefined || new RegExp(schema["pattern"], "u").test(value)) &&
      value.length >= (schema["minLength"] ?? 0) && value.length <= (schema["maxLength"] ?? Number.POSITIVE_INFINITY)
  }
  return typeof value === "number" &&
    (types.includes("number") || (types.includes("integer") && Number.isInteger(value))) &&
    schema["exclusiveMinimum"] === undefined && schema["exclusiveMaximum"] === undefined &&
    value >= (schema["minimum"] ?? Number.NEGATIVE_INFINITY) && value <= (schema["maximum"] ?? Number.POSITIVE_INFINITY)
}

/**
 * Returns an example of a schema: the requested value of the same name, else the schema's own example, default or first
 * choice, else a plain value of the right form. Deterministic.
 */
export const exampleOf = (schema: JsonSchema, definitions: JsonSchema, name = "", asked: JsonSchema = {}): unknown => {
  const { additionalProperties, anyOf, items, oneOf, prefixItems, properties, type, ...rest } = whole(
    schema,
    definitions
  )
  if (Object.hasOwn(asked, name) && holds({ ...rest, type }, asked[name])) return asked[name]
  if (Array.isArray(rest["examples"]) && rest["examples"].length > 0) return rest["examples"][0]
  if ("const" in rest) return rest["const"]
  if (Array.isArray(rest["enum"])) return rest["enum"][0]
  if ("default" in rest) return rest["default"]
  const choices: ReadonlyArray<JsonSchema> | undefined = anyOf ?? oneOf
  if (choices !== undefined) {
    return exampleOf(choices.find((choice) => choice["type"] !== "null") ?? choices[0]!, definitions, name, asked)
  }
  switch (Array.isArray(type) ? type.find((one) => one !== "null") : type) {
    case "object":
      return Object.fromEntries(
        Object.entries<JsonSchema>(properties ?? {}).map((
          [key, value]
        ) => [key, exampleOf(value, definitions, key, asked)])
      )
    case "array":
      return prefixItems === undefined
        ? items === undefined || rest["maxItems"] === 0 ? [] : [exampleOf(items, definitions, name, asked)]
        : prefixItems.map((item: JsonSchema) => exampleOf(item, definitions, name, asked))
    case "string":
      return textFor(rest, name)
    case "integer":
    case "number":
      return numberFor(rest)
    case "boolean":
      return true
    default:
      return type === "null" ? null : {}
  }
}
