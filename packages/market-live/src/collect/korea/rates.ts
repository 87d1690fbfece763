/** The rates of a dollar and of a USDT in won. */
import { dayMs, type FxPair, hourMs } from "@tapeline/core/market"
import { pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { firstServing, notRead } from "../../source/index.ts"
import type { EcbRates } from "../../sources/ecb/EcbRates.ts"
import type { Collector, SeriesCollector } from "../collector.ts"
import { mayBeUnread } from "../listed.ts"
import { presentOf } from "../toldUntil.ts"
import { type CollectedExchange, fineMs, lateMs, longestMs, pastPrices } from "./exchange.ts"

const kind = pointsKinds.fxRates
type Column = keyof typeof kind["columns"]

const usdt: FxPair = "usdt_krw"
const usd: FxPair = "usd_krw"

/** Both pairs are older than any collected data. */
const always = (pair: FxPair) => Effect.succeed([{ subject: pair, from: 0 }])

/** The price of USDT on an exchange at an instant. */
const usdtNow = ({ exchange, source }: CollectedExchange, at: number) =>
  Effect.flatMap(source.tickers(["USDT"]), (answer) => {
    const [quote] = answer.value
    if (quote === undefined && mayBeUnread({ unread: answer.leftOut ?? [] }, "USDT")) return notRead(exchange, "USDT")
    const told = Math.abs(presentOf(answer) - at) <= lateMs && quote !== undefined &&
      Math.abs(quote.time - at) <= lateMs
    return Effect.succeed(told ? [{ subject: usdt, source: exchange, rows: [{ time: at, rate: quote.krwPrice }] }] : [])
  })

/**
 * Collects the price of USDT in won from the first exchange, or from the other one while the first does not respond.
 */
export const usdtRates = (
  first: CollectedExchange,
  other: CollectedExchange,
  { days }: { readonly days: number }
): SeriesCollector<Column> => ({
  _tag: "series",
  source: first.exchange,
  name: usdt,
  kind,
  everyMs: fineMs,
  offsetMs: 1_000,
  rowsAre: "instants",
  subjects: always(usdt),
  snapshot: {
    lateMs,
    ask: (_, at) =>
      // The prices of the two exchanges differ by only a few tenths of a per cent.
      firstServing([usdtNow(first, at), usdtNow(other, at)], ["blocked", "not_configured", "unreachable", "malformed"])
  },
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: days * dayMs,
    longestMs,
    ask: (_, interval) => {
      const past = (of: CollectedExchange) =>
        Effect.map(pastPrices(of.source, "USDT", interval), ({ prices, until }) => ({
          source: of.exchange,
          rows: prices.map(({ price, time }) => ({ time, rate: price })),
          until
        }))
      return firstServing([past(first), past(other)])
    }
  }
})

/** Longer than any series of holidays. */
const quotedWithinMs = 7 * dayMs

/**
 * Collects the ECB's reference rate of each working day. A rate is published some hours after its own time, and the
 * rate before it holds until then. Each request therefore includes the days before the interval.
 */
export const ecbReferenceRates = (
  { usdKrw }: EcbRates["Service"],
  { days }: { readonly days: number }
): Collector => ({
  _tag: "series",
  source: "ecb",
  name: usd,
  kind,
  everyMs: hourMs,
  offsetMs: 60_000,
  rowsAre: "instants",
  subjects: always(usd),
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: days * dayMs,
    longestMs: 400 * dayMs,
    ask: (_, { from, to }) =>
      Effect.map(usdKrw({ from: from - quotedWithinMs, to }), (answer) => ({
        source: "ecb",
        rows: answer.value.map(({ quotedAt, rate }) => ({ time: quotedAt, rate })),
        until: Math.max(from, Math.min(to, (Math.floor(presentOf(answer) / hourMs) + 1) * hourMs))
      }))
  }
})
