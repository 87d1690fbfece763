import type { KrwExchange } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect, Schema } from "effect"
import { type JsonRequest, Name, type Source, type SourceResponse, sourceTimeOf, withValue } from "../source/index.ts"
import { candleCount, CandleRows, type KrwCandleLength, krwLengths, maxCandles, toKrwCandles } from "./candles.ts"
import type { KrwMarket, KrwQuote, KrwSource } from "./KrwSource.ts"
import { isNoMarket } from "./rejections.ts"

/** The differences between the APIs of Upbit and Bithumb, of which one imitates the other. */
export interface KrwApi<M, T> {
  readonly exchange: KrwExchange
  readonly markets: Pick<JsonRequest<ReadonlyArray<M>>, "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<M>> }
  /** Converts a row; undefined for a market that is not against the won. */
  readonly toMarket: (row: M) => KrwMarket | undefined
  /** The maximum number of coins in one request of tickers. */
  readonly maxTickers: number
  readonly tickers: (
    coins: ReadonlyArray<string>
  ) => Pick<JsonRequest<ReadonlyArray<T>>, "path" | "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<T>> }
  /** Converts a row; undefined for a market that is not against the won, or that has no trade yet. */
  readonly toQuote: (row: T) => KrwQuote | undefined
  /** Formats the time before which candles must open, given in whole seconds. */
  readonly formatBoundary: (time: number) => string
}

/** The name of a coin; empty or null without one. */
export const CoinName = Schema.NullOr(Schema.Union([Name, Schema.Literal("")]))

const quote = "KRW-"

/** The symbol of a coin's market against the won, on every Korean exchange. */
export const marketOf = (coin: string): string => `${quote}${coin}`

/** The coin of a market; undefined if the market is not against the won. */
export const coinOf = (market: string): string | undefined =>
  market.startsWith(quote) && market.length > quote.length ? market.slice(quote.length) : undefined

const mapDefined = <A, B>(rows: ReadonlyArray<A>, f: (row: A) => B | undefined): ReadonlyArray<B> =>
  rows.flatMap((row) => {
    const mapped = f(row)
    return mapped === undefined ? [] : [mapped]
  })

/** Rounds up to seconds, which is exact enough for candles of minutes. */
const ceilToSecond = (time: number): number => Math.ceil(time / 1_000) * 1_000

export const makeKrwSource = <M, T>(source: Source, api: KrwApi<M, T>): KrwSource => {
  const fetchCandleRows = (
    { before, coin, count, length }: {
      readonly coin: string
      readonly length: KrwCandleLength
      readonly before?: number
      readonly count: number
    }
  ) =>
    source.find({
      label: "candles",
      path: `/v1/candles/${krwLengths[length].path}`,
      query: {
        market: marketOf(coin),
        to: before === undefined ? undefined : api.formatBoundary(ceilToSecond(before)),
        count
      },
      costs: { candle: 1 },
      schema: CandleRows[length],
      isAbsent: isNoMarket
    })

  return {
    markets: Effect.map(
      source.json({
        label: "markets",
        path: "/v1/market/all",
        ...api.markets,
        costs: { market: 1 },
        cacheMs: 30_000
      }),
      (answer) => withValue(answer, mapDefined(answer.value, api.toMarket))
    ),

    // The time of the result is that of the oldest response.
    tickers: Effect.fnUntraced(function*(coins) {
      const wanted = new Set(coins)
      const emptyResponse: SourceResponse<null> = {
        value: null,
        receivedAt: yield* Clock.currentTimeMillis,
        date: null
      }
      const answers = yield* Effect.forEach(
        // Pages of equal size: on a page of one row, an odd row would fail the whole request.
        Arr.chunksOf(coins, Math.ceil(coins.length / Math.max(1, Math.ceil(coins.length / api.maxTickers)))),
        (page) => source.json({ label: "tickers", ...api.tickers(page), costs: { ticker: 1 } })
      )
      const rows = answers.flatMap(({ value }) => value)
      return {
        ...(answers[0] ?? emptyResponse),
        value: mapDefined(rows, api.toQuote).filter(({ coin }) => wanted.has(coin)),
        skippedRows: answers.flatMap(({ skippedRows = [] }) => skippedRows)
      }
    }),

    candles: ({ coin, ...query }) =>
      Effect.map(
        fetchCandleRows({ coin, length: query.length, before: query.to, count: candleCount(query) }),
        (answer) =>
          withValue(answer, answer.value === null ? null : toKrwCandles(answer.value, query, sourceTimeOf(answer)))
      ),

    oldestCandleAt: (query) =>
      Effect.map(
        fetchCandleRows({ ...query, count: maxCandles }),
        (answer) => withValue(answer, answer.value?.at(-1)?.candle_date_time_utc ?? null)
      )
  }
}
