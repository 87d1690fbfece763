import { type Fence, MarketStore, type Superseded } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { Collecting } from "./Collecting.ts"
import type { Collector } from "./collector.ts"
import { collectDocuments } from "./documents.ts"
import { collectEvents } from "./events.ts"
import { holderName } from "./holderName.ts"
import { type KnownLead, leading } from "./leading.ts"
import { MarketHealth } from "./MarketHealth.ts"
import { type CollectPace, defaultCollectPace } from "./pacing.ts"
import { SeriesTicks } from "./SeriesTicks.ts"
import { StoreNews } from "./StoreNews.ts"
import { StreamWriter } from "./StreamWriter.ts"
import { tellingOthers } from "./toldSources.ts"

export interface CollectOptions {
  /** The unique name of this process among all that share the store, also across restarts. */
  readonly holder?: string
  readonly pace?: Partial<CollectPace>
}

interface Running {
  readonly store: MarketStore["Service"]
  readonly pace: CollectPace
  readonly storeNews: StoreNews
}

const run = (
  collector: Collector,
  { fence, pace, store }: Running & { readonly fence: Fence },
  collecting: Collecting
): Effect.Effect<never, Superseded> => {
  switch (collector._tag) {
    case "series":
      return new SeriesTicks({ collector, fence, store, collecting, pace }).forever
    case "documents":
      return collectDocuments({ collector, fence, store, collecting, pace })
    case "events":
      return collectEvents({ collector, fence, store, collecting, pace })
    case "stream":
      return new StreamWriter({ collector, fence, store, collecting, pace }).forever
  }
}

/** Restarts a collector that crashed, so that its bug affects no other collector and does not end it. */
const isolated = (
  { name, source }: Collector,
  run: Effect.Effect<never, Superseded>,
  collecting: Collecting,
  { againMs }: CollectPace
): Effect.Effect<never, Superseded> =>
  Effect.forever(
    Effect.catchDefect(run, (defect) =>
      Effect.logError(`Collecting ${name} from ${source} broke`, defect).pipe(
        Effect.andThen(collecting.failed("broken", "its collector broke, as the log tells, and begins anew")),
        Effect.andThen(Effect.sleep(againMs))
      ))
  )

/** The interval at which metrics are published even if nothing changes. */
const tellEvery = "15 seconds"

const telling = (collecting: () => ReadonlyArray<Collecting>): Effect.Effect<never> =>
  Effect.forever(
    Effect.andThen(
      Effect.suspend(() => Effect.forEach(collecting(), ({ tell }) => tell)),
      Effect.sleep(tellEvery)
    )
  )

/** Runs all collectors of one source whenever this process leads it. */
const collectFrom = Effect.fnUntraced(function*(
  source: string,
  collectors: ReadonlyArray<Collector>,
  holder: string,
  running: Running
) {
  let known: KnownLead = { lead: "asks", holder: null }
  // The collectors of the newest lead, until another process is known to lead and publishes their state.
  let collecting: ReadonlyArray<Collecting> = []
  const { report, watch } = yield* MarketHealth
  const states = Effect.map(report, ({ sources }) => sources)
  const streams = new Set(collectors.flatMap(({ _tag, name }) => _tag === "stream" ? [name] : []))
  yield* watch((now) => ({
    source,
    ...known,
    collected: collecting.map((one) => one.state(now))
  }), streams)
  const ended = Effect.suspend(() => {
    const before = collecting
    collecting = []
    return Effect.forEach(before, (one) => one.ended, { discard: true })
  })
  const tell = (lead: KnownLead) =>
    Effect.suspend(() => {
      known = lead
      return lead.lead === "follows" ? ended : Effect.void
    })
  const all = (fence: Fence) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const own = collectors.map((collector, i) =>
        new Collecting(collector, collecting[i]?.behindSince ?? now, running.storeNews)
      )
      collecting = own
      return Effect.raceAllFirst([
        ...collectors.map((one, i) =>
          // A restarted collector has no earlier state.
          isolated(one, Effect.suspend(() => run(one, { ...running, fence }, own[i]!)), own[i]!, running.pace)
        ),
        tellingOthers({ source, fence, store: running.store, states })
      ])
    })
  const unanswered = (reason: string) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => running.storeNews.failed(now, `it was asked who collects from ${source}`, reason)
    )
  yield* Effect.addFinalizer(() => ended)
  yield* Effect.forkScoped(telling(() => collecting))
  yield* Effect.forkScoped(leading({ source, holder, pace: running.pace, tell, unanswered }, all))
})

/**
 * Runs collectors for as long as the layer lives. For each source, only one of the processes that share the store
 * collects. The collected data is only in the store, so another process, or this one after a restart, continues from
 * it.
 */
export const layerCollectors = (
  collectors: ReadonlyArray<Collector>,
  { holder = holderName(), pace = {} }: CollectOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const running = {
      store: yield* MarketStore,
      pace: { ...defaultCollectPace, ...pace },
      storeNews: new StoreNews()
    }
    const bySource = Map.groupBy(collectors, ({ source }) => source)
    for (const [source, own] of bySource) yield* collectFrom(source, own, holder, running)
  }))
