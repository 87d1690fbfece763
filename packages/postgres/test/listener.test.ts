import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { type Gap, layerPostgres, type Notice, PgListener } from "@tapeline/postgres"
import { Context, Effect, Fiber, Layer, Queue, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { HeartbeatDemand } from "../src/listening/listenerConnection.ts"
import { makeFreshDatabase } from "./support/databases.ts"

const heartbeatMs = 100

const listenTo = Effect.fnUntraced(function*(listener: PgListener["Service"], channel: string) {
  const notices = yield* Queue.unbounded<string>()
  yield* Effect.forkScoped(
    Stream.runForEach(
      listener.listen(channel),
      (it: Notice | Gap) => Queue.offer(notices, it._tag === "Gap" ? "gap" : `${it.channel}: ${it.payload}`)
    )
  )
  return notices
})

const setUp: Effect.Effect<
  { readonly listener: PgListener["Service"]; readonly others: PgClient.PgClient },
  unknown,
  Scope.Scope
> = Effect.gen(function*() {
  const { url } = yield* makeFreshDatabase
  const listening = PgListener.layer({ heartbeatMs }).pipe(Layer.provide(layerPostgres({ url })))
  const listener = Context.get(yield* Layer.build(listening), PgListener)
  const others = Context.get(yield* Layer.build(Layer.fresh(layerPostgres({ url, pooled: false }))), PgClient.PgClient)
  return { listener, others }
})

const listening = (others: PgClient.PgClient) =>
  Effect.map(
    others<{ pid: number }>`select pid from pg_stat_activity
      where datname = current_database() and query ~* '^listen' and pid <> pg_backend_pid()`,
    (rows) => rows.map(({ pid }) => pid)
  )

const awaitDisconnect = (listener: PgListener["Service"]) =>
  Effect.eventually(Effect.filterOrFail(Effect.delay(listener.isReceiving, 5), (isReceiving) => !isReceiving))

describe("notices in the database", () => {
  it.live("arrive on every channel over one connection, in order, after a gap event", () =>
    Effect.gen(function*() {
      const { listener, others } = yield* setUp
      const ears = yield* Effect.all([listenTo(listener, "one"), listenTo(listener, "one"), listenTo(listener, "two")])
      for (const notices of ears) assert.strictEqual(yield* Queue.take(notices), "gap")
      assert.isTrue(yield* listener.isReceiving)
      assert.strictEqual((yield* listening(others)).length, 1)
      for (let i = 0; i < 20; i++) yield* others.notify(i % 2 === 0 ? "one" : "two", String(i))
      for (const [at, channel] of [[0, "one"], [1, "one"], [2, "two"]] as const) {
        const notices = yield* Queue.takeN(ears[at], 10)
        assert.deepStrictEqual(
          notices,
          Array.from({ length: 10 }, (_, i) => `${channel}: ${2 * i + (at === 2 ? 1 : 0)}`)
        )
      }
      // A stream that begins later starts with its own `Gap`, and causes no `Gap` in other streams.
      const lateNotices = yield* listenTo(listener, "one")
      assert.strictEqual(yield* Queue.take(lateNotices), "gap")
      yield* others.notify("one", "late")
      for (const notices of [lateNotices, ears[0]]) assert.strictEqual(yield* Queue.take(notices), "one: late")
    }))

  it.live("continue after a gap event when the connection was killed", () =>
    Effect.gen(function*() {
      const { listener, others } = yield* setUp
      const [one, two] = [yield* listenTo(listener, "one"), yield* listenTo(listener, "two")]
      for (const notices of [one, two]) assert.strictEqual(yield* Queue.take(notices), "gap")
      const [pid] = yield* listening(others)
      yield* others`select pg_terminate_backend(${pid!}::integer)`
      for (const notices of [one, two]) assert.strictEqual(yield* Queue.take(notices), "gap")
      assert.isTrue(yield* listener.isReceiving)
      yield* others.notify("two", "again")
      assert.strictEqual(yield* Queue.take(two), "two: again")
      assert.isFalse((yield* listening(others)).includes(pid!))
    }))

  it.live("are reported as not received while the connection is frozen, and arrive on another one", () =>
    Effect.gen(function*() {
      const { listener, others } = yield* setUp
      const one = yield* listenTo(listener, "one")
      assert.strictEqual(yield* Queue.take(one), "gap")
      const [pid] = yield* listening(others)
      yield* Effect.acquireRelease(
        Effect.sync(() => process.kill(pid!, "SIGSTOP")),
        () => Effect.sync(() => process.kill(pid!, "SIGCONT"))
      )
      yield* awaitDisconnect(listener)
      assert.strictEqual(yield* Queue.take(one), "gap")
      assert.isTrue(yield* listener.isReceiving)
      yield* others.notify("one", "again")
      assert.strictEqual(yield* Queue.take(one), "one: again")
    }))
})

describe("the pause between two test notices", () => {
  it.effect("is ten times as long without a reader, until a reader needs to know that notices arrive", () =>
    Effect.gen(function*() {
      const demand = new HeartbeatDemand()
      const waitForNext = Effect.forkChild(demand.waitForNext(1_000), { startImmediately: true })
      const idle = yield* waitForNext
      yield* TestClock.adjust("9999 millis")
      assert.isUndefined(idle.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      yield* Fiber.join(idle)
      const interrupted = yield* waitForNext
      yield* TestClock.adjust("1 second")
      assert.isUndefined(interrupted.pollUnsafe())
      demand.add()
      yield* Fiber.join(interrupted)
      const demanded = yield* waitForNext
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(demanded)
    }))
})
