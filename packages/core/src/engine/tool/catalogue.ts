import { JsonSchema, Schema } from "effect"
import { grants, type Scope, type ScopesAny } from "../access/scope.ts"
import { type Area, scopesAny } from "./area.ts"
import { plainSchema } from "./plainSchema.ts"
import type { ToolSpecification } from "./specification.ts"

/** A tool as the catalogue shows it. `parameters` and `result` are JSON Schema 2020-12. */
export interface CatalogueEntry {
  readonly name: string
  readonly area: Area
  readonly summary: string
  readonly scope: Scope
  readonly scopes_any: ScopesAny
  readonly credits: number
  readonly parameters: JsonSchema.JsonSchema
  readonly result: JsonSchema.JsonSchema
}

/** What can be called besides tools, with its price. */
export const operations = [{ name: "agent.answer", scope: "agent:chat", credits: 20 }] as const

const jsonSchema = (schema: Schema.Top): JsonSchema.JsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return plainSchema(
    Object.keys(document.definitions).length === 0
      ? document.schema
      : { ...document.schema, $defs: document.definitions }
  )
}

const entry = (specification: ToolSpecification): CatalogueEntry => ({
  name: specification.name,
  area: specification.area,
  summary: specification.summary,
  scope: specification.scope,
  scopes_any: scopesAny(specification.scope, specification.area),
  credits: specification.credits,
  parameters: jsonSchema(specification.parameters),
  result: jsonSchema(specification.result)
})

/** The catalogue of `specifications`, in their order. Deriving it takes a while: do it once. */
export const catalogueOf = (specifications: ReadonlyArray<ToolSpecification>): ReadonlyArray<CatalogueEntry> =>
  specifications.map(entry)

/** The entries that a holder of `scopes` may call, of one area or of all. */
export const visibleTo = (
  catalogue: ReadonlyArray<CatalogueEntry>,
  scopes: ReadonlyArray<Scope>,
  area?: Area
): ReadonlyArray<CatalogueEntry> =>
  catalogue.filter((tool) => (area === undefined || tool.area === area) && grants(scopes, tool.scopes_any))

/**
 * An entry without the schema of its result, for readers who pay for every word: language models. Without its scopes
 * too, since a reader is shown just what its key may call.
 */
export type CatalogueCall = Omit<CatalogueEntry, "result" | "scope" | "scopes_any">

/** The entries as those who only call them need them. */
export const callsOf = (catalogue: ReadonlyArray<CatalogueEntry>): ReadonlyArray<CatalogueCall> =>
  catalogue.map(({ result: _, scope: _scope, scopes_any: _any, ...call }) => call)
