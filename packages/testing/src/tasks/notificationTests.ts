import { assert } from "@effect/vitest"
import { writeRetentionMs } from "@tapeline/core/personal"
import { Effect, Fiber } from "effect"
import {
  type Advance,
  createTask,
  endFiring,
  findWatch,
  fireTask,
  getFence,
  newAccount,
  newCall,
  readNotifications,
  type TaskTests,
  useNotificationStore
} from "./fixtures.ts"

const notify = Effect.fnUntraced(function*(account: number, bodies: ReadonlyArray<string>) {
  const { id } = yield* createTask(account)
  const firings = yield* Effect.forEach(bodies, () => Effect.flatMap(findWatch(account, id), (task) => fireTask(task)))
  yield* Effect.forEach(firings, (firing, i) =>
    endFiring(getFence(firing), {
      report: null,
      notification: { kind: "task_fired", title: "a\u0000 \udfff", body: bodies[i]! }
    }), { concurrency: "unbounded" })
})

export const testNotifications = <R>(it: TaskTests<R>, advance: Advance<R>): void => {
  it.effect("numbers notifications without gaps per account, also under concurrency", () =>
    Effect.gen(function*() {
      const [firstAccount, other] = [newAccount(), newAccount()]
      assert.deepStrictEqual(yield* useNotificationStore((store) => store.listAfter(firstAccount, 0, 10)), {
        notifications: [],
        newest: 0
      })
      const bodies = Array.from({ length: 8 }, (_, i) => `body ${i} \ud83d`)
      yield* Effect.all([notify(firstAccount, bodies), notify(other, bodies.slice(0, 3))], { concurrency: "unbounded" })
      const { notifications, unread } = yield* readNotifications(firstAccount)
      assert.deepStrictEqual(notifications.map(({ n }) => n), [8, 7, 6, 5, 4, 3, 2, 1])
      assert.deepStrictEqual(notifications.map(({ body }) => body).sort(), bodies)
      assert.isTrue(notifications.every(({ title }) => title === "a\u0000 \udfff"))
      assert.strictEqual(unread, 8)
      assert.deepStrictEqual(
        (yield* readNotifications(firstAccount, { limit: 2 })).notifications,
        notifications.slice(0, 2)
      )
      const since = yield* useNotificationStore((store) => store.listAfter(firstAccount, 5, 2))
      assert.deepStrictEqual(since, { notifications: [notifications[2]!, notifications[1]!], newest: 8 })
      assert.deepStrictEqual(yield* useNotificationStore((store) => store.listAfter(firstAccount, 9_000_000_000, 2)), {
        notifications: [],
        newest: 8
      })
      assert.strictEqual((yield* readNotifications(other)).unread, 3)
    }))

  it.effect("marks notifications as read, once per call", () =>
    Effect.gen(function*() {
      const [firstAccount, other] = [newAccount(), newAccount()]
      yield* notify(firstAccount, ["1", "2", "3", "4"])
      yield* notify(other, ["1"])
      const markRead = (numbers: ReadonlyArray<number> | null, call = newCall(), account = firstAccount) =>
        useNotificationStore((store) => store.markRead(account, call, numbers))
      const call = newCall()
      const results = yield* Effect.all([1, 2, 3].map(() => markRead([2, 2, 4, 77, 9_000_000_000], call)), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results, [2, 2, 2])
      assert.strictEqual(yield* markRead([1, 2]), 1)
      const unread = yield* readNotifications(firstAccount, { unreadOnly: true })
      assert.deepStrictEqual(unread.notifications.map(({ n }) => n), [3])
      assert.strictEqual(unread.unread, 1)
      assert.deepStrictEqual((yield* readNotifications(firstAccount)).notifications.map(({ read }) => read), [
        true,
        false,
        true,
        true
      ])
      assert.strictEqual(yield* markRead([]), 0)
      assert.strictEqual(yield* markRead(null, call), 2)
      yield* advance(writeRetentionMs + 1)
      assert.strictEqual(yield* markRead(null, call), 1)
      assert.strictEqual((yield* readNotifications(firstAccount)).unread, 0)
      assert.strictEqual((yield* readNotifications(other)).unread, 1)
      assert.strictEqual(yield* markRead(null, call, other), 1)
    }))

  it.effect("wakes the account's listener, also for notifications since it last woke", () =>
    Effect.scoped(Effect.gen(function*() {
      const firstAccount = newAccount()
      const { awaitNotification } = yield* useNotificationStore((store) => store.listen(firstAccount))
      const waiting = yield* Effect.forkChild(awaitNotification)
      yield* notify(firstAccount, ["1"])
      yield* Fiber.join(waiting)
      yield* notify(firstAccount, ["2"])
      yield* awaitNotification
      assert.strictEqual((yield* useNotificationStore((store) => store.listAfter(firstAccount, 0, 10))).newest, 2)
    })))
}
