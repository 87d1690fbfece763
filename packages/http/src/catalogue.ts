import { type CatalogueEntry, makeCatalogue, type Toolbox } from "@tapeline/core"

const cataloguesByToolbox = new WeakMap<Toolbox["Service"], ReadonlyArray<CatalogueEntry>>()

/** Returns the catalogue of a toolbox. The catalogue is computed once and shared by all callers. */
export const cachedCatalogueOf = (toolbox: Toolbox["Service"]): ReadonlyArray<CatalogueEntry> => {
  const entries = cataloguesByToolbox.get(toolbox) ??
    makeCatalogue(toolbox.tools.map(({ specification }) => specification))
  cataloguesByToolbox.set(toolbox, entries)
  return entries
}
