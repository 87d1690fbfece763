import {
  type Firing,
  type ScheduleTask,
  type Task,
  TaskFailpoints,
  TaskStore,
  type WatchTask,
  withTaskFailpoints
} from "@tapeline/core/personal"
import { Clock, Effect, Layer } from "effect"
import { cloneAsJson } from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"
import * as changes from "./taskChanges.ts"

type Store = typeof TaskStore["Service"]

const makeReads = ({ firings, tasks }: MemoryState["Service"]["tasks"], now: () => number) => {
  const getTasks = () => [...tasks.values()].map(({ task }) => task).sort((a, b) => a.id - b.id)
  const isDue = ({ notBefore, status }: Task) => status === "active" && (notBefore === null || notBefore <= now())
  return {
    list: (account, status) =>
      Effect.sync(() =>
        cloneAsJson(
          getTasks().filter((task) => task.account === account && (status === null || task.status === status))
            .toReversed()
        )
      ),
    find: (account, id) =>
      Effect.sync(() => {
        const task = tasks.get(id)?.task
        return task?.account === account ? cloneAsJson(task) : null
      }),
    listActiveWatches: (after, limit) =>
      Effect.sync(() =>
        cloneAsJson(
          getTasks().filter((task): task is WatchTask => task.kind === "watch" && isDue(task) && task.id > after)
            .slice(0, limit)
        )
      ),
    listDueSchedules: (limit) =>
      Effect.sync(() =>
        cloneAsJson(
          getTasks().filter((task): task is ScheduleTask =>
            task.kind === "schedule" && isDue(task) && task.nextAt <= now()
          )
            .sort((a, b) => a.nextAt - b.nextAt || a.id - b.id).slice(0, limit)
        )
      ),
    listUnfinished: (staleMs, limit) =>
      Effect.sync(() =>
        cloneAsJson(
          [...firings.values()].map(({ firing }) => firing)
            .filter(({ renewedAt, state }) => state !== "ended" && renewedAt <= now() - staleMs)
            .sort((a, b) => a.renewedAt - b.renewedAt || a.id - b.id).slice(0, limit)
        )
      )
  } satisfies Partial<Store>
}

/** Provides `TaskStore` over `MemoryState`, with one clock for all callers, like a database. */
export const MemoryTaskStore: Layer.Layer<never, never, MemoryState> = Layer.effect(
  TaskStore,
  Effect.gen(function*() {
    const [state, clock, failpoint] = yield* Effect.all([MemoryState, Clock.Clock, TaskFailpoints])
    const tables = state.tasks
    const now = () => clock.currentTimeMillisUnsafe()
    const withFailpoints = withTaskFailpoints(failpoint)
    const copyFiring = (firing: Firing | null) => firing === null ? null : cloneAsJson(firing)
    return {
      ...makeReads(tables, now),
      write: (account, callId, change) =>
        Effect.flatMap(
          withFailpoints(
            "write",
            Effect.sync(() => changes.writeTask(state, account, callId, cloneAsJson(change), now()))
          ),
          (result) => Effect.map(Effect.fromResult(result), cloneAsJson)
        ),
      storeWatchStates: (observed) =>
        withFailpoints("observe", Effect.sync(() => changes.storeObservations(tables, cloneAsJson(observed)))),
      claim: (claim) =>
        withFailpoints(
          "claim",
          Effect.andThen(
            Effect.suspend(() => failpoint("within:claim")),
            Effect.sync(() => copyFiring(changes.claimFiring(state, cloneAsJson(claim), now())))
          )
        ),
      take: (id, staleMs) =>
        withFailpoints("take", Effect.sync(() => copyFiring(changes.takeFiring(tables, id, staleMs, now())))),
      renew: (fence) => withFailpoints("renew", Effect.sync(() => changes.changeFiring(tables, fence, {}, now()))),
      assignNewConversation: (fence) =>
        withFailpoints("rehouse", Effect.sync(() => changes.replaceConversation(state, fence, now()))),
      recordGeneration: (fence, generation) =>
        withFailpoints(
          "asked",
          Effect.sync(() => changes.changeFiring(tables, fence, { state: "asked", generation }, now()) !== null)
        ),
      end: (fence, end) =>
        withFailpoints(
          "end",
          Effect.andThen(
            Effect.suspend(() => failpoint("within:end")),
            Effect.sync(() => changes.endFiring(state, fence, end, now()))
          )
        ).pipe(
          Effect.tap((endResult) =>
            Effect.sync(() => {
              const account = tables.firings.get(fence.firing)?.firing.account
              if (endResult !== null && endResult.notification !== null && account !== undefined) {
                tables.notices.wake(account)
              }
            })
          )
        ),
      acquireLeadership: (holder, leaseMs) =>
        withFailpoints("lead", Effect.sync(() => changes.takeLead(tables, holder, leaseMs, now()))),
      sweep: (keepMs, limit) =>
        withFailpoints("sweep", Effect.sync(() => changes.sweepTasks(tables, keepMs, limit, now()))),
      currentTime: Effect.sync(now)
    }
  })
)
