/**
 * Finding what a query names, or the error that says why not.
 */
import { NoData, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import type { World } from "../world.ts"

/** The present, and the market of a coin that is listed by then. */
export const listedCoin: (world: World, coin: string) => Effect.Effect<
  { readonly market: CoinMarket; readonly now: number },
  UnknownSymbol | NoData
> = Effect.fnUntraced(function*(world, coin) {
  const now = yield* Clock.currentTimeMillis
  const market = world.coin(coin)
  if (market === undefined) return yield* new UnknownSymbol({ symbol: coin })
  if (market.listedAt > now) return yield* notListed(market, coin)
  return { market, now }
})

/** The same for what stablecoins do not have. */
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

/** A series, or `NoData` when nothing is left of it. */
export const orNoData = <A>(
  series: ReadonlyArray<A>,
  symbol: string,
  what: string
): Effect.Effect<ReadonlyArray<A>, NoData> =>
  series.length > 0
    ? Effect.succeed(series)
    : Effect.fail(new NoData({ subject: `${symbol} ${what}`, reason: { key: "none_recorded", params: { symbol } } }))
