import { Clock, Effect, FiberMap, Layer, Option, Random } from "effect"
import { ConversationStore } from "../agent/ConversationStore.ts"
import { GenerationStore } from "../agent/GenerationStore.ts"
import { Analyst } from "../agent/service/Analyst.ts"
import { DerivedStore } from "../analysis/signals/DerivedStore.ts"
import { KeyStore } from "../engine/access/KeyStore.ts"
import { CoinPrices } from "../market/CoinPrices.ts"
import { StoredEquities } from "../market/StoredEquities.ts"
import type { Firing } from "./tasks/firing.ts"
import { forEachIsolated } from "./tasks/run/forEachIsolated.ts"
import { initialiseTaskMetrics } from "./tasks/run/metrics.ts"
import { makeSeriesReader } from "./tasks/run/readSeries.ts"
import { type FiringServices, runFiring } from "./tasks/run/runFiring.ts"
import { sweepSchedules } from "./tasks/run/sweepSchedules.ts"
import { findLastMinute, sweepWatches } from "./tasks/run/sweepWatches.ts"
import { TaskTiming } from "./tasks/run/TaskTiming.ts"
import { TaskStore } from "./tasks/TaskStore.ts"

export interface TaskOptions {
  /** The maximum number of concurrent firings in a process, including those that wait for an answer; 32 by default. */
  readonly maxConcurrentFirings?: number
  /** An effect that completes when the process begins to stop, after which the process starts no more firings. */
  readonly stopping?: Effect.Effect<void>
}

const deleteBatchSize = 1_000
const maintenanceIntervalMs = 60_000
const maxConcurrentTakes = 4

const makeFiringRunner = Effect.fnUntraced(function*(services: FiringServices, maxFirings: number) {
  const fibres = yield* FiberMap.make<number, void>()
  const freeSlots = Effect.map(FiberMap.size(fibres), (size) => Math.max(0, maxFirings - size))
  const run = (firing: Firing) =>
    runFiring(services, firing).pipe(
      // A firing that fails unexpectedly stays unfinished, and a process resumes it later.
      Effect.catchCause((cause) =>
        Effect.logWarning(`Firing ${firing.id} of task ${firing.task} failed unexpectedly`, cause)
      ),
      (effect) => Effect.asVoid(FiberMap.run(fibres, firing.id, effect))
    )
  return {
    free: freeSlots,
    run,
    /** Runs a firing if the process has a free slot; if not, a process with a free slot takes the firing later. */
    runIfFree: (firing: Firing) => Effect.flatMap(freeSlots, (slots) => slots > 0 ? run(firing) : Effect.void)
  }
})

/** Takes over unfinished firings that no process runs. Takes at most as many firings as the process has free slots. */
const resumeUnfinished = Effect.fnUntraced(function*(
  { tasks, timing }: FiringServices,
  { free, run }: Effect.Success<ReturnType<typeof makeFiringRunner>>
) {
  const slots = yield* free
  const unfinished = slots === 0 ? [] : yield* tasks.listUnfinished(timing.staleMs, slots)
  yield* forEachIsolated(
    unfinished,
    ({ id }) => Effect.flatMap(tasks.take(id, timing.staleMs), (firing) => firing === null ? Effect.void : run(firing)),
    maxConcurrentTakes
  )
})

const makeFiringServices = Effect.gen(function*() {
  const [analyst, generations, conversations] = yield* Effect.all([
    Effect.serviceOption(Analyst),
    Effect.serviceOption(GenerationStore),
    Effect.serviceOption(ConversationStore)
  ])
  const analystServices = Option.all({ analyst, generations, conversations })
  const services: FiringServices = {
    tasks: yield* TaskStore,
    keys: yield* KeyStore,
    timing: yield* TaskTiming,
    analystServices: Option.getOrNull(analystServices)
  }
  return services
})

/** Repeats `work` with a pause of `everyMs` to 1.25 `everyMs`, and continues after a failure. */
const forkRepeating = <E, R>(
  description: string,
  everyMs: number,
  work: Effect.Effect<unknown, E, R>,
  stopping: Effect.Effect<void>
) =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`${description} failed`, cause)),
    Effect.andThen(
      Effect.flatMap(Random.nextIntBetween(0, Math.ceil(everyMs / 4)), (jitterMs) => Effect.sleep(everyMs + jitterMs))
    ),
    Effect.forever,
    (loop) => Effect.raceFirst(stopping, loop),
    Effect.forkScoped
  )

/**
 * Runs the tasks of all accounts, in any number of processes on shared stores. One leader evaluates watches and claims
 * schedules for all processes, and the store decides which process runs a firing. Without an analyst, firings with a
 * question are refused with a notification.
 */
export const layerTasks = ({ maxConcurrentFirings = 32, stopping = Effect.never }: TaskOptions = {}): Layer.Layer<
  never,
  never,
  CoinPrices | DerivedStore | KeyStore | StoredEquities
> =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* initialiseTaskMetrics
    const services = yield* makeFiringServices
    const { tasks, timing } = services
    const sources = { prices: yield* CoinPrices, equities: yield* StoredEquities, derived: yield* DerivedStore }
    const firingRunner = yield* makeFiringRunner(services, maxConcurrentFirings)
    const watchServices = { tasks, timing, readSeries: makeSeriesReader(sources), run: firingRunner.runIfFree }
    const holder = `${yield* Clock.currentTimeMillis}-${yield* Random.nextInt}`
    const acquireLeadership = tasks.acquireLeadership(holder, timing.leaseMs)

    let evaluatedUntil = 0
    const evaluateWatches = Effect.gen(function*() {
      const until = yield* findLastMinute(watchServices)
      if (until <= evaluatedUntil || !(yield* acquireLeadership)) return
      yield* sweepWatches(watchServices, until)
      evaluatedUntil = until
    })
    const deleteOldRows = Effect.gen(function*() {
      if (!(yield* acquireLeadership)) return
      while ((yield* tasks.sweep(timing.retentionMs, deleteBatchSize)) >= deleteBatchSize);
    })
    const claimSchedules = Effect.flatMap(
      acquireLeadership,
      (isLeader) => isLeader ? sweepSchedules(tasks, firingRunner.runIfFree) : Effect.void
    )
    const runDueFirings = forEachIsolated([resumeUnfinished(services, firingRunner), claimSchedules], (task) => task, 1)

    yield* forkRepeating("Running due firings", timing.sweepIntervalMs, runDueFirings, stopping)
    yield* forkRepeating("Upkeep of tasks", maintenanceIntervalMs, deleteOldRows, stopping)
    yield* forkRepeating("Evaluating watches", timing.sweepIntervalMs, evaluateWatches, stopping)
  }))
