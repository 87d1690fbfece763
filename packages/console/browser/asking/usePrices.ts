import { useMemo } from "react"
import type { Prices } from "./cost.ts"
import { useCatalogue } from "./useCatalogue.ts"

/** What each tool that may be called costs, as the catalogue tells it; empty until that is known. */
export const usePrices = (): Prices => {
  const catalogue = useCatalogue()
  const tools = catalogue.state === "told" ? catalogue.data.tools : undefined
  return useMemo(() => new Map((tools ?? []).map(({ credits, name }) => [name, credits])), [tools])
}
