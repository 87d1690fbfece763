import { type Fence, MarketStore, type Superseded } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { collectDocuments } from "./collectDocuments.ts"
import { collectEvents } from "./collectEvents.ts"
import type { Collector } from "./collector.ts"
import { CollectorMonitor, StoreFailureLog } from "./CollectorMonitor.ts"
import { type CollectPace, defaultCollectPace } from "./CollectPace.ts"
import { type KnownLeader, makeHolderName, runAsLeader } from "./leaderElection.ts"
import { MarketHealth } from "./MarketHealth.ts"
import { publishSourceStates } from "./publishSourceStates.ts"
import { SeriesPoller } from "./SeriesPoller.ts"
import { StreamWriter } from "./StreamWriter.ts"

export interface CollectOptions {
  /** The name of the process, which must be unique among all processes that share the store, including restarts. */
  readonly holder?: string
  readonly pace?: Partial<CollectPace>
}

interface CollectContext {
  readonly store: MarketStore["Service"]
  readonly pace: CollectPace
  readonly storeFailureLog: StoreFailureLog
}

const runCollector = (
  collector: Collector,
  { fence, pace, store }: CollectContext & { readonly fence: Fence },
  monitor: CollectorMonitor
): Effect.Effect<never, Superseded> => {
  switch (collector._tag) {
    case "series":
      return new SeriesPoller({ collector, fence, store, monitor, pace }).runForever
    case "documents":
      return collectDocuments({ collector, fence, store, monitor, pace })
    case "events":
      return collectEvents({ collector, fence, store, monitor, pace })
    case "stream":
      return new StreamWriter({ collector, fence, store, monitor, pace }).runForever
  }
}

/** Restarts a crashed collector, so that a bug in one collector does not affect other collectors. */
const restartOnCrash = (
  { name, source }: Collector,
  run: Effect.Effect<never, Superseded>,
  monitor: CollectorMonitor,
  { retryPauseMs }: CollectPace
): Effect.Effect<never, Superseded> =>
  Effect.forever(
    Effect.catchDefect(run, (defect) =>
      Effect.logError(`Collecting ${name} from ${source} failed unexpectedly`, defect).pipe(
        Effect.andThen(monitor.recordFailure("broken", "its collector failed unexpectedly and restarts; see the log")),
        Effect.andThen(Effect.sleep(retryPauseMs))
      ))
  )

const publishInterval = "15 seconds"

const publishMetrics = (monitors: () => ReadonlyArray<CollectorMonitor>): Effect.Effect<never> =>
  Effect.forever(
    Effect.andThen(
      Effect.suspend(() => Effect.forEach(monitors(), ({ publishLag }) => publishLag)),
      Effect.sleep(publishInterval)
    )
  )

const collectFrom = Effect.fnUntraced(function*(
  source: string,
  collectors: ReadonlyArray<Collector>,
  holder: string,
  context: CollectContext
) {
  let leader: KnownLeader = { lead: "asks", holder: null }
  // After this process loses the leadership, its monitors are kept until another process leads and publishes its own
  // state.
  let monitors: ReadonlyArray<CollectorMonitor> = []
  const { report, register } = yield* MarketHealth
  const states = Effect.map(report, ({ sources }) => sources)
  const streams = new Set(collectors.flatMap(({ _tag, name }) => _tag === "stream" ? [name] : []))
  yield* register((now) => ({
    source,
    ...leader,
    collectors: monitors.map((one) => one.state(now))
  }), streams)
  const resetMonitors = Effect.suspend(() => {
    const before = monitors
    monitors = []
    return Effect.forEach(before, (one) => one.resetLag, { discard: true })
  })
  const setLeader = (lead: KnownLeader) =>
    Effect.suspend(() => {
      leader = lead
      return lead.lead === "follows" ? resetMonitors : Effect.void
    })
  const runAll = (fence: Fence) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const newMonitors = collectors.map((collector, i) =>
        new CollectorMonitor(collector, monitors[i]?.resumeFrom ?? now, context.storeFailureLog)
      )
      monitors = newMonitors
      return Effect.raceAllFirst([
        ...collectors.map((one, i) =>
          restartOnCrash(
            one,
            Effect.suspend(() => runCollector(one, { ...context, fence }, newMonitors[i]!)),
            newMonitors[i]!,
            context.pace
          )
        ),
        publishSourceStates({ source, fence, store: context.store, states })
      ])
    })
  const logLeaseFailure = (reason: string) =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => context.storeFailureLog.logFailure(now, `determining the leader of ${source}`, reason)
    )
  yield* Effect.addFinalizer(() => resetMonitors)
  yield* Effect.forkScoped(publishMetrics(() => monitors))
  yield* Effect.forkScoped(
    runAsLeader({ source, holder, pace: context.pace, onLeader: setLeader, onStoreFailure: logLeaseFailure }, runAll)
  )
})

/**
 * Runs the collectors until the layer's scope closes. Of all processes that share the store, only one collects from
 * each source. A restarted process, or another process, continues from the stored data.
 */
export const layerCollectors = (
  collectors: ReadonlyArray<Collector>,
  { holder = makeHolderName(), pace = {} }: CollectOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth> =>
  Layer.effectDiscard(Effect.gen(function*() {
    const context = {
      store: yield* MarketStore,
      pace: { ...defaultCollectPace, ...pace },
      storeFailureLog: new StoreFailureLog()
    }
    const bySource = Map.groupBy(collectors, ({ source }) => source)
    for (const [source, own] of bySource) yield* collectFrom(source, own, holder, context)
  }))
