import {
  CoinDerivatives,
  CoinPrices,
  ExchangeRates,
  KoreanCoinMarkets,
  type MarketPorts,
  NewsFeed,
  OrderBooks
} from "@tapeline/core/market"
import {
  binanceFutures,
  binanceSpot,
  bithumb,
  coinGecko,
  coinPaprika,
  ecb,
  makeWireServer,
  newsPublishers,
  upbit,
  type WireServer
} from "@tapeline/wire"
import { Context, Effect } from "effect"
import { fedDays } from "./weekNews.ts"

/** Where each source of the week is. */
export type WeekUrls = Effect.Success<ReturnType<typeof weekServers>>["urls"]

/** Every source of the week on the wire, and how all of them are away, or there again. */
export const weekServers = Effect.fnUntraced(function*(market: Context.Context<MarketPorts>) {
  const prices = Context.get(market, CoinPrices)
  const onWire = { derivatives: Context.get(market, CoinDerivatives), prices }
  const won = Context.get(market, KoreanCoinMarkets)
  const servers = yield* Effect.all({
    binanceSpot: makeWireServer(binanceSpot(prices, Context.get(market, OrderBooks))),
    binanceFutures: makeWireServer(binanceFutures(onWire)),
    upbit: makeWireServer(upbit(won)),
    bithumb: makeWireServer(bithumb(won)),
    ecb: makeWireServer(ecb(Context.get(market, ExchangeRates))),
    coinPaprika: makeWireServer(coinPaprika(prices)),
    coinGecko: makeWireServer(coinGecko(prices)),
    news: makeWireServer(newsPublishers(Context.get(market, NewsFeed), { days: fedDays }))
  })
  const all: ReadonlyArray<WireServer> = Object.values(servers)
  const { binanceFutures: futures, binanceSpot: spot } = servers
  return {
    urls: {
      binanceSpot: spot.url,
      binanceFutures: futures.url,
      upbit: servers.upbit.url,
      bithumb: servers.bithumb.url,
      ecb: servers.ecb.url,
      coinPaprika: servers.coinPaprika.url,
      coinGecko: servers.coinGecko.url,
      news: servers.news.url
    },
    fail: () => {
      for (const server of all) server.fail({ _tag: "reset" })
    },
    heal: () => {
      for (const server of all) server.heal()
    }
  }
})
