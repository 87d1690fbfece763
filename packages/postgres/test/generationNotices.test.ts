import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { GenerationLog, GenerationStore } from "@tapeline/core/agent"
import { followNotifications, NotificationStore } from "@tapeline/core/personal"
import {
  GenerationChannel,
  layerMigrations,
  layerPostgres,
  PgGenerationLog,
  PgListener,
  PgStores
} from "@tapeline/postgres"
import {
  deltaEvent,
  getFence,
  makeEnd,
  newAccount,
  startNewGeneration,
  takeGeneration
} from "@tapeline/testing/agent/fixtures"
import { followLog } from "@tapeline/testing/contracts/generationLog"
import * as task from "@tapeline/testing/tasks/fixtures"
import { Context, Effect, Fiber, Layer, Schedule, Stream } from "effect"
import { formatNotices, parseNotice } from "../src/listening/EntryNotifier.ts"
import { NotificationChannel } from "../src/tasks/NotificationChannel.ts"
import { PgNotificationStore } from "../src/tasks/PgNotificationStore.ts"
import { makeMigratedDatabase } from "./support/databases.ts"

it("formats each generation once in notices that PostgreSQL accepts, and ignores its own", () => {
  const appended = new Map(Array.from({ length: 2_000 }, (_, i) => [2 ** 40 + i, i]))
  const notices = formatNotices("node-a", appended)
  assert.isTrue(notices.every((notice) => Buffer.byteLength(notice) < 7_900))
  assert.deepStrictEqual(notices.flatMap((notice) => parseNotice("node-b", notice)), [...appended.keys()])
  assert.deepStrictEqual(notices.flatMap((notice) => parseNotice("node-a", notice)), [])
  assert.deepStrictEqual(formatNotices("node-a", new Map()), [])
  assert.deepStrictEqual(parseNotice("node-b", "node-a x:1 :2 7:3"), [7])
})

const node = (url: string) =>
  Layer.build(
    Layer.fresh(PgStores.pipe(Layer.provideMerge(layerMigrations), Layer.provideMerge(layerPostgres({ url }))))
  )

/** Simulates a lossy network: of ten notices, three are lost and two arrive twice. */
const lossy = (listener: PgListener["Service"]): PgListener["Service"] => {
  let count = 0
  return PgListener.of({
    ...listener,
    listen: (channel) =>
      Stream.flatMap(listener.listen(channel), (told) => {
        const place = told._tag === "Gap" ? 5 : ++count % 10
        return Stream.fromIterable(place < 3 ? [] : place < 5 ? [told, told] : [told])
      })
  })
}

const deafNode = (url: string) => {
  const own = layerMigrations.pipe(Layer.provideMerge(layerPostgres({ url })))
  const listener = Layer.effect(PgListener, Effect.map(PgListener, lossy)).pipe(
    Layer.provide(PgListener.layer({ heartbeatMs: 100 }))
  )
  const told = Layer.merge(GenerationChannel.layer, NotificationChannel.layer).pipe(Layer.provide(listener))
  return Layer.build(
    Layer.fresh(
      Layer.merge(PgGenerationLog, PgNotificationStore).pipe(Layer.provide(told), Layer.provideMerge(own))
    )
  )
}

const killingListeners = (sql: PgClient.PgClient) =>
  Effect.forkScoped(Effect.repeat(
    Effect.ignore(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ~* '^listen' and pid <> pg_backend_pid()`),
    Schedule.spaced(1_000)
  ))

describe("notices between nodes", () => {
  it.live(
    "give readers on another node the same bytes and end, despite lost and repeated notices",
    () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const [here, there] = [yield* node(url), yield* deafNode(url)]
        yield* killingListeners(Context.get(here, PgClient.PgClient))
        const account = yield* Effect.provideContext(newAccount, here)
        const generations = Context.get(here, GenerationStore)
        const [near, far] = [Context.get(here, GenerationLog), Context.get(there, GenerationLog)]
        const answered = Effect.gen(function*() {
          const generation = yield* Effect.flatMap(startNewGeneration(account), ({ id }) => takeGeneration(id))
          const readers = yield* Effect.forEach(
            [1, 7, 64],
            (limit) => Effect.forkChild(followLog(far, generation.id, limit))
          )
          for (let i = 0; i < 60; i++) {
            yield* generations.append(getFence(generation), [deltaEvent(`${i} `, i)])
            yield* Effect.sleep(20)
          }
          yield* generations.end(getFence(generation), makeEnd(generation.conversation))
          const whole = yield* followLog(near, generation.id)
          assert.strictEqual(whole.length, 62)
          for (const reader of readers) assert.deepStrictEqual(yield* Fiber.join(reader), whole)
        })
        yield* Effect.all([answered, answered, answered], { concurrency: "unbounded" }).pipe(
          Effect.provideContext(here)
        )
      }),
    60_000
  )

  it.live("wake a listener on another node when an event is appended", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const [here, there] = [yield* node(url), yield* node(url)]
      const generations = Context.get(here, GenerationStore)
      const generation = yield* Effect.provideContext(
        Effect.flatMap(
          Effect.flatMap(newAccount, (account) => startNewGeneration(account)),
          ({ id }) => takeGeneration(id)
        ),
        here
      )
      const log = Context.get(there, GenerationLog)
      const { awaitNotification } = yield* log.listen(generation.id)
      yield* Effect.eventually(
        Effect.filterOrFail(Effect.delay(Context.get(there, PgListener).isReceiving, 10), (it) => it)
      )
      yield* generations.append(getFence(generation), [deltaEvent("a")])
      // A `Gap` may also wake the listener before the event is stored, so the test reads repeatedly.
      const seen = Effect.andThen(awaitNotification, log.read(generation.id, 1, 10))
      yield* Effect.repeat(seen, { until: ({ events }) => events.length === 1 })
    }), 30_000)

  it.live("wake a listener on another node when a notification is stored", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const [here, there] = [yield* node(url), yield* node(url)]
      const [account, bell] = [task.newAccount(), Context.get(there, NotificationStore)]
      const { awaitNotification } = yield* bell.listen(account)
      yield* Effect.eventually(
        Effect.filterOrFail(Effect.delay(Context.get(there, PgListener).isReceiving, 10), (it) => it)
      )
      yield* Effect.provideContext(
        Effect.gen(function*() {
          yield* task.endFiring(task.getFence(yield* task.fireTask(yield* task.createTask(account))))
        }),
        here
      )
      // A `Gap` may also wake the listener before the notification is stored, so the test reads repeatedly.
      const seen = Effect.andThen(awaitNotification, bell.listAfter(account, 0, 10))
      yield* Effect.repeat(seen, { until: ({ newest }) => newest === 1 })
    }), 30_000)

  it.live(
    "give a reader on another node each notification once and in order, despite lost notices",
    () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const [here, there] = [yield* node(url), yield* deafNode(url)]
        yield* killingListeners(Context.get(here, PgClient.PgClient))
        const [one, two] = [task.newAccount(), task.newAccount()]
        const rings = 12
        const rung = Effect.fnUntraced(function*(account: number) {
          const { id } = yield* task.createTask(account)
          for (let i = 1; i <= rings; i++) {
            const firing = yield* task.fireTask(yield* task.findWatch(account, id))
            const notification = { kind: "task_fired", title: "a task", body: `${account} ${i}` } as const
            yield* task.endFiring(task.getFence(firing), { notification })
          }
        })
        const heard = (account: number, after: number) =>
          Effect.forkChild(Stream.runCollect(
            Stream.take(followNotifications(Context.get(there, NotificationStore), account, after), rings - after)
          ))
        const readers = yield* Effect.all([heard(one, 0), heard(one, 5), heard(two, 0)])
        yield* Effect.provideContext(Effect.all([rung(one), rung(two)], { concurrency: "unbounded" }), here)
        const bodies = (account: number, after: number) =>
          Array.from({ length: rings - after }, (_, i) => `${account} ${i + 1 + after}`)
        const [whole, late, other] = yield* Effect.forEach(
          readers,
          (reader) => Effect.map(Fiber.join(reader), (told) => told.map(({ body }) => body))
        )
        assert.deepStrictEqual([whole, late, other], [bodies(one, 0), bodies(one, 5), bodies(two, 0)])
      }),
    60_000
  )
})
