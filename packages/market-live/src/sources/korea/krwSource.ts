import type { KrwExchange } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect, Schema } from "effect"
import { type Answer, answering, type JsonRequest, Name, presentOf, type Source } from "../../source/index.ts"
import { CandleRows, candlesOf, countOf, type KrwCandleLength, krwLengths, mostCandles } from "./candles.ts"
import { isNoMarket } from "./refusals.ts"
import type { KrwMarket, KrwQuote, KrwSource } from "./types.ts"

/** The differences between the APIs of Upbit and Bithumb, of which one imitates the other. */
export interface KrwDialect<M, T> {
  readonly exchange: KrwExchange
  readonly markets: Pick<JsonRequest<ReadonlyArray<M>>, "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<M>> }
  /** Converts a row; undefined for a market that is not against the won. */
  readonly marketOf: (row: M) => KrwMarket | undefined
  /** The maximum number of coins in one request of tickers. */
  readonly mostTickers: number
  readonly tickers: (
    coins: ReadonlyArray<string>
  ) => Pick<JsonRequest<ReadonlyArray<T>>, "path" | "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<T>> }
  /** Converts a row; undefined for a market that is not against the won, or that has no trade yet. */
  readonly quoteOf: (row: T) => KrwQuote | undefined
  /** Formats the time before which candles must open, given in whole seconds. */
  readonly boundary: (time: number) => string
}

/** The name of a coin; empty or null without one. */
export const CoinName = Schema.NullOr(Schema.Union([Name, Schema.Literal("")]))

const quote = "KRW-"

/** The symbol of a coin's market against the won, on every Korean exchange. */
export const marketOf = (coin: string): string => `${quote}${coin}`

/** The coin of a market; undefined if the market is not against the won. */
export const coinOf = (market: string): string | undefined =>
  market.startsWith(quote) && market.length > quote.length ? market.slice(quote.length) : undefined

const present = <A, B>(rows: ReadonlyArray<A>, f: (row: A) => B | undefined): ReadonlyArray<B> =>
  rows.flatMap((row) => {
    const told = f(row)
    return told === undefined ? [] : [told]
  })

/** Rounds up to seconds, which is exact enough for candles of minutes. */
const wholeSecond = (time: number): number => Math.ceil(time / 1_000) * 1_000

export const krwSource = <M, T>(source: Source, dialect: KrwDialect<M, T>): KrwSource => {
  const rows = (
    { before, coin, count, length }: {
      readonly coin: string
      readonly length: KrwCandleLength
      readonly before?: number
      readonly count: number
    }
  ) =>
    source.find({
      what: "candles",
      path: `/v1/candles/${krwLengths[length].path}`,
      query: {
        market: marketOf(coin),
        to: before === undefined ? undefined : dialect.boundary(wholeSecond(before)),
        count
      },
      costs: { candle: 1 },
      schema: CandleRows[length],
      absent: isNoMarket
    })

  return {
    markets: Effect.map(
      source.json({
        what: "markets",
        path: "/v1/market/all",
        ...dialect.markets,
        costs: { market: 1 },
        cacheMs: 30_000
      }),
      (answer) => answering(answer, present(answer.value, dialect.marketOf))
    ),

    // The time of the result is that of the oldest response.
    tickers: Effect.fnUntraced(function*(coins) {
      const wanted = new Set(coins)
      const asked: Answer<null> = { value: null, receivedAt: yield* Clock.currentTimeMillis, date: null }
      const answers = yield* Effect.forEach(
        // Pages of equal size: on a page of one row, an odd row would fail the whole request.
        Arr.chunksOf(coins, Math.ceil(coins.length / Math.max(1, Math.ceil(coins.length / dialect.mostTickers)))),
        (page) => source.json({ what: "tickers", ...dialect.tickers(page), costs: { ticker: 1 } })
      )
      const rows = answers.flatMap(({ value }) => value)
      return {
        ...(answers[0] ?? asked),
        value: present(rows, dialect.quoteOf).filter(({ coin }) => wanted.has(coin)),
        leftOut: answers.flatMap(({ leftOut = [] }) => leftOut)
      }
    }),

    candles: ({ coin, ...query }) =>
      Effect.map(
        rows({ coin, length: query.length, before: query.to, count: countOf(query) }),
        (answer) => answering(answer, answer.value === null ? null : candlesOf(answer.value, query, presentOf(answer)))
      ),

    oldest: (query) =>
      Effect.map(
        rows({ ...query, count: mostCandles }),
        (answer) => answering(answer, answer.value?.at(-1)?.candle_date_time_utc ?? null)
      )
  }
}
