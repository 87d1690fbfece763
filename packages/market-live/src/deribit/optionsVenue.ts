import {
  CoinPrices,
  hourMs,
  makeReading,
  type MarketError,
  NoData,
  type OptionChain,
  OptionsVenue,
  type OptionTrade
} from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { Deribit, DeribitHistory } from "./Deribit.ts"
import { type DeribitBook, deribitBook, deribitCoins } from "./instruments.ts"

const source = "deribit"

const defaultLimit = 1_000

/** The minimum age of trades that are requested from the archive. Deribit's main API keeps trades for 24 hours. */
const archiveAgeMs = 23 * hourMs

const noOptions = (coin: string, listed: ReadonlyArray<string>) =>
  new NoData({
    subject: `${coin} options`,
    reason: { key: "none_with_options", params: { coin, listed: listed.join(", ") } }
  })

const selectExpiry = (chain: OptionChain, expiryAt: number | undefined): Effect.Effect<OptionChain, NoData> => {
  if (expiryAt === undefined) return Effect.succeed(chain)
  const expiries = chain.expiries.filter((expiry) => expiry.expiryAt === expiryAt)
  if (expiries.length > 0) return Effect.succeed({ ...chain, expiries })
  const { underlying: symbol } = chain
  return Effect.fail(
    new NoData({ subject: `${symbol} options`, reason: { key: "none_at_expiry", params: { symbol } } })
  )
}

const make = Effect.gen(function*() {
  const deribit = yield* Deribit
  const archive = yield* DeribitHistory
  const prices = yield* CoinPrices

  /**
   * Returns the coin's instruments. Fails with `NoData` for a coin without options, or with the error of `CoinPrices`
   * if `CoinPrices` rejects the coin.
   */
  const find = (coin: string): Effect.Effect<DeribitBook, MarketError> => {
    const book = deribitBook(coin)
    return book === undefined
      ? Effect.andThen(prices.coin(coin), Effect.fail(noOptions(coin, deribitCoins)))
      : Effect.succeed(book)
  }

  const fetchTrades = Effect.fnUntraced(function*(book: DeribitBook, from: number, to: number, limit: number) {
    const boundary = Math.max(from, (yield* Clock.currentTimeMillis) - archiveAgeMs)
    const recent = to > boundary ? (yield* deribit.trades({ book, from: boundary, to, limit })).value : []
    const remaining = limit - recent.length
    if (remaining <= 0 || from >= boundary) return recent
    const older = yield* archive.trades({ book, from, to: Math.min(to, boundary), limit: remaining })
    return [...older.value, ...recent]
  })

  return OptionsVenue.of({
    underlyings: Effect.gen(function*() {
      const listed: Array<string> = []
      for (const coin of deribitCoins) {
        if ((yield* deribit.chain(deribitBook(coin)!)).value !== null) listed.push(coin)
      }
      return makeReading(listed, source, yield* Clock.currentTimeMillis)
    }),

    chain: Effect.fnUntraced(function*({ coin, expiryAt }) {
      const { value: chain } = yield* deribit.chain(yield* find(coin))
      if (chain === null) return yield* noOptions(coin, deribitCoins.filter((other) => other !== coin))
      return makeReading(yield* selectExpiry(chain, expiryAt), source, chain.time)
    }),

    trades: Effect.fnUntraced(function*({ coin, from, to, limit = defaultLimit }) {
      const book = yield* find(coin)
      const found: ReadonlyArray<OptionTrade> = to > from ? yield* fetchTrades(book, from, to, limit) : []
      const asOf = found.at(-1)?.time ?? (yield* Clock.currentTimeMillis)
      return makeReading(found, source, asOf)
    })
  })
})

/** Provides Deribit's options. For a coin without options, `CoinPrices` checks whether the coin exists at all. */
export const layerDeribitOptions: Layer.Layer<OptionsVenue, never, Deribit | DeribitHistory | CoinPrices> = Layer
  .effect(OptionsVenue, make)
