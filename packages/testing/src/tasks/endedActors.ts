import { assert } from "@effect/vitest"
import type { Actor } from "@tapeline/core/engine"
import { pauseUserTasks } from "@tapeline/core/personal"
import { Effect } from "effect"
import { enrolledActors, newHash } from "../actors.ts"
import {
  created,
  creating,
  end,
  fenceOf,
  find,
  fired,
  newCall,
  onBell,
  onTasks,
  refusalOf,
  type TaskTests,
  updated,
  updating,
  write
} from "./fixtures.ts"

/* Changes by sessions and keys that have ended. */

const endedKeys = <R>(it: TaskTests<R>): void => {
  it.effect("rejects a change by a key that was revoked, and answers a repeated call as before", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* enrolledActors
      const call = newCall()
      const task = yield* created(account, { key }, call)
      yield* keys.revokeKey(key, null)
      assert.strictEqual(yield* refusalOf(account, creating({ key })), "ActorEnded")
      assert.strictEqual(yield* refusalOf(account, { _tag: "Delete", id: task.id, key }), "ActorEnded")
      assert.deepStrictEqual(yield* created(account, { key }, call), task)
    }))

  it.effect("rejects a change by a key that lost write:personal", () =>
    Effect.gen(function*() {
      const { account, key, keys } = yield* enrolledActors
      const task = yield* created(account, { key })
      yield* keys.updateKey(key, { scopes: ["agent:chat"] })
      assert.strictEqual(yield* refusalOf(account, updating(task.id, { key, title: "changed" })), "ActorEnded")
      assert.strictEqual(yield* refusalOf(account, { _tag: "Delete", id: task.id, key }), "ActorEnded")
    }))
}

export const endedActors = <R>(it: TaskTests<R>): void => {
  endedKeys(it)

  it.effect("rejects a change by a session that was ended, expired, or belongs to another account", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* enrolledActors
      const stranger = yield* enrolledActors
      const by = { key: null, session }
      const task = yield* created(account, by)
      yield* updated(account, task.id, { ...by, title: "changed" })
      yield* sessions.end({ account, id: session }, "revoked", null)
      assert.strictEqual(yield* refusalOf(account, creating(by)), "ActorEnded")
      assert.strictEqual(yield* refusalOf(account, updating(task.id, { ...by, status: "paused" })), "ActorEnded")
      assert.strictEqual(yield* refusalOf(account, creating({ ...by, session: stranger.session })), "ActorEnded")
      const idle = { hash: newHash(), device: "test", idleMs: 0, lifeMs: 0, replaces: null }
      const { id: expired } = yield* sessions.open(account, "openid", idle, null)
      assert.strictEqual(yield* refusalOf(account, creating({ ...by, session: expired })), "ActorEnded")
      assert.strictEqual((yield* updated(account, task.id, { key: null, session: other })).title, "changed")
    }))

  it.effect("marks no notification for a session or key that is over, and answers a repeated call as before", () =>
    Effect.gen(function*() {
      const { account, key, keys, session, sessions } = yield* enrolledActors
      const mark = (by: Actor, call = newCall()) => onBell((store) => store.mark(account, call, null, by))
      const [byKey, bySession] = [{ _tag: "Key", key }, { _tag: "Session", session }] as const
      const call = newCall()
      assert.strictEqual(yield* mark(byKey, call), 0)
      assert.strictEqual(yield* mark(bySession), 0)
      yield* keys.revokeKey(key, null)
      yield* sessions.end({ account, id: session }, "revoked", null)
      for (const by of [byKey, bySession]) assert.strictEqual((yield* Effect.flip(mark(by)))._tag, "ActorEnded")
      assert.strictEqual(yield* mark(byKey, call), 0)
    }))

  it.effect("leaves no active task when a session creates tasks while it is ended and tasks are paused", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* enrolledActors
      // Each call has its own identity.
      const create = Effect.match(Effect.suspend(() => write(account, creating({ key: null, session }))), {
        onFailure: ({ _tag }) => _tag,
        onSuccess: () => "created"
      })
      const creates = Effect.repeat(create, { until: (came) => came === "ActorEnded" })
      yield* create
      const ends = Effect.andThen(
        Effect.andThen(create, sessions.endAll(account, other, null)),
        onTasks((store) => pauseUserTasks(store, account))
      )
      yield* Effect.all([creates, creates, creates, ends], { concurrency: "unbounded" })
      assert.deepStrictEqual(yield* onTasks((store) => store.list(account, "active")), [])
    }))

  it.effect("pauses a done task only while its last firing is under way", () =>
    Effect.gen(function*() {
      const { account } = yield* enrolledActors
      const { id } = yield* created(account, { key: null, maxRuns: 1 })
      const pause = onTasks((store) => pauseUserTasks(store, account))
      const task = yield* find(account, id)
      const firing = yield* fired(task!)
      assert.strictEqual((yield* find(account, id))?.status, "done")
      assert.strictEqual(yield* pause, 1)
      assert.strictEqual((yield* find(account, id))?.status, "paused")
      yield* end(fenceOf(firing), { outcome: "failed", report: null, notification: null, giveBack: { notBefore: 0 } })
      assert.deepInclude(yield* find(account, id), { status: "paused", runs: 0 })
      const over = yield* created(account, { key: null, maxRuns: 1 })
      yield* end(fenceOf(yield* fired(over)))
      assert.strictEqual(yield* refusalOf(account, updating(over.id, { key: null, status: "paused" })), "TaskIsDone")
    }))
}
