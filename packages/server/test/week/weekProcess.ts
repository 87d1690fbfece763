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

/** A timeout that no other sleep uses, so that the virtual clock recognizes a pending response by it. */
const timeoutMs = 9_871
const patience = { timeoutMs }
/** All events that a leap of the clock skipped arrive at once. */
const socketPatience = { connectMs: timeoutMs, waiting: 100_000 }
export const limitsMs: ReadonlyArray<number> = [timeoutMs]

export interface WeekProcess {
  readonly clock: VirtualClock
  readonly dataDir: string
  readonly holder: string
  readonly urls: WeekUrls
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Whether Bybit is requested when Binance does not serve this location. */
  readonly hasStandIn: boolean
  readonly days: Readonly<Record<"candleDays" | "priceDays" | "derivativeDays" | "wonDays", number>>
}

/** The embedded database of a server. It works in real time while the week's clock does not advance. */
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

/** Ports on the collected data. Data that this process does not collect is provided by the caller. */
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

/** All sources of the week, each once. */
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

/** The collectors of the sources, and the derivation. */
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
      // The series that we compute at the money begins when it is collected, but the index has a past.
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
 * Starts a process that collects from the sources into a database in a folder, and derives every hour. The process
 * answers from the stored data until the scope ends.
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
