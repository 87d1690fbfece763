import { assert, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core"
import { pauseUserTasks, TaskStore } from "@tapeline/core/personal"
import { MemoryStores } from "@tapeline/testing"
import { createTask, hourlySchedule, newAccount, updateTask } from "@tapeline/testing/tasks/fixtures"
import { Effect } from "effect"

it.effect("pauses the active tasks that no key created or last changed, and is idempotent", () =>
  Effect.gen(function*() {
    const store = yield* TaskStore
    const [account, other] = [newAccount(), newAccount()]
    const user = yield* createTask(account, { key: null })
    const schedule = yield* createTask(account, { key: null, trigger: hourlySchedule })
    const ofKey = yield* createTask(account, { key: 7 })
    const takenOver = yield* createTask(account, { key: null })
    yield* updateTask(account, takenOver.id, { key: 8, title: "b" })
    const paused = yield* createTask(account, { key: null })
    yield* updateTask(account, paused.id, { key: null, status: "paused" })
    const others = yield* createTask(other, { key: null })
    assert.strictEqual(yield* pauseUserTasks(store, account), 2)
    assert.strictEqual(yield* pauseUserTasks(store, account), 0)
    const idsOf = (status: "active" | "paused") =>
      Effect.map(store.list(account, status), (tasks) => tasks.map(({ id }) => id).toSorted((a, b) => a - b))
    assert.deepStrictEqual(yield* idsOf("paused"), [user.id, schedule.id, paused.id])
    assert.deepStrictEqual(yield* idsOf("active"), [ofKey.id, takenOver.id])
    assert.strictEqual((yield* store.find(other, others.id))?.status, "active")
    // A user who resumes the task makes the task run with the user's scopes again.
    yield* updateTask(account, user.id, { key: null, status: "active" })
    assert.strictEqual(yield* pauseUserTasks(store, account), 1)
  }).pipe(Effect.provide(MemoryStores)))

it.effect("fails if the store is unavailable, and pauses the rest on the next attempt", () =>
  Effect.gen(function*() {
    const store = yield* TaskStore
    const account = newAccount()
    yield* createTask(account, { key: null })
    yield* createTask(account, { key: null })
    let writes = 0
    const failing: typeof store = {
      ...store,
      write: (...args) =>
        ++writes === 2
          ? Effect.fail(new StoreUnavailable({ store: "TaskStore", cause: new Error("away") }))
          : store.write(...args)
    }
    assert.strictEqual((yield* Effect.flip(pauseUserTasks(failing, account)))._tag, "StoreUnavailable")
    assert.strictEqual(yield* pauseUserTasks(store, account), 1)
  }).pipe(Effect.provide(MemoryStores)))

it.effect("pauses nothing if there are no tasks", () =>
  Effect.gen(function*() {
    assert.strictEqual(yield* pauseUserTasks(yield* TaskStore, 1), 0)
  }))
