import type { Catalogue } from "@tapeline/client"
import { useMemo } from "react"
import { creditTexts } from "../i18n/creditTexts.ts"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { catalogueKey, pricesKey, readCatalogue, readPrices } from "./sharedRequests.ts"
import type { Prices } from "./toolQuery.ts"
import { type RequestState, useRequest } from "./useRequest.ts"

/** The time in ms for which the catalogue is fresh. It changes with the version of the service or the key's scopes. */
const freshMs = 600_000

/** Requests the catalogue of the tools that the user can call. */
export const useCatalogue = (): RequestState<Catalogue> => useRequest(catalogueKey, readCatalogue, { freshMs })

/** Returns the price of each tool in credits; empty until the prices are loaded. */
export const usePrices = (): Prices => {
  const catalogue = useRequest(pricesKey, readPrices, { freshMs })
  const tools = catalogue.state === "loaded" ? catalogue.data.tools : undefined
  return useMemo(() => new Map((tools ?? []).map(({ credits, name }) => [name, credits])), [tools])
}

/** Returns a function that adds the total price of tools to a button label, as in `Refresh · 1 credit`. */
export const usePricedLabel = (): (label: string, ...tools: ReadonlyArray<string>) => string => {
  const { language } = useLanguage()
  const prices = usePrices()
  return (label, ...tools) => {
    const cost = tools.reduce((sum, tool) => sum + (prices.get(tool) ?? 0), 0)
    return cost === 0 ? label : `${label} · ${creditTexts[language](cost)}`
  }
}
