import { useTexts } from "../../i18n/texts.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { tradeTexts } from "./tradeTexts.ts"

const periods = ["7", "30", "90", "365"] as const
type Period = typeof periods[number]

/** Returns the number of past days that the query parameter `days` selects for trades and statistics. */
export const useDays = (): number => {
  const { query } = useLocation()
  return Number(periods.find((one) => one === query.get("days")) ?? "90")
}

export const PeriodChips = () => {
  const texts = useTexts(tradeTexts)
  const days = useDays()
  return (
    <Chips<Period>
      label={texts.period}
      selected={periods.find((one) => Number(one) === days) ?? "90"}
      onChange={(value) => setQuery({ days: value === "90" ? undefined : value })}
      options={periods.map((value) => ({ value, label: value === "365" ? texts.year : texts.days(Number(value)) }))}
    />
  )
}
