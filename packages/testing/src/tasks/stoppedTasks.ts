import { assert } from "@effect/vitest"
import type { Firing } from "@tapeline/core/personal"
import { Effect } from "effect"
import {
  bellOf,
  created,
  end,
  fenceOf,
  find,
  fired,
  foundWatch,
  newAccount,
  onTasks,
  removed,
  type TaskTests,
  updated
} from "./fixtures.ts"

/* Firings of tasks whose owners pause, change or delete them meanwhile. */

export const stoppedTasks = <R>(it: TaskTests<R>): void => {
  it.effect("sends no notification for a paused task, or of a pause by another key than the task's", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const [paused, changed] = [yield* created(mine), yield* created(mine)]
      const [first, second] = [yield* fired(paused), yield* fired(changed)]
      yield* updated(mine, paused.id, { status: "paused" })
      assert.isNull((yield* end(fenceOf(first)))!.notification)
      const pauses = { key: (changed.key ?? 0) + 1 }
      assert.isNull((yield* end(fenceOf(second), { outcome: "key_gone", pauses }))!.notification)
      assert.deepInclude(yield* find(mine, changed.id), { status: "active" })
    }))

  it.effect("sends one notification for refusals in a row, also if the task was paused at the first refusal", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const { id } = yield* created(mine)
      const now = yield* onTasks((store) => store.time)
      const refuse = (firing: Firing) =>
        Effect.map(
          end(fenceOf(firing), {
            outcome: "refused",
            notification: { kind: "task_refused", title: "a task", body: "no credits" },
            giveBack: { notBefore: now - 1 }
          }),
          (ended) => ended?.notification?.kind
        )
      const fire = Effect.flatMap(foundWatch(mine, id), (task) => fired(task))
      const whilePaused = yield* fire
      yield* updated(mine, id, { status: "paused" })
      assert.isUndefined(yield* refuse(whilePaused))
      assert.deepInclude(yield* find(mine, id), { runs: 0, status: "paused", last: null })
      yield* updated(mine, id, { status: "active" })
      // Two firings run at the same time.
      const [first, second] = [yield* fire, yield* fire]
      assert.strictEqual(yield* refuse(first), "task_refused")
      assert.isUndefined(yield* refuse(second))
      const pausedAgain = yield* fire
      yield* updated(mine, id, { status: "paused" })
      assert.isUndefined(yield* refuse(pausedAgain))
      yield* updated(mine, id, { status: "active" })
      assert.isUndefined(yield* refuse(yield* fire))
      yield* end(fenceOf(yield* fire))
      assert.strictEqual(yield* refuse(yield* fire), "task_refused")
      assert.deepStrictEqual((yield* bellOf(mine)).notifications.map(({ kind }) => kind), [
        "task_refused",
        "task_fired",
        "task_refused"
      ])
    }))

  it.effect("reports its task at each renewal: its key, a pause, and null once it is deleted", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const task = yield* created(mine)
      const fence = fenceOf(yield* fired(task))
      const renewed = Effect.map(onTasks((store) => store.renew(fence)), (renewed) => renewed?.task)
      assert.deepStrictEqual(yield* renewed, { key: task.key, status: "active" })
      yield* updated(mine, task.id, { status: "paused" })
      const { key } = (yield* find(mine, task.id))!
      assert.deepStrictEqual(yield* renewed, { key, status: "paused" })
      yield* removed(mine, task.id)
      assert.isNull(yield* renewed)
    }))
}
