import { assert } from "@effect/vitest"
import { writesKeptMs } from "@tapeline/core/personal"
import { Effect, Fiber } from "effect"
import {
  type Advance,
  bellOf,
  created,
  end,
  fenceOf,
  fired,
  foundWatch,
  newAccount,
  newCall,
  onBell,
  type TaskTests
} from "./fixtures.ts"

/* Notifications of accounts. */

/** Fires one task of an account once per body, and ends the firings at once. */
const ring = Effect.fnUntraced(function*(account: number, bodies: ReadonlyArray<string>) {
  const { id } = yield* created(account)
  const firings = yield* Effect.forEach(bodies, () => Effect.flatMap(foundWatch(account, id), (task) => fired(task)))
  yield* Effect.forEach(firings, (firing, i) =>
    end(fenceOf(firing), {
      report: null,
      notification: { kind: "task_fired", title: "a\u0000 \udfff", body: bodies[i]! }
    }), { concurrency: "unbounded" })
})

export const ringing = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("numbers notifications without a gap, however many come at once, and to each account its own", () =>
    Effect.gen(function*() {
      const [mine, other] = [newAccount(), newAccount()]
      assert.deepStrictEqual(yield* onBell((store) => store.since(mine, 0, 10)), { notifications: [], newest: 0 })
      const bodies = Array.from({ length: 8 }, (_, i) => `body ${i} \ud83d`)
      yield* Effect.all([ring(mine, bodies), ring(other, bodies.slice(0, 3))], { concurrency: "unbounded" })
      const { notifications, unread } = yield* bellOf(mine)
      assert.deepStrictEqual(notifications.map(({ n }) => n), [8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(notifications.map(({ body }) => body).sort(), bodies)
      assert.isTrue(notifications.every(({ title }) => title === "a\u0000 \udfff"))
      assert.strictEqual(unread, 8)
      assert.deepStrictEqual((yield* bellOf(mine, { limit: 2 })).notifications, notifications.slice(0, 2))
      const since = yield* onBell((store) => store.since(mine, 5, 2))
      assert.deepStrictEqual(since, { notifications: [notifications[2]!, notifications[1]!], newest: 8 })
      assert.deepStrictEqual(yield* onBell((store) => store.since(mine, 9_000_000_000, 2)), {
        notifications: [],
        newest: 8
      })
      assert.strictEqual((yield* bellOf(other)).unread, 3)
    }))

  it.effect("marks what was read, once for a call", () =>
    Effect.gen(function*() {
      const [mine, other] = [newAccount(), newAccount()]
      yield* ring(mine, ["1", "2", "3", "4"])
      yield* ring(other, ["1"])
      const mark = (numbers: ReadonlyArray<number> | null, call = newCall(), account = mine) =>
        onBell((store) => store.mark(account, call, numbers))
      const call = newCall()
      const came = yield* Effect.all([1, 2, 3].map(() => mark([2, 2, 4, 77, 9_000_000_000], call)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(came, [2, 2, 2])
      assert.strictEqual(yield* mark([1, 2]), 1)
      const unread = yield* bellOf(mine, { unreadOnly: true })
      assert.deepStrictEqual(unread.notifications.map(({ n }) => n), [3])
      assert.strictEqual(unread.unread, 1)
      assert.deepStrictEqual((yield* bellOf(mine)).notifications.map(({ read }) => read), [true, false, true, true])
      assert.strictEqual(yield* mark([]), 0)
      assert.strictEqual(yield* mark(null, call), 2)
      yield* advance(writesKeptMs + 1)
      assert.strictEqual(yield* mark(null, call), 1)
      assert.strictEqual((yield* bellOf(mine)).unread, 0)
      assert.strictEqual((yield* bellOf(other)).unread, 1)
      assert.strictEqual(yield* mark(null, call, other), 1)
    }))

  it.effect("wakes who listens to the account's bell, also for what came since it last woke", () =>
    Effect.scoped(Effect.gen(function*() {
      const mine = newAccount()
      const { woken } = yield* onBell((store) => store.listen(mine))
      const waiting = yield* Effect.forkChild(woken)
      yield* ring(mine, ["1"])
      yield* Fiber.join(waiting)
      yield* ring(mine, ["2"])
      yield* woken
      assert.strictEqual((yield* onBell((store) => store.since(mine, 0, 10))).newest, 2)
    })))
}
