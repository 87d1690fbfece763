import { fibonacci, pivots } from "@tapeline/quant/levels"
import { Clock, Effect } from "effect"
import { readClosedBars } from "../../analysis/signals/closedBars.ts"
import { orEmptyList } from "../../analysis/signals/readings.ts"
import { barNotes } from "../../analysis/staleness.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { countMissingCandles, mergeCandles } from "../../market/candle.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceText } from "../../market/provenance.ts"
import { bucketStart, dayMs, durationMs, weekMs } from "../../market/timeframe.ts"
import { getLevels } from "./getLevels.ts"
import { findLevelRows, levelBars } from "./levelRows.ts"
import { findLastLeg, type TimedSwing } from "./swings.ts"

const maxLevels = 8

const toSwingRow = ({ price, time }: TimedSwing) => ({ time: formatInstant(time), price })

const toFibonacciRow = (swings: ReadonlyArray<TimedSwing>) => {
  const leg = findLastLeg(swings)
  if (leg === null) return null
  const [from, to] = leg
  const direction = to.kind === "high" ? "up" as const : "down" as const
  const [low, high] = direction === "up" ? [from.price, to.price] : [to.price, from.price]
  return { direction, from: toSwingRow(from), to: toSwingRow(to), retracements: fibonacci(low, high, direction) }
}

/** Returns the pivot points of the previous day or week, or null if the period was not recorded completely. */
const readPivots = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string, period: "1d" | "1w", time: number) {
    const to = bucketStart(period, time)
    const from = to - (period === "1d" ? dayMs : weekMs)
    const days = yield* orEmptyList(prices.candleRange({ coin, timeframe: "1d", from, to }))
    const [first, ...rest] = days.value
    if (first === undefined || days.value.length < (to - from) / dayMs) return null
    const { close, high, low } = mergeCandles(from, [first, ...rest], true)
    return { from: formatInstant(from), to: formatInstant(to), ...pivots(high, low, close) }
  }
)

export const handler = handlerOf(
  getLevels,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, tf }) {
      const reading = yield* readClosedBars(prices, coin, tf, levelBars)
      const { candles, delistedAt, end } = reading
      const { close } = candles.at(-1)!
      const currentTime = delistedAt === null ? yield* Clock.currentTimeMillis : end
      const pivotPoints = yield* readPivots(prices, coin, tf === "1d" ? "1w" : "1d", currentTime)
      const { atr: range, resistances: above, supports: below, swings } = findLevelRows(reading)
      const holes = countMissingCandles(candles, durationMs[tf])
      const notes = [...barNotes(coin, reading)]
      if (range === null) {
        notes.push(`Only ${formatCount(candles.length, "closed candle")}: too few for an ATR and for levels.`)
      }
      if (holes > 0) notes.push(`${formatCount(holes, "candle")} not recorded: swings next to a gap are omitted.`)
      const leftOutCount = Math.max(0, below.length - maxLevels) + Math.max(0, above.length - maxLevels)
      if (leftOutCount > 0) {
        notes.push(
          `${formatCount(leftOutCount, "farther level")} omitted: the nearest ${maxLevels} of each side are listed.`
        )
      }
      if (pivotPoints === null) notes.push("pivots is null: the previous period was not recorded completely.")
      return {
        coin,
        tf,
        close,
        supports: below.slice(0, maxLevels),
        resistances: above.slice(0, maxLevels),
        swing_high: swings.filter(({ kind }) => kind === "high").map(toSwingRow).at(-1) ?? null,
        swing_low: swings.filter(({ kind }) => kind === "low").map(toSwingRow).at(-1) ?? null,
        fibonacci: toFibonacciRow(swings),
        pivots: pivotPoints,
        atr: range,
        n: candles.length,
        notes,
        as_of: formatInstant(end),
        source: sourceText(reading)
      }
    })
  })
)
