import { assert } from "@effect/vitest"
import type { Firing } from "@tapeline/core/personal"
import { Effect } from "effect"
import {
  createTask,
  endFiring,
  findTask,
  findWatch,
  fireTask,
  getFence,
  newAccount,
  readNotifications,
  removeTask,
  type TaskTests,
  updateTask,
  useTaskStore
} from "./fixtures.ts"

/* Tests firings whose task is paused, changed or deleted before the firing ends. */

export const testStoppedTasks = <R>(it: TaskTests<R>): void => {
  it.effect("pauses a task for the operator once, keeps its key, and notifies the account with the reason", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account)
      const firing = yield* fireTask(task)
      const change = { _tag: "Pause", id: task.id, key: null, reason: "Too many answers." } as const
      const pause = (callId: string) => useTaskStore((store) => store.write(account, callId, change))
      const expected = { id: task.id, status: "paused" as const, key: task.key, version: task.version + 1 }
      for (const callId of ["pause 1", "pause 1", "pause 2"]) {
        const result = yield* pause(callId)
        assert(result._tag === "Task")
        assert.deepInclude(result.task, expected)
      }
      const [notification, ...rest] = (yield* readNotifications(account)).notifications
      assert.deepStrictEqual(rest, [])
      assert.deepInclude(notification, { kind: "task_paused", task: task.id, read: false, title: task.title })
      assert.strictEqual(notification?.body, "An operator of the service paused this task. Too many answers.")
      assert.isNull((yield* endFiring(getFence(firing)))!.notification)
      const missing = { ...change, id: task.id + 1_000_000 }
      const error = yield* Effect.flip(useTaskStore((store) => store.write(account, "pause 3", missing)))
      assert.strictEqual(error._tag, "NoSuchTask")
    }))

  it.effect("does not pause a task that has another key, and sends no notification then or for a paused task", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const [paused, editedTask] = [yield* createTask(account), yield* createTask(account)]
      const [first, second] = [yield* fireTask(paused), yield* fireTask(editedTask)]
      yield* updateTask(account, paused.id, { status: "paused" })
      assert.isNull((yield* endFiring(getFence(first)))!.notification)
      const pauseTask = { key: (editedTask.key ?? 0) + 1 }
      assert.isNull((yield* endFiring(getFence(second), { outcome: "key_gone", pauseTask }))!.notification)
      assert.deepInclude(yield* findTask(account, editedTask.id), { status: "active" })
    }))

  it.effect("sends one notification for consecutive rejected firings, even if the task was paused meanwhile", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const { id } = yield* createTask(account)
      const now = yield* useTaskStore((store) => store.currentTime)
      const endAsRefused = (firing: Firing) =>
        Effect.map(
          endFiring(getFence(firing), {
            outcome: "refused",
            notification: { kind: "task_refused", title: "a task", body: "no credits" },
            returnRun: { notBefore: now - 1 }
          }),
          (endResult) => endResult?.notification?.kind
        )
      const fireOnce = Effect.flatMap(findWatch(account, id), (task) => fireTask(task))
      const firingWhilePaused = yield* fireOnce
      yield* updateTask(account, id, { status: "paused" })
      assert.isUndefined(yield* endAsRefused(firingWhilePaused))
      assert.deepInclude(yield* findTask(account, id), { runs: 0, status: "paused", last: null })
      yield* updateTask(account, id, { status: "active" })
      const [first, second] = [yield* fireOnce, yield* fireOnce]
      assert.strictEqual(yield* endAsRefused(first), "task_refused")
      assert.isUndefined(yield* endAsRefused(second))
      const firingBeforePause = yield* fireOnce
      yield* updateTask(account, id, { status: "paused" })
      assert.isUndefined(yield* endAsRefused(firingBeforePause))
      yield* updateTask(account, id, { status: "active" })
      assert.isUndefined(yield* endAsRefused(yield* fireOnce))
      yield* endFiring(getFence(yield* fireOnce))
      assert.strictEqual(yield* endAsRefused(yield* fireOnce), "task_refused")
      assert.deepStrictEqual((yield* readNotifications(account)).notifications.map(({ kind }) => kind), [
        "task_refused",
        "task_fired",
        "task_refused"
      ])
    }))

  it.effect("returns the key and the status of the task at each renewal of a firing, and null for a deleted task", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const task = yield* createTask(account)
      const fence = getFence(yield* fireTask(task))
      const renewAndReadTask = Effect.map(
        useTaskStore((store) => store.renew(fence)),
        (renewAndReadTask) => renewAndReadTask?.task
      )
      assert.deepStrictEqual(yield* renewAndReadTask, { key: task.key, status: "active" })
      yield* updateTask(account, task.id, { status: "paused" })
      const { key } = (yield* findTask(account, task.id))!
      assert.deepStrictEqual(yield* renewAndReadTask, { key, status: "paused" })
      yield* removeTask(account, task.id)
      assert.isNull(yield* renewAndReadTask)
    }))
}
