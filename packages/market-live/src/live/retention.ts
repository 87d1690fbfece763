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
import { holderName } from "../collect/holderName.ts"
import {
  type CollectedState,
  type CollectOptions,
  type Collector,
  defaultCollectPace,
  MarketHealth
} from "../collect/index.ts"
import { type KnownLead, leading } from "../collect/leading.ts"

const kinds = { ...pointsKinds, ...eventsKinds, ...documentsKinds }

/** What is kept, each for a time of its own. */
export type KindName = keyof typeof kinds

/** For how many days each kind is kept, at least; null for ever. */
export type Retention = { readonly [K in KindName]: number | null }

/**
 * Tools look back at most 93 days on what is derived, a year and more on candles; what is asked of the present alone
 * has no use once it is old. Whole months (of few rows: years) are forgotten at once, so that up to one more is kept.
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
  // Facts of what was listed once stand under series that are kept.
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
  // Whoever was stopped may go on for as long.
  recomputations: 30
}

/** Each kind is known by its own name. */
const isKindName = (name: string): name is KindName => Object.hasOwn(kinds, name)

/** A collector that asks of the past for no more than is kept: else what is forgotten would be collected again. */
export const withinRetention = (retention: Retention) => (collector: Collector): Collector => {
  if (collector._tag !== "series" || collector.backfill === undefined) return collector
  const { name } = collector.kind
  const kept = isKindName(name) ? retention[name] : null
  if (kept === null) return collector
  const { backfill } = collector
  return { ...collector, backfill: { ...backfill, wantedMs: Math.min(backfill.wantedMs, kept * dayMs) } }
}

/** So often is looked for what is old, and so soon again after a fault. */
const everyMs = 6 * 3_600_000
const againMs = 300_000

interface Forgotten {
  wholeAt: number | null
  lastFault: CollectedState["lastFault"]
}

type Kind = PointsKind | EventsKind | DocumentsKind

/** As leases and health name it. */
const source = "retention"

/**
 * Forgets what is older than it is kept for, while the layer lives: by one process among all that share the store.
 * A part that somebody reads is dropped when it is tried again.
 */
export const layerRetention = (
  retention: Retention,
  { holder = holderName(), pace = {} }: CollectOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const [store, { watch }] = yield* Effect.all([MarketStore, MarketHealth])
    let known: KnownLead = { lead: "asks", holder: null }
    const told = new Map<string, Forgotten>()
    const state = ([name, { lastFault, wholeAt }]: readonly [string, Forgotten]): CollectedState => ({
      name,
      lagMs: null,
      gaps: 0,
      missingMs: 0,
      lostMs: 0,
      wholeAt,
      unlisted: [],
      lastFault
    })
    yield* watch(() => ({ source, ...known, collected: known.lead === "leads" ? Array.from(told, state) : [] }))

    const forget = Effect.fnUntraced(function*(kind: Kind, days: number) {
      const now = yield* Clock.currentTimeMillis
      const fault = yield* Effect.match(store.prune({ kind, before: now - days * dayMs }), {
        onSuccess: () => null,
        onFailure: (error) => error
      })
      const before = told.get(kind.name) ?? { wholeAt: null, lastFault: null }
      const failure = fault?._tag === "MarketStoreRefusal" ? "refused" : "store"
      told.set(
        kind.name,
        fault === null
          ? { ...before, wholeAt: now }
          : { ...before, lastFault: { at: now, failure, reason: fault.message } }
      )
      return fault === null
    })
    const once = Effect.gen(function*() {
      let whole = true
      for (const kind of Object.values(kinds)) {
        const days = isKindName(kind.name) ? retention[kind.name] : null
        if (days !== null && !(yield* forget(kind, days))) whole = false
      }
      yield* Effect.sleep(whole ? everyMs : againMs)
    })
    const lead = leading(
      {
        source,
        holder,
        pace: { ...defaultCollectPace, ...pace },
        tell: (lead) => Effect.sync(() => void (known = lead)),
        // Those who collect tell the log of it.
        unanswered: () => Effect.void
      },
      () => Effect.forever(once)
    )
    yield* Effect.forkScoped(lead)
  }))
