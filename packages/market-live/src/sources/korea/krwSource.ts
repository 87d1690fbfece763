import type { KrwExchange } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect, Schema } from "effect"
import { type Answer, answering, type JsonRequest, Name, presentOf, type Source } from "../../source/index.ts"
import { CandleRows, candlesOf, countOf, type KrwCandleLength, krwLengths, mostCandles } from "./candles.ts"
import { isNoMarket } from "./refusals.ts"
import type { KrwMarket, KrwQuote, KrwSource } from "./types.ts"

/** In what the interfaces of exchanges against the won differ, of which one was made after the other. */
export interface KrwDialect<M, T> {
  readonly exchange: KrwExchange
  readonly markets: Pick<JsonRequest<ReadonlyArray<M>>, "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<M>> }
  /** Undefined of a market against something else. */
  readonly marketOf: (row: M) => KrwMarket | undefined
  /** So many coins fit into one request of tickers. */
  readonly mostTickers: number
  readonly tickers: (
    coins: ReadonlyArray<string>
  ) => Pick<JsonRequest<ReadonlyArray<T>>, "path" | "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<T>> }
  /** Undefined of a market against something else, and of one in which nobody has traded yet. */
  readonly quoteOf: (row: T) => KrwQuote | undefined
  /** How it takes the instant that candles open before, given in whole seconds. */
  readonly boundary: (time: number) => string
}

/** What people call a coin; empty, or null, where nobody has named it. */
export const CoinName = Schema.NullOr(Schema.Union([Name, Schema.Literal("")]))

const quote = "KRW-"

/** The market of a coin against the won, as every exchange there calls it. */
export const marketOf = (coin: string): string => `${quote}${coin}`

/** Undefined of a market against something else. */
export const coinOf = (market: string): string | undefined =>
  market.startsWith(quote) && market.length > quote.length ? market.slice(quote.length) : undefined

const present = <A, B>(rows: ReadonlyArray<A>, f: (row: A) => B | undefined): ReadonlyArray<B> =>
  rows.flatMap((row) => {
    const told = f(row)
    return told === undefined ? [] : [told]
  })

/** Seconds are enough for what begins with a minute. */
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

    // As old as the oldest of the answers that it stands on.
    tickers: Effect.fnUntraced(function*(coins) {
      const wanted = new Set(coins)
      const asked: Answer<null> = { value: null, receivedAt: yield* Clock.currentTimeMillis, date: null }
      const answers = yield* Effect.forEach(
        // Pages of the same size: on a page of one row, an odd row would fail the whole request.
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
