import { NoData, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import type { StockWithMarket } from "../equity/stockWithMarket.ts"
import type { World } from "../world.ts"

interface ListedCoin {
  readonly market: CoinMarket
  readonly now: number
}

/** Returns the market of a coin and the current time, or fails if the coin is unknown or not listed yet. */
export const findListedCoin = (world: World, coin: string): Effect.Effect<ListedCoin, UnknownSymbol | NoData> =>
  Effect.clockWith((clock): Effect.Effect<ListedCoin, UnknownSymbol | NoData> => {
    const now = clock.currentTimeMillisUnsafe()
    const market = world.coin(coin)
    if (market === undefined) return Effect.fail(new UnknownSymbol({ symbol: coin }))
    return market.listedAt > now ? Effect.fail(makeNotListedError(market, coin)) : Effect.succeed({ market, now })
  })

/**
 * Returns the market of a coin and the current time. Fails with `NoData` for a stablecoin, because stablecoins have no
 * perpetual.
 */
export const findPerpetualCoin = (world: World, coin: string, description: string) =>
  Effect.filterOrFail(
    findListedCoin(world, coin),
    ({ market }) => !market.spec.isStablecoin,
    () => new NoData({ subject: `${coin} ${description}`, reason: { key: "none_perpetual", params: { coin } } })
  )

export const makeNotListedError = (market: CoinMarket, subject: string): NoData =>
  new NoData({
    subject,
    reason: {
      key: "none_before_listing",
      params: { coin: market.spec.coin, since: new Date(market.listedAt).toISOString().slice(0, 10) }
    }
  })

const formatDate = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Returns a listed or delisted stock and the current time, or fails if the stock is unknown or not listed yet. */
export const findListedStock: (world: World, symbol: string) => Effect.Effect<
  { readonly listed: StockWithMarket; readonly now: number },
  UnknownSymbol | NoData
> = Effect.fnUntraced(function*(world, symbol) {
  const now = yield* Clock.currentTimeMillis
  const listed = world.equities.getStock(symbol)
  if (listed === undefined) return yield* new UnknownSymbol({ symbol })
  const { listedAt } = listed.market
  if (listedAt > now) {
    const params = { coin: symbol, since: formatDate(listedAt) }
    return yield* new NoData({ subject: symbol, reason: { key: "none_before_listing", params } })
  }
  return { listed, now }
})

/** Returns a stock and the current time, or fails with `NoData` if the stock has been delisted. */
export const findTradedStock = (world: World, symbol: string) =>
  Effect.tap(findListedStock(world, symbol), ({ listed: { market: { delistedAt } }, now }) => {
    if (delistedAt === null || now < delistedAt) return Effect.void
    const params = { coin: symbol, since: formatDate(delistedAt) }
    return Effect.fail(new NoData({ subject: symbol, reason: { key: "none_after_delisting", params } }))
  })

/** Returns a series, or fails with `NoData` if the series is empty. */
export const requireData = <A>(
  series: ReadonlyArray<A>,
  symbol: string,
  description: string
): Effect.Effect<ReadonlyArray<A>, NoData> =>
  series.length > 0
    ? Effect.succeed(series)
    : Effect.fail(
      new NoData({ subject: `${symbol} ${description}`, reason: { key: "none_recorded", params: { symbol } } })
    )
