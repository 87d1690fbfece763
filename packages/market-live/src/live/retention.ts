import { dayMs } from "@tapeline/core/market"
import {
  type DocumentsKind,
  documentsKinds,
  type EventsKind,
  eventsKinds,
  MarketStore,
  type PointsKind,
  pointsKinds
} from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import {
  type CollectOptions,
  type Collector,
  type CollectorStatus,
  defaultCollectPace,
  MarketHealth
} from "../collect/index.ts"
import { type KnownLeader, makeHolderName, runAsLeader } from "../collect/leaderElection.ts"

const kinds = { ...pointsKinds, ...eventsKinds, ...documentsKinds }

/** The name of a kind of stored data. */
export type KindName = keyof typeof kinds

/** The minimum number of days for which each kind of data is kept. Null means that a kind of data is kept forever. */
export type Retention = { readonly [K in KindName]: number | null }

/**
 * The default retention in days. Tools look back at most 93 days on derived data, and a year or more on candles. Up to
 * one more month or year of data is kept, because whole months or years are deleted at once.
 */
export const defaultRetention: Retention = {
  candles: 1_100,
  prices: 100,
  perpetuals: 400,
  fundingPrints: 1_100,
  takerFlow: 400,
  krwMarkets: 60,
  fxRates: 1_100,
  impliedVolatilities: 1_100,
  marketCaps: 400,
  dexActivity: 100,
  equityDays: null,
  equityPrices: 100,
  liquidations: 400,
  posts: 200,
  articles: 400,
  // Stored series need the facts of coins and markets that were listed in the past.
  coins: null,
  krwListings: null,
  equityQuotes: null,
  krwTickers: 30,
  orderBooks: 30,
  futures: 30,
  venueFunding: 30,
  venueOpenInterest: 30,
  tickers: 30,
  sourceStates: 30,
  derivations: 30,
  // An interrupted recomputation can be continued within this number of days.
  recomputations: 30
}

const isKindName = (name: string): name is KindName => Object.hasOwn(kinds, name)

/** Limits a collector's backfill to the retention, so that deleted data is not collected again. */
export const limitToRetention = (retention: Retention) => (collector: Collector): Collector => {
  if (collector._tag !== "series" || collector.backfill === undefined) return collector
  const { name } = collector.kind
  const keptDays = isKindName(name) ? retention[name] : null
  if (keptDays === null) return collector
  const { backfill } = collector
  return { ...collector, backfill: { ...backfill, lookbackMs: Math.min(backfill.lookbackMs, keptDays * dayMs) } }
}

/** The interval between runs, and the pause after a failed run. */
const everyMs = 6 * 3_600_000
const retryPauseMs = 300_000

interface PruneState {
  completeAt: number | null
  lastFault: CollectorStatus["lastFault"]
}

type Kind = PointsKind | EventsKind | DocumentsKind

const source = "retention"

/**
 * Deletes data that is older than its retention, in only one of the processes that share the store, until the layer's
 * scope closes.
 */
export const layerRetention = (
  retention: Retention,
  { holder = makeHolderName(), pace = {} }: CollectOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const [store, { register }] = yield* Effect.all([MarketStore, MarketHealth])
    let leader: KnownLeader = { lead: "asks", holder: null }
    const statesByKind = new Map<string, PruneState>()
    const statusOf = ([name, { lastFault, completeAt }]: readonly [string, PruneState]): CollectorStatus => ({
      name,
      lagMs: null,
      gaps: 0,
      missingMs: 0,
      lostMs: 0,
      completeAt,
      unlisted: [],
      lastFault
    })
    yield* register(() => ({
      source,
      ...leader,
      collectors: leader.lead === "leads" ? Array.from(statesByKind, statusOf) : []
    }))

    const pruneKind = Effect.fnUntraced(function*(kind: Kind, days: number) {
      const now = yield* Clock.currentTimeMillis
      const fault = yield* Effect.match(store.prune({ kind, before: now - days * dayMs }), {
        onSuccess: () => null,
        onFailure: (error) => error
      })
      const before = statesByKind.get(kind.name) ?? { completeAt: null, lastFault: null }
      const failure = fault?._tag === "MarketStoreRefusal" ? "refused" : "store"
      statesByKind.set(
        kind.name,
        fault === null
          ? { ...before, completeAt: now }
          : { ...before, lastFault: { at: now, failure, reason: fault.message } }
      )
      return fault === null
    })
    const pruneAll = Effect.gen(function*() {
      let isComplete = true
      for (const kind of Object.values(kinds)) {
        const days = isKindName(kind.name) ? retention[kind.name] : null
        if (days !== null && !(yield* pruneKind(kind, days))) isComplete = false
      }
      yield* Effect.sleep(isComplete ? everyMs : retryPauseMs)
    })
    const lead = runAsLeader(
      {
        source,
        holder,
        pace: { ...defaultCollectPace, ...pace },
        onLeader: (lead) => Effect.sync(() => void (leader = lead)),
        // The collectors log failures of the store.
        onStoreFailure: () => Effect.void
      },
      () => Effect.forever(pruneAll)
    )
    yield* Effect.forkScoped(lead)
  }))
