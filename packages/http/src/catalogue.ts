import { type CatalogueEntry, catalogueOf, type Toolbox } from "@tapeline/core"

const derived = new WeakMap<Toolbox["Service"], ReadonlyArray<CatalogueEntry>>()

/** The catalogue of a toolbox, derived once for all who serve it: that takes a while. */
export const catalogueFor = (toolbox: Toolbox["Service"]): ReadonlyArray<CatalogueEntry> => {
  const entries = derived.get(toolbox) ?? catalogueOf(toolbox.tools.map(({ specification }) => specification))
  derived.set(toolbox, entries)
  return entries
}
