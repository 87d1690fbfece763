import { assert, layer as withLayer } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import type { ConversationStore } from "@tapeline/core/agent"
import { StoreUnavailable } from "@tapeline/core/engine"
import { type TaskFailpoint, TaskFailpoints, taskFailpoints } from "@tapeline/core/personal"
import { Context, Effect, Layer } from "effect"
import {
  claimTask,
  createTask,
  dayMs,
  endFiring,
  findWatch,
  getFence,
  hourMs,
  makeClaim,
  minuteMs,
  newAccount,
  newCall,
  readMessages,
  readNotifications,
  useConversationStore,
  useNotificationStore,
  useTaskStore
} from "../tasks/fixtures.ts"

class ArmedFailpoint extends Context.Service<ArmedFailpoint, { point: TaskFailpoint | null }>()(
  "@tapeline/testing/contracts/taskFailpoints/Armed"
) {
  static readonly layer = Layer.sync(ArmedFailpoint, () => ({ point: null }))
  static readonly layerFailpoints: Layer.Layer<never, never, ArmedFailpoint> = Layer.effect(
    TaskFailpoints,
    Effect.map(ArmedFailpoint, (armed) => (point: TaskFailpoint) =>
      Effect.suspend(() => {
        if (point !== armed.point) return Effect.void
        armed.point = null
        return Effect.fail(new StoreUnavailable({ store: "TaskStore", cause: new Error(`died at ${point}`) }))
      }))
  )
}

/** Runs all steps of a task with one firing, as successive processes would. A failpoint can end the task early. */
const runTaskOnce = Effect.fnUntraced(
  function*(account: number, calls: { readonly make: string; readonly markCall: string }) {
    const { conversation, id } = yield* createTask(account, { maxRuns: 1 }, calls.make)
    yield* useTaskStore((store) => store.acquireLeadership(calls.make, minuteMs))
    const task = yield* findWatch(account, id)
    const { checkedTo: previousCheckedTo } = task.watch
    const watch = { ...task.watch, checkedTo: previousCheckedTo + minuteMs }
    yield* useTaskStore((store) =>
      store.storeWatchStates([{ task: id, version: task.version, previousCheckedTo, watch }])
    )
    yield* claimTask(makeClaim(yield* findWatch(account, id)))
    const open = yield* useTaskStore((store) => store.listUnfinished(-hourMs, 100_000))
    for (const one of open.filter((firing) => firing.account === account)) {
      const takenFiring = yield* useTaskStore((store) => store.take(one.id, 0))
      assert(takenFiring !== null, "no other runner holds the firing")
      const fence = getFence(takenFiring)
      yield* useTaskStore((store) => store.renew(fence))
      if (takenFiring.conversation === conversation) yield* useTaskStore((store) => store.assignNewConversation(fence))
      yield* useTaskStore((store) => store.recordGeneration(fence, 7))
      yield* endFiring(fence)
    }
    assert.strictEqual(yield* useNotificationStore((store) => store.markRead(account, calls.markCall, null)), 1)
    yield* useTaskStore((store) => store.sweep(30 * dayMs, 100))
  }
)

/**
 * Defines the contract tests of a process that dies during a durable write of a firing task. After another process has
 * continued the task, the task has one firing, one report and one notification.
 */
export const taskFailpointContract = <R, E>(
  name: string,
  makeLayer: (
    failpoints: Layer.Layer<never, never, ArmedFailpoint>
  ) => Layer.Layer<ConversationStore | R, E, ArmedFailpoint>
): void =>
  withLayer(makeLayer(ArmedFailpoint.layerFailpoints).pipe(Layer.provideMerge(ArmedFailpoint.layer)), {
    excludeTestServices: true,
    timeout: 60_000
  })(
    `failpoints of tasks: ${name}`,
    (it) => {
      it.effect("a firing is created and ended once, at whichever write its process dies", () =>
        Effect.gen(function*() {
          const armed = yield* ArmedFailpoint
          for (const point of taskFailpoints) {
            const [account, calls] = [newAccount(), { make: newCall(), markCall: newCall() }]
            armed.point = point
            const error = yield* Effect.flip(runTaskOnce(account, calls))
            assert.instanceOf(error, StoreUnavailable, point)
            yield* runTaskOnce(account, calls)
            const tasks = yield* useTaskStore((store) => store.list(account, null))
            assert.deepStrictEqual(tasks.map(({ runs, status }) => ({ runs, status })), [{ runs: 1, status: "done" }])
            const { items } = yield* useConversationStore((store) =>
              store.list(account, { limit: 10, cursor: null, scopes: allScopes })
            )
            const messages = yield* Effect.forEach(items, ({ id }) => readMessages(account, id))
            assert.deepStrictEqual(messages.flat(), ["task: it is so"], point)
            const { notifications } = yield* readNotifications(account)
            assert.deepStrictEqual(notifications.map(({ n, read }) => ({ n, read })), [{ n: 1, read: true }], point)
          }
        }))
    }
  )
