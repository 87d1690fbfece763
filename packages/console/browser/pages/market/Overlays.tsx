import type { Ask } from "../../asking/ask.ts"
import { areOpen, costOf } from "../../asking/cost.ts"
import { useHeld } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { Toggle } from "../../widgets/fields.tsx"
import { useWords } from "../../words/words.ts"
import { activeSignalsAsk, endedSignalsAsk, levelsAsk } from "./asks.ts"
import styles from "./Market.module.css"
import { type Overlay, overlays, useOpened } from "./opened.ts"
import type { Timeframe } from "./timeframe.ts"
import { marketWords } from "./words.ts"

/** The calls of an overlay. The volume is part of the candles. */
const asksOf = (overlay: Overlay, coin: string, tf: Timeframe): ReadonlyArray<Ask> => {
  switch (overlay) {
    case "volume":
      return []
    case "levels":
      return [levelsAsk(coin, tf)]
    case "signals":
      return [activeSignalsAsk]
    case "ended":
      return [endedSignalsAsk]
  }
}

/** Switches for the overlays of the candles, each with its price. */
export const Overlays = ({ coin, onChange, tf }: {
  readonly coin: string
  readonly tf: Timeframe
  readonly onChange: (name: Overlay, isOn: boolean) => void
}) => {
  const says = useWords(marketWords)
  const opened = useOpened()
  const prices = usePrices()
  const isHeld = useHeld()
  const names: Readonly<Record<Overlay, string>> = {
    volume: says.volume,
    levels: says.levels,
    signals: says.signals,
    ended: says.ended
  }
  return (
    <div className={styles["overlays"]} role="group" aria-label={says.overlays}>
      {overlays.filter((name) => areOpen(asksOf(name, coin, tf), prices)).map((name) => {
        const isOn = opened.has(name)
        const cost = costOf(asksOf(name, coin, tf), prices, isHeld)
        return (
          <Toggle key={name} isOn={isOn} onChange={(next) => onChange(name, next)}>
            {names[name]}
            {!isOn && cost > 0 && <span className={styles["price"]}>{says.credits(cost)}</span>}
          </Toggle>
        )
      })}
    </div>
  )
}
