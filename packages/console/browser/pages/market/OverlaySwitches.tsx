import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { canCallAll, type ToolQuery, totalCost } from "../../requests/toolQuery.ts"
import { useIsCached } from "../../requests/useToolQuery.ts"
import { Toggle } from "../../widgets/fields.tsx"
import styles from "./Market.module.css"
import { type Overlay, overlays, useOpenSections } from "./openSections.ts"
import { activeSignalsQuery, endedSignalsQuery, levelsQuery } from "./queries.ts"
import { marketTexts } from "./texts.ts"
import type { Timeframe } from "./timeframe.ts"

/** Returns the tool calls that provide the data of a chart overlay. The volume overlay needs no tool call. */
const overlayQueries = (overlay: Overlay, coin: string, tf: Timeframe): ReadonlyArray<ToolQuery> => {
  switch (overlay) {
    case "volume":
      return []
    case "levels":
      return [levelsQuery(coin, tf)]
    case "signals":
      return [activeSignalsQuery]
    case "ended":
      return [endedSignalsQuery]
  }
}

/** The price in the reserved space of a switch, in credits. */
const typicalCost = 10

/** The switches of the chart overlays. Until the prices are loaded, priced switches are invisible and reserve space. */
export const OverlaySwitches = ({ coin, onChange, tf }: {
  readonly coin: string
  readonly tf: Timeframe
  readonly onChange: (name: Overlay, isOn: boolean) => void
}) => {
  const texts = useTexts(marketTexts)
  const openSections = useOpenSections()
  const prices = usePrices()
  const isCached = useIsCached()
  const names: Readonly<Record<Overlay, string>> = {
    volume: texts.volume,
    levels: texts.levels,
    signals: texts.signals,
    ended: texts.ended
  }
  return (
    <div className="row wrap gap-x-4" role="group" aria-label={texts.overlays}>
      {overlays.map((name) => {
        const queries = overlayQueries(name, coin, tf)
        const isPriced = canCallAll(queries, prices)
        if (!isPriced && prices.size > 0) return null
        const isOn = openSections.has(name)
        const cost = isPriced ? totalCost(queries, prices, isCached) : typicalCost
        return (
          <span key={name} className={isPriced ? "" : "invisible"}>
            <Toggle isOn={isOn} onChange={(next) => onChange(name, next)}>
              {names[name]}
              {!isOn && cost > 0 && <span className={styles["price"]}>{texts.credits(cost)}</span>}
            </Toggle>
          </span>
        )
      })}
    </div>
  )
}
