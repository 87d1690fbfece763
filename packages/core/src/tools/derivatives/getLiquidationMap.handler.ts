import { Clock, Effect } from "effect"
import {
  entryPeriodMs,
  estimateEntries,
  findOpenPositions,
  getCoveragePct,
  leverageWeights,
  type LiquidationLevel,
  mergeIntoLevels,
  modelDescription,
  sumUsdWithin
} from "../../analysis/derivatives/liquidationMap.ts"
import { orEmptyList } from "../../analysis/signals/readings.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getLiquidationMap } from "./getLiquidationMap.ts"

const withinPct = [1, 2, 5, 10] as const
const maxShownLevels = 80
const requestedHours = entryPeriodMs / hourMs

/** Returns the largest liquidation levels in their original order. */
const selectLargest = (levels: ReadonlyArray<LiquidationLevel>): ReadonlyArray<LiquidationLevel> => {
  const largestLevels = new Set(levels.toSorted((a, b) => b.usd - a.usd).slice(0, maxShownLevels))
  return levels.filter((level) => largestLevels.has(level))
}

/** Returns the five-minute candles and the minute prices of the running hour. The running hour has no 1h candle yet. */
const readRunningHour = Effect.fnUntraced(
  function*(prices: CoinPrices["Service"], coin: string, from: number, now: number) {
    const candles = yield* orEmptyList(prices.candleRange({ coin, timeframe: "5m", from, to: now + 1 }))
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
      const from = last - entryPeriodMs
      const positions = yield* derivatives.perpetualHistory({ coin, from, to: last + 1, stepMs: hourMs })
      const priced = yield* prices.priceAt({ coin, time: now })
      const candles = yield* orEmptyList(prices.candleRange({ coin, timeframe: "1h", from, to: now + 1 }))
      const { price } = priced.value
      const hour = yield* readRunningHour(prices, coin, last, now)
      const { entries, knownHours } = estimateEntries(positions.value.points, candles.value)
      if (knownHours === 0) {
        return yield* new NoData({
          subject: `${coin} open interest by the hour`,
          reason: { key: "none_recorded", params: { symbol: coin } }
        })
      }
      const newest = positions.value.points.findLast(({ openInterest }) => openInterest !== null)
      const openEntries = findOpenPositions(entries, [...candles.value, ...hour.candles], [price, ...hour.prices])
      const levels = mergeIntoLevels(openEntries, price)
      const toRow = ({ leverage, price: at, side, usd }: LiquidationLevel) => ({
        price: at,
        distance_pct: 100 * (at / price - 1),
        side,
        leverage,
        est_usd: usd
      })
      const nearestShort = levels.find(({ side }) => side === "short")
      const nearestLong = levels.findLast(({ side }) => side === "long")
      const notes: Array<string> = []
      if (knownHours < requestedHours) {
        notes.push(
          `${
            requestedHours - knownHours
          } of ${requestedHours} hours are unknown: positions that were opened or closed in ` +
            "them are missing."
        )
      }
      if (levels.length > maxShownLevels) {
        notes.push(`The ${maxShownLevels} largest of ${levels.length} levels are listed; sums count all.`)
      }
      if (levels.length === 0) {
        notes.push("There are no levels: open interest did not rise, or prices have crossed all levels.")
      } else if (nearestShort === undefined) notes.push("nearest_above is null: there is no level of shorts.")
      else if (nearestLong === undefined) notes.push("nearest_below is null: there is no level of longs.")
      return {
        coin,
        modelled: true as const,
        model: modelDescription,
        weights: leverageWeights,
        price,
        open_interest_usd: newest?.openInterestUsd ?? null,
        oi_coverage_pct: newest?.openInterest == null ? null : getCoveragePct(openEntries, newest.openInterest),
        entry_hours: entries.length,
        known_hours: knownHours,
        levels: selectLargest(levels).map(toRow),
        level_count: levels.length,
        cumulative_usd: withinPct.map((pct) => ({
          within_pct: pct,
          below: sumUsdWithin(openEntries, price, pct, "long"),
          above: sumUsdWithin(openEntries, price, pct, "short")
        })),
        nearest_above: nearestShort === undefined ? null : toRow(nearestShort),
        nearest_below: nearestLong === undefined ? null : toRow(nearestLong),
        from: formatInstant(from),
        notes,
        ...provenanceOf(priced),
        source: sourceText(priced, positions, candles)
      }
    })
  })
)
