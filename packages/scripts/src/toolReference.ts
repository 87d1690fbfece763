import { type Area, areas, makeCatalogue, specifications } from "@tapeline/core"
import type { CatalogueEntry } from "@tapeline/core/engine"
import type { ToolExchange } from "./toolExchanges.ts"

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

/** Replaces each reference in a JSON schema by the referenced schema, and omits references to enclosing schemas. */
const resolveReferences = (
  schema: JsonSchema,
  definitions: NonNullable<JsonSchema["$defs"]> = schema.$defs ?? {},
  enclosing: ReadonlyArray<string> = []
): JsonSchema => {
  const { $ref, anyOf, items, properties, ...rest } = schema
  const resolveInner = (one: JsonSchema) => resolveReferences(one, definitions, enclosing)
  const name = $ref?.replace("#/$defs/", "")
  const target = name === undefined || enclosing.includes(name) ? undefined : definitions[name]
  return {
    ...target === undefined ? {} : resolveReferences(target, definitions, [...enclosing, name!]),
    ...rest,
    ...anyOf === undefined ? {} : { anyOf: anyOf.map(resolveInner) },
    ...items === undefined ? {} : { items: resolveInner(items) },
    ...properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, resolveInner(one)])) }
  }
}

const escapeMarkdown = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const typesOf = ({ type }: JsonSchema): ReadonlyArray<string> =>
  type === undefined ? [] : typeof type === "string" ? [type] : type

/** Removes null from a JSON schema, because an argument with the value null counts as omitted. */
const withoutNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  ...(schema.type === undefined ? {} : { type: typesOf(schema).filter((type) => type !== "null") }),
  ...(schema.enum === undefined ? {} : { enum: schema.enum.filter((value) => value !== null) }),
  ...(schema.anyOf === undefined ? {} : { anyOf: schema.anyOf.filter(({ type }) => type !== "null") })
})

/**
 * Returns the type of a JSON schema in a few words, such as `integer 1 to 720`, `array of object` or `number or null`.
 */
const formatShape = (schema: JsonSchema): string => {
  if (schema.anyOf !== undefined) return schema.anyOf.map(formatShape).join(" or ")
  const types = typesOf(schema)
  if (types.length > 1 && types.includes("null")) return `${formatShape(withoutNull(schema))} or null`
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ")
  const type = types.length === 0 ? undefined : types.join(" or ")
  if (type === "array") return `array of ${schema.items === undefined ? "any" : formatShape(schema.items)}`
  if (schema.exclusiveMinimum !== undefined) return `${type ?? "number"} > ${schema.exclusiveMinimum}`
  const { maximum, minimum } = schema
  const bounded = minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
  return bounded ? `${type ?? "any"} ${minimum} to ${maximum}` : type ?? "any"
}

/**
 * Returns the object schemas inside a field. The suffix of a schema's path has `[]` for each list and `.*` for each
 * map.
 */
const nestedSchemas = (
  schema: JsonSchema,
  suffix = ""
): ReadonlyArray<readonly [behind: string, schema: JsonSchema]> => {
  const { additionalProperties: definitions, anyOf, items, properties } = schema
  return [
    ...properties === undefined ? [] : [[suffix, schema] as const],
    ...items === undefined ? [] : nestedSchemas(items, `${suffix}[]`),
    ...typeof definitions === "object" ? nestedSchemas(definitions, `${suffix}.*`) : [],
    ...(anyOf ?? []).flatMap((one) => nestedSchemas(one, suffix))
  ]
}

/**
 * Returns the Markdown table rows of all fields in a schema. For each field, `select` returns the schema that the type
 * column shows.
 */
const fieldRows = (schema: JsonSchema, select = (field: JsonSchema) => field, prefix = ""): ReadonlyArray<string> =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const required = schema.required?.includes(name) === true
      ? "yes"
      : field.default === undefined
      ? ""
      : `\`${JSON.stringify(field.default)}\``
    return [
      `| \`${prefix}${name}\` | ${escapeMarkdown(formatShape(select(field)))} | ${required} | ${
        escapeMarkdown(field.description ?? "")
      } |`,
      ...nestedSchemas(field).flatMap(([suffix, one]) => fieldRows(one, select, `${prefix}${name}${suffix}.`))
    ]
  })

const formatCredits = (credits: number): string => `${credits} ${credits === 1 ? "credit" : "credits"}`

const formatScopes = ({ scopes_any: scopes }: CatalogueEntry): string =>
  scopes.map((scope) => `\`${scope}\``).join(" or ")

/** Formats a value as JSON, with lists and objects that fit in 118 columns on one line. */
const formatJson = (value: unknown, key = "", indent = ""): string => {
  if (typeof value !== "object" || value === null) return key + JSON.stringify(value)
  const isList = Array.isArray(value)
  const formatItems = (indent: string): ReadonlyArray<string> =>
    Object.entries(value).map(([name, item]) => indent + formatJson(item, isList ? "" : `"${name}": `, indent))
  const items = formatItems("").join(", ")
  const line = `${key}${isList ? `[${items}]` : items === "" ? "{}" : `{ ${items} }`}`
  if (!line.includes("\n") && `${indent}${line},`.length <= 118) return line
  const [open, close] = isList ? "[]" : "{}"
  return `${key}${open}\n${formatItems(`${indent}  `).join(",\n")}\n${indent}${close}`
}

const renderJson = (value: unknown): ReadonlyArray<string> => ["```json", formatJson(value), "```", ""]

const renderExchange = ({ answer, arguments: request }: ToolExchange): ReadonlyArray<string> => {
  const line = formatJson(request)
  return line.includes("\n")
    ? ["Example request, and the `data` of its response:", "", ...renderJson(request), ...renderJson(answer)]
    : [`Example request: \`${line}\`. The \`data\` of its response:`, "", ...renderJson(answer)]
}

const resultRows = (tool: CatalogueEntry): ReadonlyMap<string, string> => {
  const { properties = {}, required = [] } = resolveReferences(tool.result)
  return new Map(
    Object.entries(properties).map(([name, field]) => [
      name,
      fieldRows({ properties: { [name]: field }, required }).join("\n")
    ])
  )
}

/**
 * Returns the table rows of fields that all tool results contain. The row of a shared field is equal in at least half
 * of the results.
 */
const findSharedRows = (results: ReadonlyArray<ReadonlyMap<string, string>>): ReadonlySet<string> => {
  const isShared = ([name, rows]: readonly [string, string]): boolean =>
    results.length > 1 && results.every((one) => one.has(name)) &&
    2 * results.filter((one) => one.get(name) === rows).length >= results.length
  return new Set(results.flatMap((result) => [...result].filter(isShared).map(([, rows]) => rows)))
}

const renderTool = (
  tool: CatalogueEntry,
  requiredPorts: ReadonlyArray<string>,
  exchange: ToolExchange,
  sharedRows: ReadonlySet<string>
): ReadonlyArray<string> => {
  const parameters = fieldRows(resolveReferences(tool.parameters), withoutNull)
  return [
    `## ${tool.name}`,
    "",
    tool.summary,
    "",
    `${formatCredits(tool.credits)}, scope ${formatScopes(tool)}. Needs ${
      requiredPorts.map((port) => `\`${port}\``).join(", ") || "no port"
    }.`,
    "",
    ...parameters.length === 0
      ? ["The tool has no arguments.", ""]
      : ["| argument | type | required, or default | description |", "|---|---|---|---|", ...parameters, ""],
    ...renderExchange(exchange),
    `| result${
      sharedRows.size === 0 ? "" : ", with [shared fields](#shared-fields)"
    } | type | always present | description |`,
    "|---|---|---|---|",
    ...[...resultRows(tool).values()].filter((rows) => !sharedRows.has(rows)),
    ""
  ]
}

const generatedNote = "`npm run docs` generates this page from the specifications of the tools."

const renderIndex = (catalogue: ReadonlyArray<CatalogueEntry>): string =>
  [
    "# Every tool",
    "",
    `${generatedNote} It lists all ${catalogue.length} tools by area. [Tools](../tools.md) describes the rules for all tools.`,
    "",
    ...areas.flatMap((area) => [
      `## ${area}`,
      "",
      "| tool | credits | scope | description |",
      "|---|---|---|---|",
      ...catalogue.filter((tool) => tool.area === area).map((tool) =>
        `| [\`${tool.name}\`](${area}.md#${tool.name}) | ${tool.credits} | ${formatScopes(tool)} | ${
          escapeMarkdown(tool.summary)
        } |`
      ),
      ""
    ])
  ].join("\n")

/** Returns the pages of the tool reference by file name: an index of all tools, and a page for each area. */
export const renderReference = (
  requiredPorts: ReadonlyMap<string, ReadonlyArray<string>>,
  exchanges: ReadonlyMap<string, ToolExchange>
): ReadonlyMap<string, string> => {
  const catalogue = makeCatalogue(specifications)
  const renderArea = (area: Area): string => {
    const tools = catalogue.filter((tool) => tool.area === area)
    const sharedRows = findSharedRows(tools.map(resultRows))
    return [
      `# Tools: ${area}`,
      "",
      `${generatedNote} [Tools](../tools.md) describes how to call tools.`,
      "An optional argument may also be null, which has the same meaning as omitting the argument. The example responses come",
      "from the simulated market at one instant. Long lists and texts in them are cut. An engine that offers a tool needs the",
      "[ports](../adapters.md) of the tool.",
      "",
      ...sharedRows.size === 0 ? [] : [
        "## Shared fields",
        "",
        "The result of every tool on this page has these fields, unless its table describes them differently:",
        "",
        "| field | type | always present | description |",
        "|---|---|---|---|",
        ...sharedRows,
        ""
      ],
      ...tools.flatMap((tool) =>
        renderTool(tool, requiredPorts.get(tool.name) ?? [], exchanges.get(tool.name)!, sharedRows)
      )
    ].join("\n")
  }
  return new Map([
    ["tools.md", renderIndex(catalogue)] as const,
    ...areas.map((area) => [`${area}.md`, renderArea(area)] as const)
  ].map(([name, text]) => [name, `${text.trimEnd()}\n`]))
}
