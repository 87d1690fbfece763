import { type Area, areas, catalogueOf, specifications } from "@tapeline/core"
import type { CatalogueEntry } from "@tapeline/core/engine"
import type { Exchange } from "./toolAnswers.ts"

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

/** Replaces references in a schema by their targets. Omits a reference to an enclosing schema. */
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

/** Removes null from a schema's types, values or forms. For an argument, null means that it is omitted. */
const withoutNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  ...(schema.type === undefined ? {} : { type: typesOf(schema).filter((type) => type !== "null") }),
  ...(schema.enum === undefined ? {} : { enum: schema.enum.filter((value) => value !== null) }),
  ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf.filter(({ type }) => type !== "null") })
})

/** A schema's shape in a few words: `integer 1 to 720`, `array of object`, `number or null`. */
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

/** Returns the schemas inside a field with the suffix of their path: `[]` for a list, `.*` for any name. */
const inside = (schema: JsonSchema, behind = ""): ReadonlyArray<readonly [behind: string, schema: JsonSchema]> => {
  const { additionalProperties: named, anyOf, items, properties } = schema
  return [
    ...properties === undefined ? [] : [[behind, schema] as const],
    ...items === undefined ? [] : inside(items, `${behind}[]`),
    ...typeof named === "object" ? inside(named, `${behind}.*`) : [],
    ...(anyOf ?? []).flatMap((one) => inside(one, behind))
  ]
}

/**
 * Returns a row for each field and each nested field. `shown` selects the part of a schema that determines its shape.
 */
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

const told = (credits: number): string => `${credits} ${credits === 1 ? "credit" : "credits"}`

const scopesOf = ({ scopes_any: scopes }: CatalogueEntry): string => scopes.map((scope) => `\`${scope}\``).join(" or ")

const section = (tool: CatalogueEntry, needs: ReadonlyArray<string>, exchange: Exchange): ReadonlyArray<string> => {
  const parameters = rows(resolved(tool.parameters), withoutNull)
  return [
    `## ${tool.name}`,
    "",
    tool.summary,
    "",
    `${told(tool.credits)}, scope ${scopesOf(tool)}. Needs ${
      needs.map((port) => `\`${port}\``).join(", ") || "no port"
    }.`,
    "",
    ...parameters.length === 0
      ? ["It takes no arguments.", ""]
      : ["| argument | | required, or default | |", "|---|---|---|---|", ...parameters, ""],
    "Asked for, and answered in `data`:",
    "",
    "```json",
    JSON.stringify(exchange.arguments, null, 2),
    "```",
    "",
    "```json",
    JSON.stringify(exchange.answer, null, 2),
    "```",
    "",
    "| result | | always | |",
    "|---|---|---|---|",
    ...rows(resolved(tool.result)),
    ""
  ]
}

const generated = "Written by `npm run docs` from the specifications of the tools"

const index = (catalogue: ReadonlyArray<CatalogueEntry>): string =>
  [
    "# Every tool",
    "",
    `${generated}: ${catalogue.length} of them, by area. What holds for all of them is in [tools](../tools.md).`,
    "",
    ...areas.flatMap((area) => [
      `## ${area}`,
      "",
      "| tool | credits | scope | |",
      "|---|---|---|---|",
      ...catalogue.filter((tool) => tool.area === area).map((tool) =>
        `| [\`${tool.name}\`](${area}.md#${tool.name}) | ${tool.credits} | ${scopesOf(tool)} | ${
          escape(tool.summary)
        } |`
      ),
      ""
    ])
  ].join("\n")

/**
 * Returns the pages of the reference by name: all tools, and for each area its tools with their arguments and results.
 */
export const toolReference = (
  needs: ReadonlyMap<string, ReadonlyArray<string>>,
  exchanges: ReadonlyMap<string, Exchange>
): ReadonlyMap<string, string> => {
  const catalogue = catalogueOf(specifications)
  const pageOf = (area: Area): string =>
    [
      `# Tools: ${area}`,
      "",
      `${generated}; [tools](../tools.md) says how to call them.`,
      "An argument that may be left out may also be null, which means the same. Answers are those of the simulated market at",
      "one instant; of long lists and texts they show the beginning. An engine that offers a tool must be given the",
      "[ports](../adapters.md) that it needs.",
      "",
      ...catalogue.filter((tool) => tool.area === area).flatMap((tool) =>
        section(tool, needs.get(tool.name) ?? [], exchanges.get(tool.name)!)
      )
    ].join("\n")
  return new Map([
    ["tools.md", index(catalogue)] as const,
    ...areas.map((area) => [`${area}.md`, pageOf(area)] as const)
  ].map(([name, text]) => [name, `${text.trimEnd()}\n`]))
}
