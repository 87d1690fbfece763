import { Clock, Effect, FiberMap, Layer, Option, Random } from "effect"
import { ConversationStore } from "../agent/ConversationStore.ts"
import { GenerationStore } from "../agent/GenerationStore.ts"
import { Analyst } from "../agent/service/Analyst.ts"
import { DerivedStore } from "../analysis/signals/DerivedStore.ts"
import { KeyStore } from "../engine/access/KeyStore.ts"
import { CoinPrices } from "../market/CoinPrices.ts"
import { StoredEquities } from "../market/StoredEquities.ts"
import type { Firing } from "./tasks/firing.ts"
import { eachAlone } from "./tasks/run/eachAlone.ts"
import { showTaskCounters } from "./tasks/run/measures.ts"
import { makeReadSeries } from "./tasks/run/readSeries.ts"
import { type FiringDesk, runFiring } from "./tasks/run/runFiring.ts"
import { sweepSchedules } from "./tasks/run/sweepSchedules.ts"
import { lastMinute, sweepWatches } from "./tasks/run/sweepWatches.ts"
import { TaskTiming } from "./tasks/run/TaskTiming.ts"
import { TaskStore } from "./tasks/TaskStore.ts"

export interface TaskOptions {
  /** Maximum number of concurrent firings in a process, including those that wait for an answer. Default: 32. */
  readonly firingsAtOnce?: number
  /** Completes when the process begins to stop. From then on it claims and takes no firing. Default: never. */
  readonly stopping?: Effect.Effect<void>
}

/** Rows that upkeep deletes per batch, until no row is left. */
const droppedAtOnce = 1_000
const upkeepEveryMs = 60_000
/** Maximum number of firings that are taken concurrently. */
const takenAtOnce = 4

/** Runs firings in this process, each until it ends or another process takes it. */
const makeRunning = Effect.fnUntraced(function*(desk: FiringDesk, most: number) {
  const fibres = yield* FiberMap.make<number, void>()
  const free = Effect.map(FiberMap.size(fibres), (size) => Math.max(0, most - size))
  const run = (firing: Firing) =>
    runFiring(desk, firing).pipe(
      // The firing is resumed later, here or by another process.
      Effect.catchCause((cause) => Effect.logWarning(`Firing ${firing.id} of task ${firing.task} broke off`, cause)),
      (running) => Effect.asVoid(FiberMap.run(fibres, firing.id, running))
    )
  return {
    free,
    run,
    /** Runs a firing if there is room. Otherwise a process with room takes it later. */
    runIfRoom: (firing: Firing) => Effect.flatMap(free, (room) => room > 0 ? run(firing) : Effect.void)
  }
})

/** Takes unfinished firings that no process runs, as far as there is room. */
const resume = Effect.fnUntraced(function*(
  { tasks, timing }: FiringDesk,
  { free, run }: Effect.Success<ReturnType<typeof makeRunning>>
) {
  const room = yield* free
  const unfinished = room === 0 ? [] : yield* tasks.unfinished(timing.staleMs, room)
  yield* eachAlone(
    unfinished,
    ({ id }) => Effect.flatMap(tasks.take(id, timing.staleMs), (taken) => taken === null ? Effect.void : run(taken)),
    takenAtOnce
  )
})

const deskOf = Effect.gen(function*() {
  const [analyst, generations, conversations] = yield* Effect.all([
    Effect.serviceOption(Analyst),
    Effect.serviceOption(GenerationStore),
    Effect.serviceOption(ConversationStore)
  ])
  const asking = Option.all({ analyst, generations, conversations })
  const desk: FiringDesk = {
    tasks: yield* TaskStore,
    keys: yield* KeyStore,
    timing: yield* TaskTiming,
    asking: Option.getOrNull(asking)
  }
  return desk
})

/** Repeats `work` with a pause of `everyMs` to 1.25 `everyMs`. Logs a failure and continues. */
const repeated = <E, R>(
  what: string,
  everyMs: number,
  work: Effect.Effect<unknown, E, R>,
  stopping: Effect.Effect<void>
) =>
  work.pipe(
    Effect.catchCause((cause) => Effect.logWarning(`${what} failed`, cause)),
    Effect.andThen(
      Effect.flatMap(Random.nextIntBetween(0, Math.ceil(everyMs / 4)), (more) => Effect.sleep(everyMs + more))
    ),
    Effect.forever,
    (loop) => Effect.raceFirst(stopping, loop),
    Effect.forkScoped
  )

/**
 * Runs the tasks of all accounts. Judges watches once a minute, claims due schedules, and runs claimed firings,
 * including those of crashed processes. Any number of processes may run it on the same stores. The store's rows decide,
 * and one leader sweeps for all (`TaskStore.lead`). Questions go to the `Analyst` of the context. Without an analyst,
 * firings with a question are refused with a notification. `TaskTiming` contains the durations.
 */
export const layerTasks = ({ firingsAtOnce = 32, stopping = Effect.never }: TaskOptions = {}): Layer.Layer<
  never,
  never,
  CoinPrices | DerivedStore | KeyStore | StoredEquities
> =>
  Layer.effectDiscard(Effect.gen(function*() {
    yield* showTaskCounters
    const desk = yield* deskOf
    const { tasks, timing } = desk
    const sources = { prices: yield* CoinPrices, equities: yield* StoredEquities, derived: yield* DerivedStore }
    const running = yield* makeRunning(desk, firingsAtOnce)
    const watching = { tasks, timing, read: makeReadSeries(sources), run: running.runIfRoom }
    const holder = `${yield* Clock.currentTimeMillis}-${yield* Random.nextInt}`
    const leads = tasks.lead(holder, timing.leaseMs)

    let judgedTo = 0
    const watches = Effect.gen(function*() {
      const until = yield* lastMinute(watching)
      if (until <= judgedTo || !(yield* leads)) return
      yield* sweepWatches(watching, until)
      judgedTo = until
    })
    const upkeep = Effect.gen(function*() {
      if (!(yield* leads)) return
      while ((yield* tasks.sweep(timing.keepMs, droppedAtOnce)) >= droppedAtOnce);
    })
    const schedules = Effect.flatMap(
      leads,
      (isLeader) => isLeader ? sweepSchedules(tasks, running.runIfRoom) : Effect.void
    )
    const due = eachAlone([resume(desk, running), schedules], (look) => look, 1)

    yield* repeated("A look at what is due", timing.lookEveryMs, due, stopping)
    yield* repeated("Upkeep of tasks", upkeepEveryMs, upkeep, stopping)
    yield* repeated("A look at what is watched", timing.lookEveryMs, watches, stopping)
  }))
