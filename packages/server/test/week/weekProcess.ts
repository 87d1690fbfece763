import { DerivedDays, DerivedStore } from "@tapeline/core/analysis"
import { MarketStore } from "@tapeline/core/market/store"
import {
  binance,
  blueskyCollector,
  bybit,
  coinCollectors,
  coinVenueCollectors,
  deribitVolatilityCollectors,
  derivativesVenues,
  ecbCollectors,
  hourlyDerivationCollector,
  krwCollectors,
  layerBithumb,
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
import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import { wrapMarketStore } from "../support/wrapMarketStore.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import { makeWeekFeeds } from "./weekNews.ts"
import type { WeekUrls } from "./weekServers.ts"

const realTime = Effect.runSync(Clock.Clock)

/** A timeout whose length no other sleep has. The virtual clock uses the length to recognise a pending response. */
const sourceTimeoutMs = 9_871
const retryPolicy = { timeoutMs: sourceTimeoutMs }
/** After a jump of the clock, all events of the skipped time arrive at once. */
const socketRetryPolicy = { connectMs: sourceTimeoutMs, maxWaiting: 100_000 }
export const timeoutsMs: ReadonlyArray<number> = [sourceTimeoutMs]

export interface WeekProcess {
  readonly clock: VirtualClock
  readonly dataDir: string
  readonly holder: string
  readonly urls: WeekUrls
  readonly coins: ReadonlyArray<TrackedCoin>
  /** Whether Bybit is used when Binance blocks the server's location. */
  readonly hasStandIn: boolean
  readonly days: Readonly<Record<"candleDays" | "priceDays" | "derivativeDays" | "wonDays", number>>
}

/** The embedded database of a server. The database works in real time, while the clock of the week stands still. */
const layerStores = ({ clock, dataDir }: WeekProcess) => {
  const withRealClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    clock.whileWorking(Effect.provideService(effect, Clock.Clock, realTime))
  const stores = Layer.mergeAll(PgMarketStore, PgDerivedDays).pipe(
    Layer.provide(Layer.provideMerge(layerMigrations, layerPglite({ dataDir })))
  )
  return Layer.effectContext(Effect.gen(function*() {
    const services = yield* withRealClock(Layer.build(stores))
    const days = yield* Effect.provideContext(DerivedDays, services)
    return Context.make(MarketStore, wrapMarketStore(Context.get(services, MarketStore), withRealClock)).pipe(
      Context.add(DerivedDays, {
        get: (query) => withRealClock(days.get(query)),
        put: (query) => withRealClock(days.put(query))
      })
    )
  })).pipe(Layer.orDie)
}

const collectorPace = { leaseMs: 3_600_000, requestsPerTick: 200 }

/**
 * Returns the ports over the collected data. The caller provides the ports for data that the process does not collect.
 */
const storedPorts = Layer.mergeAll(
  storedCoinPrices,
  storedCoinDerivatives(derivativesVenues),
  storedExchangeRates,
  storedImpliedVolatilities,
  storedKoreanCoinMarkets,
  storedNewsFeed,
  storedOrderBooks,
  storedSocialFeed
)

const layerSources = (urls: WeekUrls) => {
  const sourceOptions = (baseUrl: string) => ({ baseUrl, retryPolicy })
  return Layer.mergeAll(
    layerUpbit(sourceOptions(urls.upbit)),
    layerBithumb(sourceOptions(urls.bithumb)),
    layerDeribit(sourceOptions(urls.deribit)),
    layerEcbRates(sourceOptions(urls.ecb)),
    layerCoinPaprika(sourceOptions(urls.coinPaprika)),
    layerCoinGecko(sourceOptions(urls.coinGecko)),
    layerNewsFeeds({ feeds: makeWeekFeeds(urls.news), retryPolicy })
  )
}

const makeCollectors = Effect.fnUntraced(function*({ coins, days, hasStandIn, urls }: WeekProcess) {
  const { wonDays, ...binanceDays } = days
  const settings = {
    coins,
    urls: { ...urls, binanceStreams: urls.liquidations },
    retryPolicy,
    reconnectPolicy: socketRetryPolicy
  }
  const replacementSources = hasStandIn ? [{ ...yield* bybit.make(settings), collectors: [] }] : []
  const coinVenues = [yield* binance.make(settings), ...replacementSources] as const
  const venues = Arr.map(coinVenues, ({ spot }) => spot)
  return [
    ...coinVenueCollectors(coinVenues, { ...binanceDays, coins, includeFacts: false }),
    ...yield* coinCollectors({ coins, venues }),
    ...yield* krwCollectors({ krwDays: wonDays, usdtDays: wonDays, venues }),
    // At-the-money volatility exists only from the start of collection, but the volatility index has past data.
    ...(yield* deribitVolatilityCollectors).filter(({ name }) => name === "volatility index"),
    ...yield* ecbCollectors(),
    blueskyCollector(
      { baseUrl: urls.posts, coins: coins.map(({ coin }) => coin), reconnectPolicy: socketRetryPolicy },
      yield* SourceHealth
    ),
    newsCollector({ feeds: yield* NewsFeeds, coins: coins.map(({ coin }) => coin) }),
    yield* hourlyDerivationCollector
  ]
})

/**
 * Starts a process until the scope ends. The process collects from the sources into a database in a folder, derives
 * data every hour, and serves reads from stored data.
 */
export const startProcess = (options: WeekProcess) => {
  const { clock, holder, urls } = options
  const layerCollecting = Layer.unwrap(
    Effect.map(makeCollectors(options), (collectors) => layerCollectors(collectors, { holder, pace: collectorPace }))
  )
  const market = DerivedStore.layer.pipe(Layer.provideMerge(storedPorts))
  return Layer.build(
    layerCollecting.pipe(
      Layer.provideMerge(market),
      Layer.provide(layerSources(urls)),
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer),
      Layer.provideMerge(layerStores(options)),
      Layer.fresh
    )
  ).pipe(Effect.provideService(Clock.Clock, clock))
}
