/**
 * Fetches Deribit's options on BTC, ETH and SOL, dated futures, and volatility index. One USDC counts as one dollar.
 *
 * Options priced in the coin are converted to dollars with the forward price of the expiry, as in Deribit's own
 * valuation. The price of a trade is converted with the index price at the trade's time.
 */
import type { DatedFuture, Interval, IvPoint, OptionChain, OptionTrade, SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { makeSource, type RetryPolicy, type Source, SourceHealth, type SourceResponse } from "../source/index.ts"
import { type DeribitBook, deribitBook, deribitCoins } from "./instruments.ts"
import { readDeribitRejection } from "./rpc.ts"
import { FutureSummaries, OptionSummaries, toChain, toDatedFutures } from "./summaries.ts"
import { makeTradesReader } from "./trades.ts"
import { makeVolatilityIndexReader } from "./volatilityIndex.ts"

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>
type Trades = (
  query: {
    readonly book: DeribitBook
    readonly limit: number
  } & Interval
) => Read<ReadonlyArray<OptionTrade>>

/** Deribit's current options, futures and recent option trades. */
export class Deribit extends Context.Service<Deribit, {
  /** Fetches all current options of a coin in one response, or null if no option is listed. */
  readonly chain: (book: DeribitBook) => Read<OptionChain | null>
  /** Fetches the dated futures, nearest expiry first. */
  readonly futures: (book: DeribitBook) => Read<ReadonlyArray<DatedFuture>>
  /** Fetches the newest `limit` option trades of the interval, oldest first, from the last day. */
  readonly trades: Trades
  /** Fetches the volatility index at each full hour, for the coins in `coinsWithVolatilityIndex`. */
  readonly volatilityIndex: (query: { readonly coin: string } & Interval) => Read<ReadonlyArray<IvPoint>>
}>()("@tapeline/market-live/Deribit") {}

/** Deribit's archive of option trades, in which new trades appear with a delay. */
export class DeribitHistory extends Context.Service<DeribitHistory, {
  readonly trades: Trades
}>()("@tapeline/market-live/DeribitHistory") {}

/** The coins that have a Deribit volatility index. */
export const coinsWithVolatilityIndex: ReadonlyArray<string> = ["BTC", "ETH"]

/** The maturity of Deribit's volatility index, in days. */
export const volatilityIndexDays = 30

export interface DeribitOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
}

/** The cache time of an option chain, so that concurrent tools use the same chain. */
const chainCacheMs = 2_000

const makeService = (source: Source): Deribit["Service"] => {
  const summaries = (currency: string, kind: "future" | "option") => ({
    label: `${kind}s`,
    path: "/api/v2/public/get_book_summary_by_currency",
    query: { currency, kind },
    maxBytes: 32 * 1024 * 1024
  })
  const options = new Map(deribitCoins.map((coin) => {
    const book = deribitBook(coin)!
    return [coin, { option: OptionSummaries(book), future: FutureSummaries(book) }]
  }))
  return {
    chain: (book) =>
      Effect.map(
        source.json({
          ...summaries(book.currency, "option"),
          schema: options.get(book.coin)!.option,
          cacheMs: chainCacheMs
        }),
        (answer) => ({ ...answer, value: toChain(book, answer.value.result, answer.receivedAt) })
      ),
    futures: (book) =>
      Effect.map(
        source.json({ ...summaries(book.currency, "future"), schema: options.get(book.coin)!.future }),
        (answer) => ({ ...answer, value: toDatedFutures(answer.value.result, answer.receivedAt) })
      ),
    trades: makeTradesReader(source, 1_000),
    volatilityIndex: makeVolatilityIndexReader(source)
  }
}

/** Deribit allows 20 requests a second, of which half is left to other users of the IP address. */
const limits = [{ weight: 10, windowMs: 1_000 }]

export const layerDeribit = (
  { baseUrl = "https://www.deribit.com", retryPolicy = {} }: DeribitOptions = {}
): Layer.Layer<Deribit, never, SourceHealth> =>
  Layer.effect(
    Deribit,
    Effect.map(
      makeSource({ name: "deribit", baseUrl, limits, readBodyRejection: readDeribitRejection, retryPolicy }),
      makeService
    )
  )

export const layerDeribitHistory = (
  { baseUrl = "https://history.deribit.com", retryPolicy = {} }: DeribitOptions = {}
): Layer.Layer<DeribitHistory, never, SourceHealth> =>
  Layer.effect(
    DeribitHistory,
    Effect.map(
      makeSource({
        name: "deribit",
        part: "history",
        baseUrl,
        limits,
        readBodyRejection: readDeribitRejection,
        retryPolicy
      }),
      (source) => ({ trades: makeTradesReader(source, 10_000) })
    )
  )
