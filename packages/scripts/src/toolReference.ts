import { areas, catalogueOf, specifications } from "@tapeline/core"

interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly default?: unknown
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** The schema with what it refers to in its place; what refers to itself is left out there. */
const resolved = (
  schema: JsonSchema,
  named: NonNullable<JsonSchema["$defs"]> = schema.$defs ?? {},
  within: ReadonlyArray<string> = []
): JsonSchema => {
  const { $ref, anyOf, items, properties, ...rest } = schema
  const inner = (one: JsonSchema) => resolved(one, named, within)
  const name = $ref?.replace("#/$defs/", "")
  const meant = name === undefined || within.includes(name) ? undefined : named[name]
  return {
    ...meant === undefined ? {} : resolved(meant, named, [...within, name!]),
    ...rest,
    ...anyOf === undefined ? {} : { anyOf: anyOf.map(inner) },
    ...items === undefined ? {} : { items: inner(items) },
    ...properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, inner(one)])) }
  }
}

const escape = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const typesOf = ({ type }: JsonSchema): ReadonlyArray<string> =>
  type === undefined ? [] : typeof type === "string" ? [type] : type

/** The schema without the null that its type, its values or its forms allow: of an argument, what leaves it out. */
const withoutNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  ...(schema.type === undefined ? {} : { type: typesOf(schema).filter((type) => type !== "null") }),
  ...(schema.enum === undefined ? {} : { enum: schema.enum.filter((value) => value !== null) }),
  ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf.filter(({ type }) => type !== "null") })
})

/** A schema's shape in a few words: `integer 1-720`, `array of object`, `number or null`. */
const shape = (schema: JsonSchema): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(shape).join(" or ")
  const types = typesOf(schema)
  if (types.length > 1 && types.includes("null")) return `${shape(withoutNull(schema))} or null`
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ")
  const type = types.length === 0 ? undefined : types.join(" or ")
  if (type === "array") return `array of ${schema.items === undefined ? "any" : shape(schema.items)}`
  if (schema.exclusiveMinimum !== undefined) return `${type ?? "number"} > ${schema.exclusiveMinimum}`
  const { maximum, minimum } = schema
  const bounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return bounded ? `${type ?? "any"} ${minimum} to ${maximum}` : type ?? "any"
}

/** What lies inside a field, with what stands behind its name for it: `[]` of a list, `.*` of any name. */
const inside = (schema: JsonSchema, behind = ""): ReadonlyArray<readonly [behind: string, schema: JsonSchema]> => {
  const { additionalProperties: named, anyOf, items, properties } = schema
  return [
    ...properties === undefined ? [] : [[behind, schema] as const],
    ...items === undefined ? [] : inside(items, `${behind}[]`),
    ...typeof named === "object" ? inside(named, `${behind}.*`) : [],
    ...(anyOf ?? []).flatMap((one) => inside(one, behind))
  ]
}

/** A row for each field and each one inside it; `shown` is the part of a schema that tells its shape. */
const rows = (schema: JsonSchema, shown = (field: JsonSchema) => field, before = ""): ReadonlyArray<string> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const required = schema.required?.includes(name) === true
      ? "yes"
      : field.default === undefined
      ? ""
      : `\`${JSON.stringify(field.default)}\``
    return [
      `| \`${before}${name}\` | ${escape(shape(shown(field)))} | ${required} | ${escape(field.description ?? "")} |`,
      ...inside(field).flatMap(([behind, one]) => rows(one, shown, `${before}${name}${behind}.`))
    ]
  })

/** The reference of every tool, in Markdown, from the specifications and the ports that each needs. */
export const toolReference = (needs: ReadonlyMap<string, ReadonlyArray<string>>): string => {
  const catalogue = catalogueOf(specifications)
  const examples = new Map<string, unknown>(specifications.map(({ example, name }) => [name, example]))
  const lines = [
    "# Tools",
    "",
    "Generated from the specifications by `npm run docs`. Every call is `POST /v1/tools/{name}`; what holds for all of them",
    "is in [http.md](../http.md). An argument that may be left out may also be null, which means the same.",
    "The ports that a tool needs are those without which an engine that offers it does not compile; `DerivedStore.layer` is",
    "over `CoinPrices`, `CoinDerivatives` and `SocialFeed`, of which the latter two have a `layerNone`.",
    ""
  ]
  for (const area of areas) {
    const tools = catalogue.filter((tool) => tool.area === area)
    if (tools.length === 0) continue
    lines.push(`## ${area}`, "")
    for (const tool of tools) {
      lines.push(`### ${tool.name}`, "", tool.summary, "")
      lines.push(
        `${tool.credits} ${tool.credits === 1 ? "credit" : "credits"}, scope ${
          tool.scopes_any.map((scope) => `\`${scope}\``).join(" or ")
        }.`,
        `Needs ${(needs.get(tool.name) ?? []).map((port) => `\`${port}\``).join(", ") || "no port"}.`
      )
      lines.push(`Example: \`${JSON.stringify(examples.get(tool.name))}\``, "")
      const parameters = rows(resolved(tool.parameters), withoutNull)
      if (parameters.length > 0) {
        lines.push("| argument | | required, or default | |", "|---|---|---|---|", ...parameters, "")
      }
      lines.push("| result | | always | |", "|---|---|---|---|", ...rows(resolved(tool.result)), "")
    }
  }
  return `${lines.join("\n").trimEnd()}\n`
}
