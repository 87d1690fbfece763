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
  readonly anyOf?: ReadonlyArray<JsonSchema>
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

/** `shown` is the part of a field's schema that tells its shape. */
const rows = (schema: JsonSchema, shown = (field: JsonSchema) => field): ReadonlyArray<string> =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const required = schema.required?.includes(name) === true
      ? "yes"
      : field.default === undefined
      ? ""
      : `\`${JSON.stringify(field.default)}\``
    return `| \`${name}\` | ${escape(shape(shown(field)))} | ${required} | ${escape(field.description ?? "")} |`
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
      const parameters = rows(tool.parameters, withoutNull)
      if (parameters.length > 0) {
        lines.push("| argument | | required, or default | |", "|---|---|---|---|", ...parameters, "")
      }
      lines.push("| result | | always | |", "|---|---|---|---|", ...rows(tool.result), "")
    }
  }
  return `${lines.join("\n").trimEnd()}\n`
}
