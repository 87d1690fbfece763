import { type CatalogueEntry, catalogueOf, type Toolbox } from "@tapeline/core"

const derived = new WeakMap<Toolbox["Service"], ReadonlyArray<CatalogueEntry>>()

/** Returns the catalogue of a toolbox. Derives it only once for all users, because that takes time. */
export const catalogueFor = (toolbox: Toolbox["Service"]): ReadonlyArray<CatalogueEntry> => {
  const entries = derived.get(toolbox) ?? catalogueOf(toolbox.tools.map(({ specification }) => specification))
  derived.set(toolbox, entries)
  return entries
}
