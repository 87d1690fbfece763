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
import { throughJson } from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"
import * as changes from "./taskChanges.ts"

type Store = typeof TaskStore["Service"]

const reads = ({ firings, tasks }: MemoryState["Service"]["tasks"], now: () => number) => {
  const all = () => [...tasks.values()].map(({ task }) => task).sort((a, b) => a.id - b.id)
  const isFree = ({ notBefore, status }: Task) => status === "active" && (notBefore === null || notBefore <= now())
  return {
    list: (account, status) =>
      Effect.sync(() =>
        throughJson(
          all().filter((task) => task.account === account && (status === null || task.status === status)).toReversed()
        )
      ),
    find: (account, id) =>
      Effect.sync(() => {
        const task = tasks.get(id)?.task
        return task?.account === account ? throughJson(task) : null
      }),
    watches: (after, limit) =>
      Effect.sync(() =>
        throughJson(
          all().filter((task): task is WatchTask => task.kind === "watch" && isFree(task) && task.id > after)
            .slice(0, limit)
        )
      ),
    due: (limit) =>
      Effect.sync(() =>
        throughJson(
          all().filter((task): task is ScheduleTask => task.kind === "schedule" && isFree(task) && task.nextAt <= now())
            .sort((a, b) => a.nextAt - b.nextAt || a.id - b.id).slice(0, limit)
        )
      ),
    unfinished: (staleMs, limit) =>
      Effect.sync(() =>
        throughJson(
          [...firings.values()].map(({ firing }) => firing)
            .filter(({ renewedAt, state }) => state !== "ended" && renewedAt <= now() - staleMs)
            .sort((a, b) => a.renewedAt - b.renewedAt || a.id - b.id).slice(0, limit)
        )
      )
  } satisfies Partial<Store>
}

/** `TaskStore` over `MemoryState`. Times come from the clock of the layer's construction. */
export const MemoryTaskStore: Layer.Layer<never, never, MemoryState> = Layer.effect(
  TaskStore,
  Effect.gen(function*() {
    const [state, clock, hook] = yield* Effect.all([MemoryState, Clock.Clock, TaskFailpoints])
    const tables = state.tasks
    const now = () => clock.currentTimeMillisUnsafe()
    const named = withTaskFailpoints(hook)
    const copy = (firing: Firing | null) => firing === null ? null : throughJson(firing)
    return {
      ...reads(tables, now),
      write: (account, callId, change) =>
        Effect.flatMap(
          named("write", Effect.sync(() => changes.write(state, account, callId, throughJson(change), now()))),
          (judged) => Effect.map(Effect.fromResult(judged), throughJson)
        ),
      observe: (observed) => named("observe", Effect.sync(() => changes.observe(tables, throughJson(observed)))),
      claim: (claim) =>
        named(
          "claim",
          Effect.andThen(
            Effect.suspend(() => hook("within:claim")),
            Effect.sync(() => copy(changes.claim(tables, throughJson(claim), now())))
          )
        ),
      take: (id, staleMs) => named("take", Effect.sync(() => copy(changes.take(tables, id, staleMs, now())))),
      renew: (fence) => named("renew", Effect.sync(() => changes.change(tables, fence, {}, now()))),
      rehouse: (fence) => named("rehouse", Effect.sync(() => changes.rehouse(state, fence, now()))),
      asked: (fence, generation) =>
        named(
          "asked",
          Effect.sync(() => changes.change(tables, fence, { state: "asked", generation }, now()) !== null)
        ),
      end: (fence, end) =>
        named(
          "end",
          Effect.andThen(
            Effect.suspend(() => hook("within:end")),
            Effect.sync(() => changes.end(state, fence, end, now()))
          )
        ).pipe(
          Effect.tap((ended) =>
            Effect.sync(() => {
              const account = tables.firings.get(fence.firing)?.firing.account
              if (ended !== null && ended.notification !== null && account !== undefined) tables.wakes.wake(account)
            })
          )
        ),
      lead: (holder, leaseMs) => named("lead", Effect.sync(() => changes.lead(tables, holder, leaseMs, now()))),
      sweep: (keepMs, limit) => named("sweep", Effect.sync(() => changes.sweep(tables, keepMs, limit, now()))),
      time: Effect.sync(now)
    }
  })
)
