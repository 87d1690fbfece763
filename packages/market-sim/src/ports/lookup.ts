/** Finds the instrument of a query, or fails with the reason. */
import { NoData, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import type { Listed } from "../equity/listed.ts"
import type { World } from "../world.ts"

interface ListedCoin {
  readonly market: CoinMarket
  readonly now: number
}

/** Returns the market of a coin that is listed now, and the present. */
export const listedCoin = (world: World, coin: string): Effect.Effect<ListedCoin, UnknownSymbol | NoData> =>
  Effect.clockWith((clock): Effect.Effect<ListedCoin, UnknownSymbol | NoData> => {
    const now = clock.currentTimeMillisUnsafe()
    const market = world.coin(coin)
    if (market === undefined) return Effect.fail(new UnknownSymbol({ symbol: coin }))
    return market.listedAt > now ? Effect.fail(notListed(market, coin)) : Effect.succeed({ market, now })
  })

/** Like `listedCoin`, but fails with `NoData` for stablecoins. */
export const tradedCoin = (world: World, coin: string, what: string) =>
  Effect.filterOrFail(
    listedCoin(world, coin),
    ({ market }) => !market.spec.isStablecoin,
    () => new NoData({ subject: `${coin} ${what}`, reason: { key: "none_perpetual", params: { coin } } })
  )

export const notListed = (market: CoinMarket, subject: string): NoData =>
  new NoData({
    subject,
    reason: {
      key: "none_before_listing",
      params: { coin: market.spec.coin, since: new Date(market.listedAt).toISOString().slice(0, 10) }
    }
  })

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Returns a stock of either country that is listed now or was listed before, and the present. */
export const listedStock: (world: World, symbol: string) => Effect.Effect<
  { readonly listed: Listed; readonly now: number },
  UnknownSymbol | NoData
> = Effect.fnUntraced(function*(world, symbol) {
  const now = yield* Clock.currentTimeMillis
  const listed = world.equities.stock(symbol)
  if (listed === undefined) return yield* new UnknownSymbol({ symbol })
  const { listedAt } = listed.market
  if (listedAt > now) {
    const params = { coin: symbol, since: dateOf(listedAt) }
    return yield* new NoData({ subject: symbol, reason: { key: "none_before_listing", params } })
  }
  return { listed, now }
})

/** Like `listedStock`, but fails with `NoData` for a delisted stock. */
export const tradedStock = (world: World, symbol: string) =>
  Effect.tap(listedStock(world, symbol), ({ listed: { market: { delistedAt } }, now }) => {
    if (delistedAt === null || now < delistedAt) return Effect.void
    const params = { coin: symbol, since: dateOf(delistedAt) }
    return Effect.fail(new NoData({ subject: symbol, reason: { key: "none_after_delisting", params } }))
  })

/** Returns a series, or fails with `NoData` if it is empty. */
export const orNoData = <A>(
  series: ReadonlyArray<A>,
  symbol: string,
  what: string
): Effect.Effect<ReadonlyArray<A>, NoData> =>
  series.length > 0
    ? Effect.succeed(series)
    : Effect.fail(new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } }))
