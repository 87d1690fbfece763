import { minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { SeriesCollector } from "../collect/collector.ts"
import { totalMarketSubject } from "../stored/coinPrices.ts"
import { type CoinFactsOptions, fetchFirstAvailable, marketCapSource } from "./coinFacts.ts"

/** The interval between requests for the market capitalisation. The coin lists allow only a few requests per hour. */
const everyMs = 15 * minuteMs

/**
 * The maximum difference between the time of a reported market capitalisation and the time under which it is stored.
 */
const maxTimeDifferenceMs = everyMs

/** Collects the market capitalisation of all coins, including coins that are not tracked. */
export const makeTotalMarketCapCollector = (
  { coinLists }: Pick<CoinFactsOptions, "coinLists">
): SeriesCollector<keyof typeof pointsKinds.marketCaps.columns> => ({
  _tag: "series",
  source: marketCapSource,
  name: "marketCaps",
  kind: pointsKinds.marketCaps,
  everyMs,
  offsetMs: 10_000,
  rowTimes: "instants",
  subjects: Effect.succeed([{ subject: totalMarketSubject, from: 0 }]),
  snapshot: {
    // The long maximum delay allows a new leader to send its first request immediately, without waiting for the next
    // scheduled time.
    maxDelayMs: everyMs - minuteMs,
    fetch: (_, at) =>
      Effect.map(
        fetchFirstAvailable(coinLists, ({ total }) => total),
        ({ source, value: { marketCapUsd, time, volume24hUsd } }) => {
          const isTimely = Math.abs(time - at) <= maxTimeDifferenceMs
          const rows = isTimely ? [{ time: at, marketCapUsd, circulatingSupply: null, volume24hUsd }] : []
          return rows.length === 0 ? [] : [{ subject: totalMarketSubject, source, rows }]
        }
      )
  }
})
