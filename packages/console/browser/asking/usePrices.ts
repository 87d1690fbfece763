import { useMemo } from "react"
import type { Prices } from "./cost.ts"
import { useCatalogue } from "./useCatalogue.ts"

/** The price of each tool in the catalogue; empty until the catalogue is loaded. */
export const usePrices = (): Prices => {
  const catalogue = useCatalogue()
  const tools = catalogue.state === "told" ? catalogue.data.tools : undefined
  return useMemo(() => new Map((tools ?? []).map(({ credits, name }) => [name, credits])), [tools])
}
