import { setQuery, useLocation } from "../../router/location.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { useWords } from "../../words/words.ts"
import { tradeWords } from "./tradeWords.ts"

const periods = ["7", "30", "90", "365"] as const
type Period = typeof periods[number]

/** The number of past days for trades and statistics, from the address. */
export const useDays = (): number => {
  const { query } = useLocation()
  return Number(periods.find((one) => one === query.get("days")) ?? "90")
}

/** Selects the number of days. */
export const PeriodChips = () => {
  const says = useWords(tradeWords)
  const days = useDays()
  return (
    <Chips<Period>
      label={says.period}
      chosen={periods.find((one) => Number(one) === days) ?? "90"}
      onChange={(value) => setQuery({ days: value === "90" ? undefined : value })}
      options={periods.map((value) => ({ value, label: value === "365" ? says.year : says.days(Number(value)) }))}
    />
  )
}
