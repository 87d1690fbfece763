/**
 * The part of `MarketStore` about KRW markets and exchange rates.
 */
import { type FxPair, type KrwExchange, type KrwPoint, type MarketStore, NoData } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { krwExchanges } from "../korea/markets.ts"
import type { World } from "../world.ts"
import { listedCoin, orNoData } from "./lookup.ts"
import { instants } from "./steps.ts"

export const koreaPart = (world: World) => {
  const rate = (pair: FxPair, time: number) => ({
    time,
    pair,
    rate: pair === "usd_krw" ? world.fx.usdKrw(time) : world.fx.usdtKrw(time)
  })

  const krwHistory: MarketStore["Service"]["krwHistory"] = Effect.fnUntraced(function*(query) {
    const { market, now } = yield* listedCoin(world, query.coin)
    const end = Math.min(query.to, now)
    const open: KrwExchange | undefined = query.exchange
      ?? krwExchanges.find((exchange) => world.korea.listedAt(market, exchange, end) !== undefined)
    if (open === undefined) {
      return yield* new NoData({
        subject: `${query.coin} KRW market`,
        reason: { key: "none_on_krw_market", params: { coin: query.coin } }
      })
    }
    const points: Array<KrwPoint> = []
    for (const time of instants(query, now)) {
      const point = world.korea.point(market, open, time)
      if (point !== undefined) points.push(point)
    }
    return yield* orNoData(points, query.coin, "KRW market")
  })

  const fx: MarketStore["Service"]["fx"] = ({ pair, time }) =>
    Effect.map(Clock.currentTimeMillis, (now) => rate(pair, Math.min(time ?? now, now)))

  return {
    krwTickers: Effect.map(Clock.currentTimeMillis, (now) => world.korea.tickers(now)),
    krwHistory,
    krwListings: ({ from, to }: { readonly from: number; readonly to: number }) =>
      Effect.map(Clock.currentTimeMillis, (now) => world.korea.listings(from, Math.min(to, now + 1))),
    fx,
    fxHistory: (
      query: { readonly pair: FxPair; readonly from: number; readonly to: number; readonly stepMs: number }
    ) => Effect.map(Clock.currentTimeMillis, (now) => instants(query, now).map((time) => rate(query.pair, time)))
  }
}
