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
  /** How many firings a process runs at most at a time, those that wait for an answer included; 32 when left out. */
  readonly firingsAtOnce?: number
  /** Returns when the process begins to stop: from then on it claims and takes nothing more. Never when left out. */
  readonly stopping?: Effect.Effect<void>
}

/** Rows that upkeep drops at a time, until there are none. */
const droppedAtOnce = 1_000
const upkeepEveryMs = 60_000
/** Firings that are taken up at once. */
const takenAtOnce = 4

/** Firings that run here, each until it ends or is another's. */
const makeRunning = Effect.fnUntraced(function*(desk: FiringDesk, most: number) {
  const fibres = yield* FiberMap.make<number, void>()
  const free = Effect.map(FiberMap.size(fibres), (size) => Math.max(0, most - size))
  const run = (firing: Firing) =>
    runFiring(desk, firing).pipe(
      // What is left of it is taken up again, here or by another process.
      Effect.catchCause((cause) => Effect.logWarning(`Firing ${firing.id} of task ${firing.task} broke off`, cause)),
      (running) => Effect.asVoid(FiberMap.run(fibres, firing.id, running))
    )
  return {
    free,
    run,
    /** One for which there is no room now is taken up later, by whoever has it. */
    runIfRoom: (firing: Firing) => Effect.flatMap(free, (room) => room > 0 ? run(firing) : Effect.void)
  }
})

/** Takes up what nobody runs, as far as there is room. */
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

/** Again and again, with a pause of a little more or less than `everyMs`; what fails is told, and tried again. */
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
 * Runs the tasks of all accounts: judges watches once a minute, claims what is due, and runs what was claimed, here and
 * by whoever died. Any number of processes may do so on the same stores: the store's rows decide, and one of them looks
 * after the others' share (`TaskStore.lead`). It asks the `Analyst` that it finds; where there is none, firings with a
 * question are refused, and say so. How long things last is `TaskTiming`.
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
