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
      {overlays.filter((name) => canCallAll(overlayQueries(name, coin, tf), prices)).map((name) => {
        const isOn = openSections.has(name)
        const cost = totalCost(overlayQueries(name, coin, tf), prices, isCached)
        return (
          <Toggle key={name} isOn={isOn} onChange={(next) => onChange(name, next)}>
            {names[name]}
            {!isOn && cost > 0 && <span className={styles["price"]}>{texts.credits(cost)}</span>}
          </Toggle>
        )
      })}
    </div>
  )
}
