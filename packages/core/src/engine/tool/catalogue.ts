import { JsonSchema, Schema } from "effect"
import { type AlternativeScopes, hasAnyScope, type Scope } from "../access/scope.ts"
import { acceptedScopes, type Area } from "./area.ts"
import type { ToolSpecification } from "./specification.ts"
import { toStrictSchema } from "./strictSchema.ts"

/** A tool in the catalogue. `parameters` and `result` are JSON Schema 2020-12. */
export interface CatalogueEntry {
  readonly name: string
  readonly area: Area
  readonly summary: string
  readonly scope: Scope
  readonly scopes_any: AlternativeScopes
  readonly credits: number
  readonly parameters: JsonSchema.JsonSchema
  readonly result: JsonSchema.JsonSchema
}

/** Operations that cost credits but are not tools. */
export const pricedOperations = [{ name: "agent.answer", scope: "agent:chat", credits: 20 }] as const

const jsonSchema = (schema: Schema.Top): JsonSchema.JsonSchema => {
  const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
  return toStrictSchema(
    Object.keys(document.definitions).length === 0
      ? document.schema
      : { ...document.schema, $defs: document.definitions }
  )
}

/** A catalogue entry without the result schema. */
export type ParameterEntry = Omit<CatalogueEntry, "result">

const parameterEntry = (specification: ToolSpecification): ParameterEntry => ({
  name: specification.name,
  area: specification.area,
  summary: specification.summary,
  scope: specification.scope,
  scopes_any: acceptedScopes(specification.scope, specification.area),
  credits: specification.credits,
  parameters: jsonSchema(specification.parameters)
})

/**
 * Returns the catalogue entries of `specifications`, in their order. The conversion is slow, so call this function only
 * once.
 */
export const makeCatalogue = (specifications: ReadonlyArray<ToolSpecification>): ReadonlyArray<CatalogueEntry> =>
  specifications.map((specification) => ({
    ...parameterEntry(specification),
    result: jsonSchema(specification.result)
  }))

/** Returns the catalogue entries of `specifications` without result schemas, which take most of the time. */
export const makeParameterCatalogue = (
  specifications: ReadonlyArray<ToolSpecification>
): ReadonlyArray<ParameterEntry> => specifications.map(parameterEntry)

/** Returns the catalogue entries that a holder of `scopes` may call, in one area or in all areas. */
export const filterCatalogue = <Entry extends ParameterEntry>(
  catalogue: ReadonlyArray<Entry>,
  scopes: ReadonlyArray<Scope>,
  area?: Area
): ReadonlyArray<Entry> =>
  catalogue.filter((tool) => (area === undefined || tool.area === area) && hasAnyScope(scopes, tool.scopes_any))

/**
 * A catalogue entry for language models, without the result schema and the scopes. Models pay for every word, and see
 * only tools that they may call.
 */
export type CallableEntry = Omit<ParameterEntry, "scope" | "scopes_any">

/** Removes the result schema and the scopes from catalogue entries. */
export const callableEntries = (catalogue: ReadonlyArray<ParameterEntry>): ReadonlyArray<CallableEntry> =>
  catalogue.map(({ area, credits, name, parameters, summary }) => ({ name, area, summary, credits, parameters }))
