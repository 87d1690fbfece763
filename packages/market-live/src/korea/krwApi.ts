import type { KrwExchange } from "@tapeline/core/market"
import { Array as Arr, Clock, Effect, Schema } from "effect"
import { type JsonRequest, Name, type Source, type SourceResponse, sourceTimeOf, withValue } from "../source/index.ts"
import { candleCount, CandleRows, type KrwCandleLength, krwLengths, maxCandles, toKrwCandles } from "./candles.ts"
import type { KrwMarket, KrwQuote, KrwSource } from "./KrwSource.ts"
import { isNoMarket } from "./rejections.ts"

/** The differences between the APIs of Upbit and Bithumb, which imitates Upbit's API. */
export interface KrwApi<M, T> {
  readonly exchange: KrwExchange
  readonly markets: Pick<JsonRequest<ReadonlyArray<M>>, "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<M>> }
  /** Converts a row to a won market, or returns undefined for a market in another currency. */
  readonly toMarket: (row: M) => KrwMarket | undefined
  readonly maxTickers: number
  readonly tickers: (
    coins: ReadonlyArray<string>
  ) => Pick<JsonRequest<ReadonlyArray<T>>, "path" | "query"> & { readonly schema: Schema.Decoder<ReadonlyArray<T>> }
  /**
   * Converts a row to a quote, or returns undefined for a market in another currency and for a market without a trade.
   */
  readonly toQuote: (row: T) => KrwQuote | undefined
  /** Formats the time, in whole seconds, before which requested candles must open. */
  readonly formatBoundary: (time: number) => string
}

export const CoinName = Schema.NullOr(Schema.Union([Name, Schema.Literal("")]))

const quote = "KRW-"

/** Returns the symbol of a coin's won market, which is equal on every Korean exchange. */
export const marketOf = (coin: string): string => `${quote}${coin}`

/** Returns the coin of a won market, or undefined for a market in another currency. */
export const coinOf = (market: string): string | undefined =>
  market.startsWith(quote) && market.length > quote.length ? market.slice(quote.length) : undefined

const mapDefined = <A, B>(rows: ReadonlyArray<A>, f: (row: A) => B | undefined): ReadonlyArray<B> =>
  rows.flatMap((row) => {
    const mapped = f(row)
    return mapped === undefined ? [] : [mapped]
  })

/** Rounds a time up to a whole second, which is exact enough for candles of minutes. */
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

    // The combined response has the time of the first response, which is the oldest time.
    tickers: Effect.fnUntraced(function*(coins) {
      const wanted = new Set(coins)
      const emptyResponse: SourceResponse<null> = {
        value: null,
        receivedAt: yield* Clock.currentTimeMillis,
        date: null
      }
      const answers = yield* Effect.forEach(
        // Pages have equal sizes, because an unreadable row on a page with only one row would fail the whole request.
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
