import { assert, layer as withLayer } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import type { ConversationStore } from "@tapeline/core/agent"
import { StoreUnavailable } from "@tapeline/core/engine"
import { type TaskFailpoint, TaskFailpoints, taskFailpoints } from "@tapeline/core/personal"
import { Context, Effect, Layer } from "effect"
import {
  bellOf,
  claim,
  claimOf,
  created,
  dayMs,
  end,
  fenceOf,
  foundWatch,
  hour,
  minute,
  newAccount,
  newCall,
  onBell,
  onConversations,
  onTasks,
  saidIn
} from "../tasks/fixtures.ts"

class Armed extends Context.Service<Armed, { point: TaskFailpoint | null }>()(
  "@tapeline/testing/contracts/taskFailpoints/Armed"
) {
  static readonly layer = Layer.sync(Armed, () => ({ point: null }))
  /** Fails once at the armed point. */
  static readonly hook: Layer.Layer<never, never, Armed> = Layer.effect(
    TaskFailpoints,
    Effect.map(Armed, (armed) => (point: TaskFailpoint) =>
      Effect.suspend(() => {
        if (point !== armed.point) return Effect.void
        armed.point = null
        return Effect.fail(new StoreUnavailable({ store: "TaskStore", cause: new Error(`died at ${point}`) }))
      }))
  )
}

/** The steps of successive processes for a task that fires once, up to a failure. */
const goOn = Effect.fnUntraced(function*(account: number, calls: { readonly make: string; readonly mark: string }) {
  const { conversation, id } = yield* created(account, { maxRuns: 1 }, calls.make)
  yield* onTasks((store) => store.lead(calls.make, minute))
  const task = yield* foundWatch(account, id)
  const { checkedTo: from } = task.watch
  const watch = { ...task.watch, checkedTo: from + minute }
  yield* onTasks((store) => store.observe([{ task: id, version: task.version, from, watch }]))
  yield* claim(claimOf(yield* foundWatch(account, id)))
  const open = yield* onTasks((store) => store.unfinished(-hour, 100_000))
  for (const one of open.filter((firing) => firing.account === account)) {
    const taken = yield* onTasks((store) => store.take(one.id, 0))
    assert(taken !== null, "nobody else runs it")
    const fence = fenceOf(taken)
    yield* onTasks((store) => store.renew(fence))
    if (taken.conversation === conversation) yield* onTasks((store) => store.rehouse(fence))
    yield* onTasks((store) => store.asked(fence, 7))
    yield* end(fence)
  }
  assert.strictEqual(yield* onBell((store) => store.mark(account, calls.mark, null)), 1)
  yield* onTasks((store) => store.sweep(30 * dayMs, 100))
})

/**
 * The contract tests of a process that dies at any durable write of a task's firing while another process continues.
 * The task is created and fires once, and its report and its notification exist once. Notifications are marked as read
 * once.
 */
export const taskFailpointContract = <R, E>(
  name: string,
  make: (failpoints: Layer.Layer<never, never, Armed>) => Layer.Layer<ConversationStore | R, E, Armed>
): void =>
  withLayer(make(Armed.hook).pipe(Layer.provideMerge(Armed.layer)), { excludeTestServices: true, timeout: 60_000 })(
    `failpoints of tasks: ${name}`,
    (it) => {
      it.effect("a firing is made and ended once, wherever its process dies", () =>
        Effect.gen(function*() {
          const armed = yield* Armed
          for (const point of taskFailpoints) {
            const [account, calls] = [newAccount(), { make: newCall(), mark: newCall() }]
            armed.point = point
            const error = yield* Effect.flip(goOn(account, calls))
            assert.instanceOf(error, StoreUnavailable, point)
            yield* goOn(account, calls)
            const tasks = yield* onTasks((store) => store.list(account, null))
            assert.deepStrictEqual(tasks.map(({ runs, status }) => ({ runs, status })), [{ runs: 1, status: "done" }])
            const { items } = yield* onConversations((store) =>
              store.list(account, { limit: 10, cursor: null, scopes: allScopes })
            )
            const said = yield* Effect.forEach(items, ({ id }) => saidIn(account, id))
            assert.deepStrictEqual(said.flat(), ["task: it is so"], point)
            const { notifications } = yield* bellOf(account)
            assert.deepStrictEqual(notifications.map(({ n, read }) => ({ n, read })), [{ n: 1, read: true }], point)
          }
        }))
    }
  )
