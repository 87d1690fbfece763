import { minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { wholeMarket } from "../../stored/coinPrices.ts"
import type { SeriesCollector } from "../collector.ts"
import { capsSource, type CollectedFacts, firstOf } from "./facts.ts"

/** The coin lists update every few minutes and allow few requests per hour. */
const everyMs = 15 * minuteMs

/** A value that differs from the instant by more than this does not belong to it. */
const countedWithinMs = everyMs

/** Collects the capitalisation of the whole market, including coins that are not tracked. */
export const wholeMarketSeries = (
  { lists }: Pick<CollectedFacts, "lists">
): SeriesCollector<keyof typeof pointsKinds.marketCaps.columns> => ({
  _tag: "series",
  source: capsSource,
  name: "marketCaps",
  kind: pointsKinds.marketCaps,
  everyMs,
  offsetMs: 10_000,
  rowsAre: "instants",
  subjects: Effect.succeed([{ subject: wholeMarket, from: 0 }]),
  snapshot: {
    // A long delay allows a request at the start, instead of only at the next instant.
    lateMs: everyMs - minuteMs,
    ask: (_, at) =>
      Effect.map(
        firstOf(lists, ({ total }) => total),
        ({ source, value: { marketCapUsd, time, volume24hUsd } }) => {
          const told = Math.abs(time - at) <= countedWithinMs
          const rows = told ? [{ time: at, marketCapUsd, circulatingSupply: null, volume24hUsd }] : []
          return rows.length === 0 ? [] : [{ subject: wholeMarket, source, rows }]
        }
      )
  }
})
