import { DerivedDays, DerivedStore } from "@tapeline/core/analysis"
import { MarketStore } from "@tapeline/core/market/store"
import {
  binanceCollectors,
  BinanceSpot,
  binanceSpotVenue,
  blueskyCollector,
  BybitMarket,
  bybitPerpetualVenue,
  bybitSpotVenue,
  coinCollectors,
  deribitVolatilities,
  derivedHours,
  ecbCollectors,
  krwCollectors,
  layerBinancePerpetuals,
  layerBinanceSpot,
  layerBithumb,
  layerBybitMarket,
  layerCoinGecko,
  layerCoinPaprika,
  layerCollectors,
  layerDeribit,
  layerEcbRates,
  layerNewsFeeds,
  layerUpbit,
  MarketHealth,
  newsCollector,
  NewsFeeds,
  SourceHealth,
  storedCoinDerivatives,
  storedCoinPrices,
  storedExchangeRates,
  storedImpliedVolatilities,
  storedKoreanCoinMarkets,
  storedNewsFeed,
  storedOrderBooks,
  storedSocialFeed,
  type TrackedCoin
} from "@tapeline/market-live"
import { layerMigrations, layerPglite, PgDerivedDays, PgMarketStore } from "@tapeline/postgres"
import { Clock, Context, Effect, Layer } from "effect"
import { aroundStore } from "../support/aroundStore.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import { weekFeeds } from "./weekNews.ts"
import type { WeekUrls } from "./weekServers.ts"

const realTime = Effect.runSync(Clock.Clock)

/** A length that nothing else has: a virtual clock knows by it that somebody waits for an answer. */
const timeoutMs = 9_871
const patience = { timeoutMs }
/** What a leap passed over comes at once. */
const socketPatience = { connectMs: timeoutMs, waiting: 100_000 }
export const limitsMs: ReadonlyArray<number> = [timeoutMs]

export interface WeekProcess {
  readonly clock: VirtualClock
  readonly dataDir: string
  readonly holder: string
  readonly urls: WeekUrls
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Whether Bybit is asked where Binance does not serve. */
  readonly hasStandIn: boolean
  readonly days: Readonly<Record<"candleDays" | "priceDays" | "derivativeDays" | "wonDays", number>>
}

/** The embedded database as a server has it: it works in real time, while the week stands still. */
const layerStores = ({ clock, dataDir }: WeekProcess) => {
  const within = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    clock.counted(Effect.provideService(effect, Clock.Clock, realTime))
  const stores = Layer.mergeAll(PgMarketStore, PgDerivedDays).pipe(
    Layer.provide(Layer.provideMerge(layerMigrations, layerPglite({ dataDir })))
  )
  return Layer.effectContext(Effect.gen(function*() {
    const built = yield* within(Layer.build(stores))
    const days = yield* Effect.provideContext(DerivedDays, built)
    return Context.make(MarketStore, aroundStore(Context.get(built, MarketStore), within)).pipe(
      Context.add(DerivedDays, {
        get: (query) => within(days.get(query)),
        put: (query) => within(days.put(query))
      })
    )
  })).pipe(Layer.orDie)
}

const collectPace = { leaseMs: 3_600_000, questionsATick: 200 }

/** Ports over what is collected. What nobody collects here is left to who asks. */
const storedPorts = Layer.mergeAll(
  storedCoinPrices,
  storedCoinDerivatives({ wholeTapes: [] }),
  storedExchangeRates,
  storedImpliedVolatilities,
  storedKoreanCoinMarkets,
  storedNewsFeed,
  storedOrderBooks,
  storedSocialFeed
)

/** Every source of the week, each once. */
const sourcesAt = (urls: WeekUrls) => {
  const at = (baseUrl: string) => ({ baseUrl, patience })
  return Layer.mergeAll(
    layerBinanceSpot(at(urls.binanceSpot)),
    layerBinancePerpetuals(at(urls.binanceFutures)),
    layerBybitMarket(at(urls.bybit)),
    layerUpbit(at(urls.upbit)),
    layerBithumb(at(urls.bithumb)),
    layerDeribit(at(urls.deribit)),
    layerEcbRates(at(urls.ecb)),
    layerCoinPaprika(at(urls.coinPaprika)),
    layerCoinGecko(at(urls.coinGecko)),
    layerNewsFeeds({ feeds: weekFeeds(urls.news), patience })
  )
}

/** What is collected of them, and what is derived. */
const collectorsOf = ({ coins, days, hasStandIn, urls }: WeekProcess) =>
  Effect.gen(function*() {
    const { wonDays, ...binanceDays } = days
    const bybit = yield* BybitMarket
    const otherwise = hasStandIn
      ? { spot: [bybitSpotVenue(bybit)], perpetuals: [bybitPerpetualVenue(bybit, coins)] }
      : { spot: [] }
    const venues = [binanceSpotVenue(yield* BinanceSpot), ...otherwise.spot] as const
    const binance = yield* binanceCollectors(
      {
        coins,
        facts: false,
        ...binanceDays,
        streamsUrl: urls.liquidations,
        socketPatience
      },
      otherwise
    )
    return [
      ...binance,
      ...yield* coinCollectors({ coins, venues }),
      ...yield* krwCollectors({ krwDays: wonDays, usdtDays: wonDays, venues }),
      // Our own series at the money begins when it is collected: the index has a past.
      ...(yield* deribitVolatilities).filter(({ name }) => name === "volatility index"),
      ...yield* ecbCollectors(),
      blueskyCollector(
        { baseUrl: urls.posts, coins: coins.map(({ coin }) => coin), patience: socketPatience },
        yield* SourceHealth
      ),
      newsCollector({ feeds: yield* NewsFeeds, coins: coins.map(({ coin }) => coin) }),
      yield* derivedHours
    ]
  })

/**
 * A process that collects of the sources into a database in a folder, derives every hour, and answers from there, for
 * as long as the scope lives.
 */
export const startProcess = (options: WeekProcess) => {
  const { clock, holder, urls } = options
  const collecting = Layer.unwrap(
    Effect.map(collectorsOf(options), (collectors) => layerCollectors(collectors, { holder, pace: collectPace }))
  )
  const market = DerivedStore.layer.pipe(Layer.provideMerge(storedPorts))
  return Layer.build(
    collecting.pipe(
      Layer.provideMerge(market),
      Layer.provide(sourcesAt(urls)),
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer),
      Layer.provideMerge(layerStores(options)),
      Layer.fresh
    )
  ).pipe(Effect.provideService(Clock.Clock, clock))
}
