import { assert } from "@effect/vitest"
import { Effect } from "effect"
import {
  created,
  end,
  fenceOf,
  find,
  fired,
  newAccount,
  onTasks,
  removed,
  type TaskTests,
  updated
} from "./fixtures.ts"

/* Firings of tasks that their owners pause, change or delete meanwhile. */

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
