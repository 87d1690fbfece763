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
const layerLossyListener = (listener: PgListener["Service"]): PgListener["Service"] => {
  let count = 0
  return PgListener.of({
    ...listener,
    listen: (channel) =>
      Stream.flatMap(listener.listen(channel), (notice) => {
        const bodyLength = notice._tag === "Gap" ? 5 : ++count % 10
        return Stream.fromIterable(bodyLength < 3 ? [] : bodyLength < 5 ? [notice, notice] : [notice])
      })
  })
}

const layerNodeWithoutNotices = (url: string) => {
  const layerStore = layerMigrations.pipe(Layer.provideMerge(layerPostgres({ url })))
  const listener = Layer.effect(PgListener, Effect.map(PgListener, layerLossyListener)).pipe(
    Layer.provide(PgListener.layer({ heartbeatMs: 100 }))
  )
  const layerChannels = Layer.merge(GenerationChannel.layer, NotificationChannel.layer).pipe(Layer.provide(listener))
  return Layer.build(
    Layer.fresh(
      Layer.merge(PgGenerationLog, PgNotificationStore).pipe(
        Layer.provide(layerChannels),
        Layer.provideMerge(layerStore)
      )
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
        const [nodeA, nodeB] = [yield* node(url), yield* layerNodeWithoutNotices(url)]
        yield* killingListeners(Context.get(nodeA, PgClient.PgClient))
        const account = yield* Effect.provideContext(newAccount, nodeA)
        const generations = Context.get(nodeA, GenerationStore)
        const [near, far] = [Context.get(nodeA, GenerationLog), Context.get(nodeB, GenerationLog)]
        const answerSecondGeneration = Effect.gen(function*() {
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
          const fullLog = yield* followLog(near, generation.id)
          assert.strictEqual(fullLog.length, 62)
          for (const reader of readers) assert.deepStrictEqual(yield* Fiber.join(reader), fullLog)
        })
        yield* Effect.all([answerSecondGeneration, answerSecondGeneration, answerSecondGeneration], {
          concurrency: "unbounded"
        }).pipe(
          Effect.provideContext(nodeA)
        )
      }),
    60_000
  )

  it.live("wake a listener on another node when an event is appended", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const [nodeA, nodeB] = [yield* node(url), yield* node(url)]
      const generations = Context.get(nodeA, GenerationStore)
      const generation = yield* Effect.provideContext(
        Effect.flatMap(
          Effect.flatMap(newAccount, (account) => startNewGeneration(account)),
          ({ id }) => takeGeneration(id)
        ),
        nodeA
      )
      const log = Context.get(nodeB, GenerationLog)
      const { awaitNotification } = yield* log.listen(generation.id)
      yield* Effect.eventually(
        Effect.filterOrFail(Effect.delay(Context.get(nodeB, PgListener).isReceiving, 10), (it) => it)
      )
      yield* generations.append(getFence(generation), [deltaEvent("a")])
      // A `Gap` may also wake the listener before the event is stored, so the test reads repeatedly.
      const readNextEvents = Effect.andThen(awaitNotification, log.read(generation.id, 1, 10))
      yield* Effect.repeat(readNextEvents, { until: ({ events }) => events.length === 1 })
    }), 30_000)

  it.live("wake a listener on another node when a notification is stored", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const [nodeA, nodeB] = [yield* node(url), yield* node(url)]
      const [account, store] = [task.newAccount(), Context.get(nodeB, NotificationStore)]
      const { awaitNotification } = yield* store.listen(account)
      yield* Effect.eventually(
        Effect.filterOrFail(Effect.delay(Context.get(nodeB, PgListener).isReceiving, 10), (it) => it)
      )
      yield* Effect.provideContext(
        Effect.gen(function*() {
          yield* task.endFiring(task.getFence(yield* task.fireTask(yield* task.createTask(account))))
        }),
        nodeA
      )
      // A `Gap` may also wake the listener before the notification is stored, so the test reads repeatedly.
      const readNextNotifications = Effect.andThen(awaitNotification, store.listAfter(account, 0, 10))
      yield* Effect.repeat(readNextNotifications, { until: ({ newest }) => newest === 1 })
    }), 30_000)

  it.live(
    "give a reader on another node each notification once and in order, despite lost notices",
    () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const [nodeA, nodeB] = [yield* node(url), yield* layerNodeWithoutNotices(url)]
        yield* killingListeners(Context.get(nodeA, PgClient.PgClient))
        const [one, two] = [task.newAccount(), task.newAccount()]
        const notificationCount = 12
        const notifyMany = Effect.fnUntraced(function*(account: number) {
          const { id } = yield* task.createTask(account)
          for (let i = 1; i <= notificationCount; i++) {
            const firing = yield* task.fireTask(yield* task.findWatch(account, id))
            const notification = { kind: "task_fired", title: "a task", body: `${account} ${i}` } as const
            yield* task.endFiring(task.getFence(firing), { notification })
          }
        })
        const collectNotifications = (account: number, after: number) =>
          Effect.forkChild(Stream.runCollect(
            Stream.take(
              followNotifications(Context.get(nodeB, NotificationStore), account, after),
              notificationCount - after
            )
          ))
        const readers = yield* Effect.all([
          collectNotifications(one, 0),
          collectNotifications(one, 5),
          collectNotifications(two, 0)
        ])
        yield* Effect.provideContext(
          Effect.all([notifyMany(one), notifyMany(two)], { concurrency: "unbounded" }),
          nodeA
        )
        const bodies = (account: number, after: number) =>
          Array.from({ length: notificationCount - after }, (_, i) => `${account} ${i + 1 + after}`)
        const [allNotices, logFromMiddle, other] = yield* Effect.forEach(
          readers,
          (reader) => Effect.map(Fiber.join(reader), (notifications) => notifications.map(({ body }) => body))
        )
        assert.deepStrictEqual([allNotices, logFromMiddle, other], [bodies(one, 0), bodies(one, 5), bodies(two, 0)])
      }),
    60_000
  )
})
