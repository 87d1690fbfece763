import { fibonacci, pivots } from "@tapeline/quant/levels"
import { Clock, Effect } from "effect"
import { readClosedBars } from "../../analysis/signals/closedBars.ts"
import { orEmpty } from "../../analysis/signals/readings.ts"
import { barNotes } from "../../analysis/stale.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { addUp, holesIn } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceOf } from "../../market/provenance.ts"
import { bucketStart, dayMs, durationMs, weekMs } from "../../market/timeframe.ts"
import { getLevels } from "./getLevels.ts"
import { levelBars, levelRowsOf } from "./levelRows.ts"
import { lastLeg, type TimedSwing } from "./swings.ts"

/** The maximum number of rows per side. */
const told = 8

const swingRow = ({ price, time }: TimedSwing) => ({ time: instant(time), price })

const fibonacciRow = (swings: ReadonlyArray<TimedSwing>) => {
  const leg = lastLeg(swings)
  if (leg === null) return null
  const [from, to] = leg
  const direction = to.kind === "high" ? "up" as const : "down" as const
  const [low, high] = direction === "up" ? [from.price, to.price] : [to.price, from.price]
  return { direction, from: swingRow(from), to: swingRow(to), retracements: fibonacci(low, high, direction) }
}

/** Returns the pivot points of the day or the week before a time; null if that period was not recorded completely. */
const readPivots = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string, period: "1d" | "1w", time: number) {
    const to = bucketStart(period, time)
    const from = to - (period === "1d" ? dayMs : weekMs)
    const days = yield* orEmpty(prices.candleRange({ coin, timeframe: "1d", from, to }))
    const [first, ...rest] = days.value
    if (first === undefined || days.value.length < (to - from) / dayMs) return null
    const { close, high, low } = addUp(from, [first, ...rest], true)
    return { from: instant(from), to: instant(to), ...pivots(high, low, close) }
  }
)

export const handler = handlerOf(
  getLevels,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, tf }) {
      const read = yield* readClosedBars(prices, coin, tf, levelBars)
      const { candles, diedAt, end } = read
      const { close } = candles.at(-1)!
      const present = diedAt === null ? yield* Clock.currentTimeMillis : end
      const pivotPoints = yield* readPivots(prices, coin, tf === "1d" ? "1w" : "1d", present)
      const { atr: range, resistances: above, supports: below, swings } = levelRowsOf(read)
      const holes = holesIn(candles, durationMs[tf])
      const notes = [...barNotes(coin, read)]
      if (range === null) {
        notes.push(`Only ${counted(candles.length, "closed candle")}: too few for an ATR, and so for levels.`)
      }
      if (holes > 0) notes.push(`${counted(holes, "candle")} not recorded: swings beside a hole are not told.`)
      const cut = Math.max(0, below.length - told) + Math.max(0, above.length - told)
      if (cut > 0) notes.push(`${counted(cut, "farther level")} left out: the nearest ${told} of each side are told.`)
      if (pivotPoints === null) notes.push("pivots is null: the period before was not recorded whole.")
      return {
        coin,
        tf,
        close,
        supports: below.slice(0, told),
        resistances: above.slice(0, told),
        swing_high: swings.filter(({ kind }) => kind === "high").map(swingRow).at(-1) ?? null,
        swing_low: swings.filter(({ kind }) => kind === "low").map(swingRow).at(-1) ?? null,
        fibonacci: fibonacciRow(swings),
        pivots: pivotPoints,
        atr: range,
        n: candles.length,
        notes,
        as_of: instant(end),
        source: sourceOf(read)
      }
    })
  })
)
