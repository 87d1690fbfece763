import { assert } from "@effect/vitest"
import { KeyStore, SessionStore } from "@tapeline/core/access"
import { pauseUserTasks } from "@tapeline/core/tasks"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import {
  created,
  creating,
  end,
  fenceOf,
  find,
  fired,
  newCall,
  onTasks,
  refusalOf,
  type TaskTests,
  updated,
  updating,
  write
} from "./fixtures.ts"

/* Changes by sessions and keys that are over. */

const newHash = () => randomBytes(32).toString("hex")

const enrolled = Effect.gen(function*() {
  const [keys, sessions] = yield* Effect.all([KeyStore, SessionStore])
  const { id: account } = yield* keys.createAccount({ name: "owner", plan: "pro", now: null })
  const opening = { device: "test", idleMs: 3_600_000, lifeMs: 3_600_000, replaces: null }
  const open = Effect.suspend(() => sessions.open(account, "openid", { ...opening, hash: newHash() }, null))
  return { keys, sessions, account, session: (yield* open).id, other: (yield* open).id }
})

const endedKeys = <R>(it: TaskTests<R>): void => {
  it.effect("rejects a change by a key that was revoked, and answers a repeated call as before", () =>
    Effect.gen(function*() {
      const { account, keys } = yield* enrolled
      const added = { account, name: "k", prefix: "tl_live_abcd", scopes: ["write:personal"] } as const
      const { id: key } = yield* keys.createKey({ ...added, hash: newHash(), expiresAt: null, limit: 1, now: null })
      const call = newCall()
      const task = yield* created(account, { key }, call)
      yield* keys.revokeKey(key, null)
      assert.strictEqual(yield* refusalOf(account, creating({ key })), "ActorEnded")
      assert.strictEqual(yield* refusalOf(account, { _tag: "Delete", id: task.id, key }), "ActorEnded")
      assert.deepStrictEqual(yield* created(account, { key }, call), task)
    }))

  it.effect("rejects a change by a key that lost write:personal", () =>
    Effect.gen(function*() {
      const { account, keys } = yield* enrolled
      const added = { account, name: "k", prefix: "tl_live_abcd", scopes: ["write:personal"] } as const
      const { id: key } = yield* keys.createKey({ ...added, hash: newHash(), expiresAt: null, limit: 1, now: null })
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
      const { account, other, session, sessions } = yield* enrolled
      const stranger = yield* enrolled
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

  it.effect("leaves no active task when a session creates tasks while it is ended and tasks are paused", () =>
    Effect.gen(function*() {
      const { account, other, session, sessions } = yield* enrolled
      // Each call has an identity of its own.
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
      const { account } = yield* enrolled
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
