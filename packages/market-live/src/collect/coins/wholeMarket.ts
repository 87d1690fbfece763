import { minuteMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { wholeMarket } from "../../stored/coinPrices.ts"
import type { SeriesCollector } from "../collector.ts"
import { capsSource, type CollectedFacts, firstOf } from "./facts.ts"

/** Lists count it every few minutes, and take no more questions than some in an hour. */
const everyMs = 15 * minuteMs

/** What was counted longer ago, or is of another time altogether, is not of the instant. */
const countedWithinMs = everyMs

/** The capitalisation of the whole market, coins that are not tracked included. */
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
    // Asked at the start, and not first at the next instant.
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
