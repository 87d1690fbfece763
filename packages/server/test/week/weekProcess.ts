import { MarketStore } from "@tapeline/core/market/store"
import { DerivedDays, DerivedStore } from "@tapeline/core/signals"
import {
  binanceCollectors,
  derivedHours,
  layerBinancePerpetuals,
  layerBinanceSpot,
  layerCollectors,
  MarketHealth,
  SourceHealth,
  storedCoinDerivatives,
  storedCoinPrices,
  storedOrderBooks,
  storedSocialFeed,
  type TrackedCoin
} from "@tapeline/market-live"
import { layerMigrations, layerPglite, PgDerivedDays, PgMarketStore } from "@tapeline/postgres"
import { Clock, Context, Effect, Layer } from "effect"
import { aroundStore } from "../support/aroundStore.ts"
import type { VirtualClock } from "./VirtualClock.ts"

const realTime = Effect.runSync(Clock.Clock)

/** A length that nothing else has: a virtual clock knows by it that somebody waits for an answer. */
const timeoutMs = 9_871
const patience = { timeoutMs }
export const limitsMs: ReadonlyArray<number> = [timeoutMs]

export interface WeekProcess {
  readonly clock: VirtualClock
  readonly dataDir: string
  readonly holder: string
  readonly spotUrl: string
  readonly futuresUrl: string
  readonly coins: ReadonlyArray<TrackedCoin>
  readonly days: { readonly candleDays: number; readonly priceDays: number; readonly derivativeDays: number }
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
  storedOrderBooks,
  storedSocialFeed
)

/**
 * A process that collects of the exchange into a database in a folder, derives every hour, and answers from there, for
 * as long as the scope lives.
 */
export const startProcess = (options: WeekProcess) => {
  const { clock, coins, days, futuresUrl, holder, spotUrl } = options
  const collecting = Layer.unwrap(Effect.gen(function*() {
    const collectors = yield* binanceCollectors({ coins, ...days })
    // Liquidations are told by sockets, and by this exchange in samples.
    const asked = collectors.filter(({ _tag }) => _tag !== "stream")
    return layerCollectors([...asked, yield* derivedHours], { holder, pace: collectPace })
  }))
  const market = DerivedStore.layer.pipe(Layer.provideMerge(storedPorts))
  return Layer.build(
    collecting.pipe(
      Layer.provideMerge(market),
      Layer.provide([
        layerBinanceSpot({ baseUrl: spotUrl, patience }),
        layerBinancePerpetuals({ baseUrl: futuresUrl, patience })
      ]),
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer),
      Layer.provideMerge(layerStores(options)),
      Layer.fresh
    )
  ).pipe(Effect.provideService(Clock.Clock, clock))
}
