import { credits } from "../words/credits.ts"
import { useLanguage } from "../words/Languages.tsx"
import { usePrices } from "./usePrices.ts"

/** Adds the total price of these tools to the label of a button: `Refresh · 1 credit`. */
export const usePriced = (): (label: string, ...tools: ReadonlyArray<string>) => string => {
  const { language } = useLanguage()
  const prices = usePrices()
  return (label, ...tools) => {
    const cost = tools.reduce((sum, tool) => sum + (prices.get(tool) ?? 0), 0)
    return cost === 0 ? label : `${label} · ${credits[language](cost)}`
  }
}
