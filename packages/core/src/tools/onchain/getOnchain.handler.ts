import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { type DexActivity, OnchainFlows } from "../../market/OnchainFlows.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { overlapsGap } from "../../market/series.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import { getOnchain } from "./getOnchain.ts"

const stepMs = 5 * minuteMs

/** Sums trades in whole dollars, so that totals match the rounded values. */
const sumDollars = (points: ReadonlyArray<DexActivity>) => ({
  buy_usd: Math.round(points.reduce((sum, { buyUsd }) => sum + buyUsd, 0)),
  sell_usd: Math.round(points.reduce((sum, { sellUsd }) => sum + sellUsd, 0))
})

export const handler = handlerOf(
  getOnchain,
  Effect.gen(function*() {
    const flows = yield* OnchainFlows
    return Effect.fnUntraced(function*({ coin }) {
      const until = Math.floor((yield* Clock.currentTimeMillis) / stepMs) * stepMs
      const [from, previousFrom] = [until - dayMs, until - 2 * dayMs]
      const reading = yield* flows.dexActivity({ coin, from: previousFrom, to: until, stepMs })
      const { coverage, gaps, points } = reading.value
      const pointsWithin = (start: number, end: number) => points.filter(({ time }) => time >= start && time < end)
      const by_hour = Array.from({ length: 24 }, (_, i) => from + i * hourMs)
        .map((start) => ({ time: formatInstant(start), hourPoints: pointsWithin(start, start + hourMs) }))
        .filter(({ hourPoints }) => hourPoints.length > 0)
        .map(({ hourPoints, time }) => ({ time, ...sumDollars(hourPoints) }))
      const buy_usd = by_hour.reduce((sum, hour) => sum + hour.buy_usd, 0)
      const sell_usd = by_hour.reduce((sum, hour) => sum + hour.sell_usd, 0)
      const volume = buy_usd + sell_usd
      const trades = pointsWithin(from, until).reduce((sum, one) => sum + one.trades, 0)
      const previousPoints = pointsWithin(previousFrom, from)
      const previousDay = sumDollars(previousPoints)
      const isComplete = previousPoints.length === dayMs / stepMs && !overlapsGap(gaps, previousFrom, until)
      const notes: Array<string> = []
      if (coverage === "largest_pools") {
        notes.push("Only the coin's largest pools are counted: sums are lower bounds.")
      }
      if (overlapsGap(gaps, from, until)) {
        notes.push("The 24 hours were not recorded completely: sums are lower bounds.")
      }
      if (!isComplete) notes.push("volume_change_pct is null: one of the two days was not recorded completely.")
      if (volume === 0) notes.push("Nothing was traded on tracked exchanges.")
      return {
        coin,
        until: formatInstant(until),
        dex_volume_24h_usd: volume,
        buy_usd,
        sell_usd,
        buy_share_pct: volume === 0 ? null : (100 * buy_usd) / volume,
        net_flow_usd: buy_usd - sell_usd,
        trades,
        mean_trade_usd: trades === 0 ? null : volume / trades,
        prior_24h: {
          dex_volume_usd: previousPoints.length === 0 ? null : previousDay.buy_usd + previousDay.sell_usd,
          net_flow_usd: previousPoints.length === 0 ? null : previousDay.buy_usd - previousDay.sell_usd
        },
        volume_change_pct: isComplete && previousDay.buy_usd + previousDay.sell_usd > 0
          ? 100 * (volume / (previousDay.buy_usd + previousDay.sell_usd) - 1)
          : null,
        by_hour,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)
