/** Prices of markets against the won, every five minutes. */
import { dayMs, type Interval, priceLagMs } from "@tapeline/core/market"
import { type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { krwMarketKey } from "../../stored/documents.ts"
import type { SeriesCollector } from "../collector.ts"
import { presentOf } from "../toldUntil.ts"
import { type CollectedExchange, fineMs, lateMs, longestMs, pastPrices } from "./exchange.ts"
import { knownListings } from "./listings.ts"
import { type Abroad, abroadOf } from "./PricesAbroad.ts"
import { makeTolerating } from "./tolerating.ts"

const kind = pointsKinds.krwMarkets
type Row = PointRow<keyof typeof kind.columns>

/** The source of rows: the exchange, and the venue that quotes the coin abroad. */
const sourceOf = (
  exchange: string,
  abroad: Abroad<unknown> | null,
  coin: string,
  rows: ReadonlyArray<Row>
): string =>
  abroad === null || coin === "USDT" || rows.every(({ usdtPrice }) => usdtPrice === null)
    ? exchange
    : `${exchange}+${abroad.source}`

const coinOf = (subject: string): string => subject.slice(subject.indexOf(":") + 1)

/** An exchange, and how to proceed without prices abroad. */
interface Collected extends CollectedExchange {
  readonly tolerating: ReturnType<typeof makeTolerating>
}

const present = Effect.fnUntraced(function*(of: Collected, subjects: ReadonlyArray<string>, at: number) {
  const [answer, abroad] = yield* Effect.all(
    [of.source.tickers(subjects.map(coinOf)), of.tolerating(of.abroad.now, at)],
    { concurrency: 2 }
  )
  // A wrong clock, ours or the source's, must not move a price to another instant.
  if (Math.abs(presentOf(answer) - at) > lateMs) return []
  return answer.value.flatMap(({ coin, krwPrice, time, volume24hKrw }) => {
    if (time > at + lateMs) return []
    const stands = time > at - priceLagMs
    const usdtPrice = abroadOf(coin, krwPrice, abroad?.prices.get(coin))
    // A market without a recent trade is recorded as having no price.
    const rows = stands ? [{ time: at, krwPrice, usdtPrice, change24hPct: null, volume24hKrw }] : []
    return [{ subject: krwMarketKey(of.exchange, coin), source: sourceOf(of.exchange, abroad, coin, rows), rows }]
  })
})

const past = Effect.fnUntraced(function*(of: Collected, subject: string, interval: Interval) {
  const coin = coinOf(subject)
  const [{ prices, until }, abroad] = yield* Effect.all(
    [pastPrices(of.source, coin, interval), of.tolerating(of.abroad.past(coin, interval), interval.from)],
    { concurrency: 2 }
  )
  const rows = prices.map(({ price, time }): Row => ({
    time,
    krwPrice: price,
    usdtPrice: abroadOf(coin, price, abroad?.prices.get(time)),
    change24hPct: null,
    // The source has it only for the present.
    volume24hKrw: null
  }))
  return { source: sourceOf(of.exchange, abroad, coin, rows), rows, until }
})

const seriesOf = (of: Collected): SeriesCollector => ({
  _tag: "series",
  source: of.exchange,
  name: "krwMarkets",
  kind,
  everyMs: fineMs,
  offsetMs: 2_000,
  rowsAre: "instants",
  subjects: Effect.gen(function*() {
    const { value: markets } = yield* of.source.markets
    const listings = yield* knownListings(of)
    return markets.map(({ coin }) => ({
      subject: krwMarketKey(of.exchange, coin),
      from: listings.get(coin)?.listedAt ?? 0
    }))
  }),
  snapshot: { lateMs, ask: (subjects, at) => present(of, subjects, at) },
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: of.days * dayMs,
    longestMs,
    ask: (subject, interval) => past(of, subject, interval)
  }
})

/**
 * Collects the prices of an exchange's won markets, with the prices of the same coins abroad if a venue provides them.
 */
export const krwMarkets = (of: CollectedExchange): SeriesCollector => seriesOf({ ...of, tolerating: makeTolerating() })
