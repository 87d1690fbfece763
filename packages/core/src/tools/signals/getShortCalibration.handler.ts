import { Clock, Effect } from "effect"
import { readClosedBars } from "../../analysis/signals/closedBars.ts"
import { chooseSampling, computeCalibration, makeWindows } from "../../analysis/signals/directionCalibration.ts"
import { barNotes } from "../../analysis/staleness.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceText } from "../../market/provenance.ts"
import { minuteMs } from "../../market/timeframe.ts"
import { getShortCalibration } from "./getShortCalibration.ts"

const directionWords = { 1: "up", "-1": "down", 0: "none" } as const

export const handler = handlerOf(
  getShortCalibration,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, horizon_min }) {
      const now = yield* Clock.currentTimeMillis
      const { bars, measuredMin, tf } = chooseSampling(horizon_min)
      const length = measuredMin * minuteMs
      const reading = yield* readClosedBars(prices, coin, tf, bars)
      const windows = makeWindows(reading.candles, tf, measuredMin)
      const { flat, meanMovePct, meanReturnPct, signals, up } = computeCalibration(windows, measuredMin)
      const [first, last] = [windows[0], windows.at(-1)]
      const runningWindowStart = Math.floor(now / length) * length
      const isNext = last !== undefined && last.time + length === runningWindowStart
      const missing = first === undefined ? 0 : Math.round((last!.time - first.time) / length) + 1 - windows.length
      const notes: Array<string> = [...barNotes(coin, reading)]
      if (measuredMin !== horizon_min) {
        notes.push(`Measured over ${measuredMin} minutes, because candles have 5 minutes.`)
      }
      if (missing > 0) notes.push(`${formatCount(missing, "window")} omitted because of missing records.`)
      if (up.rate === null) notes.push("Rates and means are null: fewer than 20 windows.")
      else if (signals.some(({ rate }) => rate === null)) notes.push("A win_rate is null with fewer than 20 calls.")
      notes.push(
        `With ${signals.length} signals, one interval may exclude 0.5 by chance. Fees and spreads are not counted.`
      )
      return {
        coin,
        horizon_min,
        measured_min: measuredMin,
        tf,
        up_fraction: up.rate,
        n: up.n,
        wilson_low: up.low,
        wilson_high: up.high,
        flat,
        mean_return_pct: meanReturnPct,
        mean_move_pct: meanMovePct,
        signals: signals.map(({ high, low, n, name, next, rate, rule }) => ({
          name,
          rule,
          win_rate: rate,
          n,
          wilson_low: low,
          wilson_high: high,
          now: isNext ? directionWords[next] : null
        })),
        from: first === undefined ? null : formatInstant(first.time),
        to: last === undefined ? null : formatInstant(last.time + length),
        notes,
        as_of: formatInstant(reading.end),
        source: sourceText(reading)
      }
    })
  })
)
