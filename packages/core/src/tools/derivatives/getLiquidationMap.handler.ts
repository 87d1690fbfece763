import { Clock, Effect } from "effect"
import {
  coveragePct,
  entriesMs,
  entriesOf,
  type Level,
  levelsOf,
  leverageWeights,
  modelText,
  standingOf,
  usdWithin
} from "../../analysis/derivatives/liquidationMap.ts"
import { orEmpty } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getLiquidationMap } from "./getLiquidationMap.ts"

const withinPct = [1, 2, 5, 10] as const
const shown = 80
const hoursAsked = entriesMs / hourMs

/** Returns the largest levels, in their original order. */
const largest = (levels: ReadonlyArray<Level>): ReadonlyArray<Level> => {
  const kept = new Set(levels.toSorted((a, b) => b.usd - a.usd).slice(0, shown))
  return levels.filter((level) => kept.has(level))
}

/**
 * Returns the five-minute candles and the minute prices of the running hour. An hour has no candle while a part is
 * missing, and its newest part arrives minutes late.
 */
const runningHour = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string, from: number, now: number) {
    const candles = yield* orEmpty(prices.candleRange({ coin, timeframe: "5m", from, to: now + 1 }))
    const minutes = yield* prices.minutes({ coins: [coin], after: from, until: now })
    return { candles: candles.value, prices: (minutes.value.get(coin)?.points ?? []).map(({ price }) => price) }
  }
)

export const handler = handlerOf(
  getLiquidationMap,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derivatives = yield* CoinDerivatives
    return Effect.fnUntraced(function*({ coin }) {
      const now = yield* Clock.currentTimeMillis
      const last = Math.floor(now / hourMs) * hourMs
      const from = last - entriesMs
      const positions = yield* derivatives.perpetualHistory({ coin, from, to: last + 1, stepMs: hourMs })
      const priced = yield* prices.priceAt({ coin, time: now })
      const candles = yield* orEmpty(prices.candleRange({ coin, timeframe: "1h", from, to: now + 1 }))
      const { price } = priced.value
      const hour = yield* runningHour(prices, coin, last, now)
      const { entries, known } = entriesOf(positions.value.points, candles.value)
      if (known === 0) {
        return yield* new NoData({
          subject: `${coin} open interest by the hour`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const newest = positions.value.points.findLast(({ openInterest }) => openInterest !== null)
      const standing = standingOf(entries, [...candles.value, ...hour.candles], [price, ...hour.prices])
      const levels = levelsOf(standing, price)
      const row = ({ leverage, price: at, side, usd }: Level) => ({
        price: at,
        distance_pct: 100 * (at / price - 1),
        side,
        leverage,
        est_usd: usd
      })
      const above = levels.find(({ side }) => side === "short")
      const below = levels.findLast(({ side }) => side === "long")
      const notes: Array<string> = []
      if (known < hoursAsked) {
        notes.push(
          `${hoursAsked - known} of ${hoursAsked} hours are not known: what was opened or cleared in them is not here.`
        )
      }
      if (levels.length > shown) {
        notes.push(`The ${shown} largest of ${levels.length} levels are listed; sums count all.`)
      }
      if (levels.length === 0) notes.push("No level stands: open interest did not rise, or what it built was crossed.")
      else if (above === undefined) notes.push("nearest_above is null: no short stands.")
      else if (below === undefined) notes.push("nearest_below is null: no long stands.")
      return {
        coin,
        modelled: true as const,
        model: modelText,
        weights: leverageWeights,
        price,
        open_interest_usd: newest?.openInterestUsd ?? null,
        oi_coverage_pct: newest?.openInterest == null ? null : coveragePct(standing, newest.openInterest),
        entry_hours: entries.length,
        known_hours: known,
        levels: largest(levels).map(row),
        level_count: levels.length,
        cumulative_usd: withinPct.map((pct) => ({
          within_pct: pct,
          below: usdWithin(standing, price, pct, "long"),
          above: usdWithin(standing, price, pct, "short")
        })),
        nearest_above: above === undefined ? null : row(above),
        nearest_below: below === undefined ? null : row(below),
        from: instant(from),
        notes,
        ...provenanceOf(priced),
        source: sourceOf(priced, positions, candles)
      }
    })
  })
)
