import { assert } from "@effect/vitest"
import { type Actor, LedgerStore } from "@tapeline/core/engine"
import { pauseUserTasks } from "@tapeline/core/personal"
import { Effect } from "effect"
import { createActors, newHash } from "../actors.ts"
import {
  createTask,
  endFiring,
  findTask,
  fireTask,
  getErrorTag,
  getFence,
  makeCreate,
  makeUpdate,
  newCall,
  type TaskTests,
  updateTask,
  useNotificationStore,
  useTaskStore,
  writeChange
} from "./fixtures.ts"

const testEndedKeys = <R>(it: TaskTests<R>): void => {
  it.effect("rejects a change by a key that was revoked, and repeats the result of a repeated call", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* createActors
      const call = newCall()
      const task = yield* createTask(account, { key }, call)
      yield* keys.revokeKey(key, null)
      assert.strictEqual(yield* getErrorTag(account, makeCreate({ key })), "ActorEnded")
      assert.strictEqual(yield* getErrorTag(account, { _tag: "Delete", id: task.id, key }), "ActorEnded")
      assert.deepStrictEqual(yield* createTask(account, { key }, call), task)
    }))

  it.effect("moves the tasks of a rotated key to its successor, and no other tasks", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* createActors
      const task = yield* createTask(account, { key })
      const ownTask = yield* createTask(account, { key: null })
      const rotation = { prefix: "tl", hash: newHash(), overlapMs: 0, expiresAt: undefined, now: null }
      const { successor } = yield* keys.rotateKey(key, rotation)
      assert.strictEqual((yield* findTask(account, task.id))?.key, successor.id)
      assert.isNull((yield* findTask(account, ownTask.id))?.key)
      assert.strictEqual(yield* getErrorTag(account, makeUpdate(task.id, { key, title: "changed" })), "ActorEnded")
      yield* updateTask(account, task.id, { key: successor.id, title: "changed" })
    }))

  it.effect("lets a key with monthly credits pause and delete tasks that ask the analyst, and nothing else", () =>
    Effect.gen(function*() {
      const { account, key } = yield* createActors
      const task = yield* createTask(account, { key, prompt: "why?" })
      yield* (yield* LedgerStore).limitKey(key, 100)
      assert.strictEqual(yield* getErrorTag(account, makeCreate({ key, prompt: "why?" })), "LimitedKey")
      assert.strictEqual(yield* getErrorTag(account, makeUpdate(task.id, { key, title: "changed" })), "LimitedKey")
      yield* createTask(account, { key, prompt: null })
      yield* updateTask(account, task.id, { key, status: "paused" })
      assert.strictEqual(yield* getErrorTag(account, makeUpdate(task.id, { key, status: "active" })), "LimitedKey")
      yield* writeChange(account, { _tag: "Delete", id: task.id, key })
    }))

  it.effect("rejects a change by a key that lost write:personal", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* createActors
      const task = yield* createTask(account, { key })
      yield* keys.updateKey(key, { scopes: ["agent:chat"] })
      assert.strictEqual(yield* getErrorTag(account, makeUpdate(task.id, { key, title: "changed" })), "ActorEnded")
      assert.strictEqual(yield* getErrorTag(account, { _tag: "Delete", id: task.id, key }), "ActorEnded")
    }))
}

export const testEndedActors = <R>(it: TaskTests<R>): void => {
  testEndedKeys(it)

  it.effect("rejects a change by a session that was ended, expired, or belongs to another account", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* createActors
      const foreignActors = yield* createActors
      const actorFields = { key: null, session }
      const task = yield* createTask(account, actorFields)
      yield* updateTask(account, task.id, { ...actorFields, title: "changed" })
      yield* sessions.end({ account, id: session }, "revoked", null)
      assert.strictEqual(yield* getErrorTag(account, makeCreate(actorFields)), "ActorEnded")
      assert.strictEqual(
        yield* getErrorTag(account, makeUpdate(task.id, { ...actorFields, status: "paused" })),
        "ActorEnded"
      )
      assert.strictEqual(
        yield* getErrorTag(account, makeCreate({ ...actorFields, session: foreignActors.session })),
        "ActorEnded"
      )
      const expiredOptions = { hash: newHash(), device: "test", idleMs: 0, maxLifetimeMs: 0, replacedHash: null }
      const { id: expired } = yield* sessions.open(account, "openid", expiredOptions, null)
      assert.strictEqual(yield* getErrorTag(account, makeCreate({ ...actorFields, session: expired })), "ActorEnded")
      assert.strictEqual((yield* updateTask(account, task.id, { key: null, session: other })).title, "changed")
    }))

  it.effect("marks no notification for a session or key that has ended, and repeats the result of a repeated call", () =>
    Effect.gen(function*() {
      const { account, key, keys, session, sessions } = yield* createActors
      const markRead = (actorFields: Actor, call = newCall()) =>
        useNotificationStore((store) => store.markRead(account, call, null, actorFields))
      const [byKey, bySession] = [{ _tag: "Key", key }, { _tag: "Session", session }] as const
      const call = newCall()
      assert.strictEqual(yield* markRead(byKey, call), 0)
      assert.strictEqual(yield* markRead(bySession), 0)
      yield* keys.revokeKey(key, null)
      yield* sessions.end({ account, id: session }, "revoked", null)
      for (const actorFields of [byKey, bySession]) {
        assert.strictEqual((yield* Effect.flip(markRead(actorFields)))._tag, "ActorEnded")
      }
      assert.strictEqual(yield* markRead(byKey, call), 0)
    }))

  it.effect("leaves no active task when a session creates tasks while it is ended and tasks are paused", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* createActors
      const attemptCreate = Effect.match(
        Effect.suspend(() => writeChange(account, makeCreate({ key: null, session }))),
        {
          onFailure: ({ _tag }) => _tag,
          onSuccess: () => "created"
        }
      )
      const createUntilEnded = Effect.repeat(attemptCreate, { until: (result) => result === "ActorEnded" })
      yield* attemptCreate
      const endSessionsAndPause = Effect.andThen(
        Effect.andThen(attemptCreate, sessions.endAll(account, other, null)),
        useTaskStore((store) => pauseUserTasks(store, account))
      )
      yield* Effect.all([createUntilEnded, createUntilEnded, createUntilEnded, endSessionsAndPause], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* useTaskStore((store) => store.list(account, "active")), [])
    }))

  it.effect("pauses a done task only while its last firing is running", () =>
    Effect.gen(function*() {
      const { account } = yield* createActors
      const { id } = yield* createTask(account, { key: null, maxRuns: 1 })
      const pause = useTaskStore((store) => pauseUserTasks(store, account))
      const task = yield* findTask(account, id)
      const firing = yield* fireTask(task!)
      assert.strictEqual((yield* findTask(account, id))?.status, "done")
      assert.strictEqual(yield* pause, 1)
      assert.strictEqual((yield* findTask(account, id))?.status, "paused")
      yield* endFiring(getFence(firing), {
        outcome: "failed",
        report: null,
        notification: null,
        returnRun: { notBefore: 0 }
      })
      assert.deepInclude(yield* findTask(account, id), { status: "paused", runs: 0 })
      const finishedTask = yield* createTask(account, { key: null, maxRuns: 1 })
      yield* endFiring(getFence(yield* fireTask(finishedTask)))
      assert.strictEqual(
        yield* getErrorTag(account, makeUpdate(finishedTask.id, { key: null, status: "paused" })),
        "TaskIsDone"
      )
    }))
}
