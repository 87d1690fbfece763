import { dayMs, type FxPair, hourMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Collector, SeriesCollector } from "../collect/collector.ts"
import { mayBeUnreadable } from "../collect/marketLists.ts"
import type { EcbRates } from "../ecb/EcbRates.ts"
import { firstAvailable, sourceTimeOf, unreadableRow } from "../source/index.ts"
import {
  type CollectedExchange,
  fetchPastKrwPrices,
  fiveMinutesMs,
  maxDelayMs,
  maxIntervalMs
} from "./CollectedExchange.ts"

const kind = pointsKinds.fxRates
type Column = keyof typeof kind["columns"]

const usdt: FxPair = "usdt_krw"
const usd: FxPair = "usd_krw"

const alwaysListed = (pair: FxPair) => Effect.succeed([{ subject: pair, from: 0 }])

const fetchUsdtPrice = ({ exchange, source }: CollectedExchange, at: number) =>
  Effect.flatMap(source.tickers(["USDT"]), (answer) => {
    const [quote] = answer.value
    if (quote === undefined && mayBeUnreadable({ unreadable: answer.skippedRows ?? [] }, "USDT")) {
      return unreadableRow(exchange, "USDT")
    }
    const isTimely = Math.abs(sourceTimeOf(answer) - at) <= maxDelayMs && quote !== undefined &&
      Math.abs(quote.time - at) <= maxDelayMs
    return Effect.succeed(
      isTimely ? [{ subject: usdt, source: exchange, rows: [{ time: at, rate: quote.krwPrice }] }] : []
    )
  })

/**
 * Returns the collector of the USDT price in won. While the first exchange does not respond, the fallback exchange
 * provides the price.
 */
export const makeUsdtRatesCollector = (
  first: CollectedExchange,
  fallback: CollectedExchange,
  { backfillDays }: { readonly backfillDays: number }
): SeriesCollector<Column> => ({
  _tag: "series",
  source: first.exchange,
  name: usdt,
  kind,
  everyMs: fiveMinutesMs,
  offsetMs: 1_000,
  rowTimes: "instants",
  subjects: alwaysListed(usdt),
  snapshot: {
    maxDelayMs,
    fetch: (_, at) =>
      // The USDT prices of the two exchanges differ by only a few tenths of a percent.
      firstAvailable([fetchUsdtPrice(first, at), fetchUsdtPrice(fallback, at)], [
        "blocked",
        "not_configured",
        "unreachable",
        "malformed"
      ])
  },
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: backfillDays * dayMs,
    maxIntervalMs,
    fetch: (_, interval) => {
      const fetchPast = (venue: CollectedExchange) =>
        Effect.map(fetchPastKrwPrices(venue.source, "USDT", interval), ({ prices, until }) => ({
          source: venue.exchange,
          rows: prices.map(({ price, time }) => ({ time, rate: price })),
          until
        }))
      return firstAvailable([fetchPast(first), fetchPast(fallback)])
    }
  }
})

/** The maximum age of a valid rate, which is longer than any series of holidays. */
const maxQuoteAgeMs = 7 * dayMs

/**
 * Returns the collector of the ECB's reference rates. Each request includes earlier days, because a rate is valid until
 * the next rate.
 */
export const makeEcbRatesCollector = (
  { usdKrw }: EcbRates["Service"],
  { backfillDays }: { readonly backfillDays: number }
): Collector => ({
  _tag: "series",
  source: "ecb",
  name: usd,
  kind,
  everyMs: hourMs,
  offsetMs: 60_000,
  rowTimes: "instants",
  subjects: alwaysListed(usd),
  backfill: {
    sourceRetentionMs: Infinity,
    lookbackMs: backfillDays * dayMs,
    maxIntervalMs: 400 * dayMs,
    fetch: (_, { from, to }) =>
      Effect.map(usdKrw({ from: from - maxQuoteAgeMs, to }), (answer) => ({
        source: "ecb",
        rows: answer.value.map(({ quotedAt, rate }) => ({ time: quotedAt, rate })),
        until: Math.max(from, Math.min(to, (Math.floor(sourceTimeOf(answer) / hourMs) + 1) * hourMs))
      }))
  }
})
