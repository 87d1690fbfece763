import {
  CoinDerivatives,
  CoinPrices,
  ExchangeRates,
  ImpliedVolatilities,
  KoreanCoinMarkets,
  type MarketPorts,
  NewsFeed,
  OptionsVenue,
  OrderBooks,
  SocialFeed
} from "@tapeline/core/market"
import {
  blocks,
  type FakeServer,
  makeBinanceFutures,
  makeBinanceLiquidations,
  makeBinanceSpot,
  makeBithumb,
  makeBybitMarket,
  makeCoinGecko,
  makeCoinPaprika,
  makeDeribit,
  makeEcb,
  makeFakeServer,
  makeJetstream,
  makeNewsPublishers,
  makeUpbit
} from "@tapeline/wire"
import { Context, Effect } from "effect"
import { mapValue } from "./shiftedClock.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import { feedDays, makeWeekFeeds } from "./weekNews.ts"
import { makeListeners } from "./weekPosts.ts"

/** The paths of all expected requests, except requests to Bybit. */
export const servedPaths: ReadonlyArray<string> = [
  ...makeWeekFeeds("").map(({ url }) => url),
  "/api/v3/depth",
  "/api/v3/exchangeInfo",
  "/api/v3/klines",
  "/api/v3/ticker/24hr",
  "/api/v3/coins/markets",
  "/api/v2/public/get_volatility_index_data",
  "/api/v3/global",
  "/fapi/v1/exchangeInfo",
  "/fapi/v1/fundingInfo",
  "/fapi/v1/fundingRate",
  "/fapi/v1/klines",
  "/fapi/v1/openInterest",
  "/fapi/v1/premiumIndex",
  "/futures/data/globalLongShortAccountRatio",
  "/futures/data/openInterestHist",
  "/service/data/EXR/D.USD+KRW.EUR.SP00.A",
  "/v1/candles/days",
  "/v1/candles/minutes/1",
  "/v1/candles/minutes/5",
  "/v1/candles/minutes/60",
  "/v1/candles/months",
  "/v1/global",
  "/v1/market/all",
  "/v1/ticker",
  "/v1/ticker/all",
  "/v1/tickers"
]

/** Returns the derivatives with `bybit` as the venue of the funding rates. */
const asBybit = (derivatives: CoinDerivatives["Service"]): CoinDerivatives["Service"] =>
  CoinDerivatives.of({
    ...derivatives,
    fundingByVenue: (coin) =>
      mapValue(derivatives.fundingByVenue(coin), (all) => all.map((one) => ({ ...one, venue: "bybit" })))
  })

/** The interval between posts about other subjects, which the collector does not store. */
const otherPostsIntervalMs = 600_000

export type WeekUrls = Effect.Success<ReturnType<typeof startWeekServers>>["urls"]

/**
 * Starts fake servers for all sources of the week. `fail` makes all servers unavailable, and `heal` ends the failure.
 */
export const startWeekServers = Effect.fnUntraced(function*(
  { clock, coins, market }: {
    readonly market: Context.Context<MarketPorts>
    readonly clock: VirtualClock
    readonly coins: ReadonlyArray<string>
  }
) {
  const posts = makeListeners(
    clock,
    makeJetstream({ social: Context.get(market, SocialFeed), coins, unrelatedEventsMs: otherPostsIntervalMs })
  )
  const prices = Context.get(market, CoinPrices)
  const onWire = { derivatives: Context.get(market, CoinDerivatives), prices }
  const krwMarkets = Context.get(market, KoreanCoinMarkets)
  const liquidations = makeListeners(clock, makeBinanceLiquidations(onWire.derivatives))
  const servers = yield* Effect.all({
    binanceSpot: makeFakeServer(makeBinanceSpot(prices, Context.get(market, OrderBooks))),
    binanceFutures: makeFakeServer(makeBinanceFutures(onWire)),
    bybit: makeFakeServer(makeBybitMarket({ ...onWire, derivatives: asBybit(onWire.derivatives) })),
    upbit: makeFakeServer(makeUpbit(krwMarkets)),
    bithumb: makeFakeServer(makeBithumb(krwMarkets)),
    deribit: makeFakeServer(makeDeribit({
      options: Context.get(market, OptionsVenue),
      derivatives: onWire.derivatives,
      volatilities: Context.get(market, ImpliedVolatilities)
    })),
    ecb: makeFakeServer(makeEcb(Context.get(market, ExchangeRates))),
    coinPaprika: makeFakeServer(makeCoinPaprika(prices)),
    coinGecko: makeFakeServer(makeCoinGecko(prices)),
    news: makeFakeServer(makeNewsPublishers(Context.get(market, NewsFeed), { days: feedDays })),
    liquidations: makeFakeServer(() => Effect.succeed(null), liquidations.listenAndTrack),
    posts: makeFakeServer(() => Effect.succeed(null), posts.listenAndTrack)
  })
  const all: ReadonlyArray<FakeServer> = Object.values(servers)
  const { binanceFutures: futures, binanceSpot: spot } = servers
  return {
    urls: {
      binanceSpot: spot.url,
      binanceFutures: futures.url,
      bybit: servers.bybit.url,
      upbit: servers.upbit.url,
      bithumb: servers.bithumb.url,
      deribit: servers.deribit.url,
      ecb: servers.ecb.url,
      coinPaprika: servers.coinPaprika.url,
      coinGecko: servers.coinGecko.url,
      news: servers.news.url,
      liquidations: servers.liquidations.url.replace("http", "ws"),
      posts: servers.posts.url.replace("http", "ws")
    },
    fail: () => {
      for (const server of all) server.fail({ _tag: "reset" })
      liquidations.dropConnections()
      posts.dropConnections()
    },
    block: () => {
      for (const server of [spot, futures]) server.fail(blocks["status 451"]!)
    },
    heal: () => {
      for (const server of all) server.heal()
    }
  }
})
