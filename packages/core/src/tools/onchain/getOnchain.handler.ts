import { Clock, Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { type DexActivity, OnchainFlows } from "../../market/OnchainFlows.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { touchesGap } from "../../market/series.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import { getOnchain } from "./getOnchain.ts"

const stepMs = 5 * minuteMs

/** Sums in whole dollars, so that totals match the rounded values. */
const dollars = (points: ReadonlyArray<DexActivity>) => ({
  buy_usd: Math.round(points.reduce((sum, { buyUsd }) => sum + buyUsd, 0)),
  sell_usd: Math.round(points.reduce((sum, { sellUsd }) => sum + sellUsd, 0))
})

export const handler = handlerOf(
  getOnchain,
  Effect.gen(function*() {
    const flows = yield* OnchainFlows
    return Effect.fnUntraced(function*({ coin }) {
      const until = Math.floor((yield* Clock.currentTimeMillis) / stepMs) * stepMs
      const [from, before] = [until - dayMs, until - 2 * dayMs]
      const read = yield* flows.dexActivity({ coin, from: before, to: until, stepMs })
      const { coverage, gaps, points } = read.value
      const within = (start: number, end: number) => points.filter(({ time }) => time >= start && time < end)
      const by_hour = Array.from({ length: 24 }, (_, i) => from + i * hourMs)
        .map((start) => ({ time: instant(start), own: within(start, start + hourMs) }))
        .filter(({ own }) => own.length > 0)
        .map(({ own, time }) => ({ time, ...dollars(own) }))
      const buy_usd = by_hour.reduce((sum, hour) => sum + hour.buy_usd, 0)
      const sell_usd = by_hour.reduce((sum, hour) => sum + hour.sell_usd, 0)
      const volume = buy_usd + sell_usd
      const trades = within(from, until).reduce((sum, one) => sum + one.trades, 0)
      const earlier = within(before, from)
      const prior = dollars(earlier)
      const whole = earlier.length === dayMs / stepMs && !touchesGap(gaps, before, until)
      const notes: Array<string> = []
      if (coverage === "largest_pools") {
        notes.push("Counted over the coin's largest pools alone: sums are lower bounds.")
      }
      if (touchesGap(gaps, from, until)) notes.push("Not all of the 24 hours was recorded: sums are lower bounds.")
      if (!whole) notes.push("volume_change_pct is null: one of the two days was not recorded whole.")
      if (volume === 0) notes.push("Nothing was traded on tracked exchanges.")
      return {
        coin,
        until: instant(until),
        dex_volume_24h_usd: volume,
        buy_usd,
        sell_usd,
        buy_share_pct: volume === 0 ? null : (100 * buy_usd) / volume,
        net_flow_usd: buy_usd - sell_usd,
        trades,
        mean_trade_usd: trades === 0 ? null : volume / trades,
        prior_24h: {
          dex_volume_usd: earlier.length === 0 ? null : prior.buy_usd + prior.sell_usd,
          net_flow_usd: earlier.length === 0 ? null : prior.buy_usd - prior.sell_usd
        },
        volume_change_pct: whole && prior.buy_usd + prior.sell_usd > 0
          ? 100 * (volume / (prior.buy_usd + prior.sell_usd) - 1)
          : null,
        by_hour,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
