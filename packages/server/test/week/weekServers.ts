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
  binanceFutures,
  binanceLiquidations,
  binanceSpot,
  bithumb,
  blocking,
  bybitMarket,
  coinGecko,
  coinPaprika,
  deribit,
  ecb,
  jetstream,
  makeWireServer,
  newsPublishers,
  upbit,
  type WireServer
} from "@tapeline/wire"
import { Context, Effect } from "effect"
import { mapValue } from "./reads.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import { fedDays, weekFeeds } from "./weekNews.ts"
import { listeners } from "./weekPosts.ts"

/** The paths that are requested, except Bybit's. */
export const weekPaths: ReadonlyArray<string> = [
  ...weekFeeds("").map(({ url }) => url),
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

/** Another venue of the same market. Its funding has the name of this venue. */
const ofBybit = (derivatives: CoinDerivatives["Service"]): CoinDerivatives["Service"] =>
  CoinDerivatives.of({
    ...derivatives,
    fundingByVenue: (coin) =>
      mapValue(derivatives.fundingByVenue(coin), (all) => all.map((one) => ({ ...one, venue: "bybit" })))
  })

/** The interval between posts on other subjects in this week. Those posts are not stored. */
const othersMs = 600_000

/** The address of each source of the week. */
export type WeekUrls = Effect.Success<ReturnType<typeof weekServers>>["urls"]

/**
 * Fake servers of every source of the week. `fail` makes all of them unavailable, `heal` restores them, and `block`
 * makes one of them block this location.
 */
export const weekServers = Effect.fnUntraced(function*(
  { clock, coins, market }: {
    readonly market: Context.Context<MarketPorts>
    readonly clock: VirtualClock
    readonly coins: ReadonlyArray<string>
  }
) {
  const posts = listeners(clock, jetstream({ social: Context.get(market, SocialFeed), coins, othersMs }))
  const prices = Context.get(market, CoinPrices)
  const onWire = { derivatives: Context.get(market, CoinDerivatives), prices }
  const won = Context.get(market, KoreanCoinMarkets)
  const liquidations = listeners(clock, binanceLiquidations(onWire.derivatives))
  const servers = yield* Effect.all({
    binanceSpot: makeWireServer(binanceSpot(prices, Context.get(market, OrderBooks))),
    binanceFutures: makeWireServer(binanceFutures(onWire)),
    bybit: makeWireServer(bybitMarket({ ...onWire, derivatives: ofBybit(onWire.derivatives) })),
    upbit: makeWireServer(upbit(won)),
    bithumb: makeWireServer(bithumb(won)),
    deribit: makeWireServer(deribit({
      options: Context.get(market, OptionsVenue),
      derivatives: onWire.derivatives,
      volatilities: Context.get(market, ImpliedVolatilities)
    })),
    ecb: makeWireServer(ecb(Context.get(market, ExchangeRates))),
    coinPaprika: makeWireServer(coinPaprika(prices)),
    coinGecko: makeWireServer(coinGecko(prices)),
    news: makeWireServer(newsPublishers(Context.get(market, NewsFeed), { days: fedDays })),
    liquidations: makeWireServer(() => Effect.succeed(null), liquidations.listens),
    posts: makeWireServer(() => Effect.succeed(null), posts.listens)
  })
  const all: ReadonlyArray<WireServer> = Object.values(servers)
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
      liquidations.drop()
      posts.drop()
    },
    /** Makes Binance block this location. */
    block: () => {
      for (const server of [spot, futures]) server.fail(blocking["status 451"]!)
    },
    heal: () => {
      for (const server of all) server.heal()
    }
  }
})
