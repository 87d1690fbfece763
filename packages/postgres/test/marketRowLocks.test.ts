import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import {
  eventsKinds,
  MarketStore,
  MarketStoreFailpoints,
  MarketStoreRefusal,
  pointsKinds,
  Superseded
} from "@tapeline/core/market/store"
import { PgMarketStore } from "@tapeline/postgres"
import { isFullRun } from "@tapeline/testing/fullRun"
import {
  dayStart,
  makeName,
  makePost,
  makeRates,
  stepInterval,
  timeOfStep
} from "@tapeline/testing/marketStore/fixtures"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { makeFreshPostgres, makeMigratedClient, makeMigratedDatabase, withLockHeld } from "./support/databases.ts"
import { needsPgBouncer, startPgBouncer } from "./support/pgbouncer.ts"

const kind = pointsKinds.fxRates

const process = (url: string, failpoints: Layer.Layer<never> = Layer.empty) =>
  Effect.map(
    Layer.build(Layer.fresh(
      PgMarketStore.pipe(Layer.provide(failpoints), Layer.provideMerge(makeMigratedClient(url, { maxConnections: 4 })))
    )),
    (context) => ({ store: Context.get(context, MarketStore), sql: Context.get(context, PgClient.PgClient) })
  )

const two = Effect.gen(function*() {
  const { url } = yield* makeMigratedDatabase
  return { url, processA: yield* process(url), processB: yield* process(url) }
})

const leadOf = (store: MarketStore["Service"], source: string, holder: string) =>
  Effect.flatMap(
    store.acquireLeadership({ source, holder, ttlMs: 60_000 }),
    (leadership) =>
      leadership._tag === "Leads"
        ? Effect.succeed(leadership.fence)
        : Effect.die(new Error(`${leadership.holder} leads`))
  )

type WriteFence = Parameters<MarketStore["Service"]["writePoints"]>[0]["fence"]

const put = (store: MarketStore["Service"], fence: WriteFence, subject: string, instants: ReadonlyArray<number>) =>
  store.writePoints({
    kind,
    fence,
    series: [{
      subject,
      source: "test",
      rows: makeRates(instants),
      covers: instants.map((i) => stepInterval(i, i + 1))
    }]
  })

const placesOf = (store: MarketStore["Service"], subject: string) =>
  Effect.map(
    store.points({ kind, subjects: [subject], ...stepInterval(0, 288) }),
    (all) => all.get(subject)?.points.map(({ rate }) => rate)
  )

describe("market series of several processes", () => {
  it.live("delay only writes of a series that another session locks, and no reads", () =>
    Effect.gen(function*() {
      const { processA, processB } = yield* two
      const fence = yield* leadOf(processA.store, "s", "h")
      yield* Effect.forEach(["A", "B"], (subject) => put(processA.store, fence, subject, [1]))
      const waiting = yield* withLockHeld(processB.sql, "select 1 from market_series where subject = 'A' for update")(
        Effect.gen(function*() {
          const blockedWrite = yield* Effect.forkChild(put(processA.store, fence, "A", [2]))
          yield* put(processA.store, fence, "B", [2])
          assert.deepStrictEqual(yield* placesOf(processA.store, "A"), [1])
          assert.deepStrictEqual(yield* placesOf(processA.store, "B"), [1, 2])
          return blockedWrite
        })
      )
      assert.deepStrictEqual(yield* Fiber.join(waiting), { changed: 1 })
      assert.deepStrictEqual(yield* placesOf(processA.store, "A"), [1, 2])
    }).pipe(Effect.scoped))

  it.live("keep their leader during its write, and reject its later writes after a change of leader", () =>
    Effect.gen(function*() {
      const { processB, url } = yield* two
      const [isReached, mayContinue] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const layerBlockingFailpoint = Layer.succeed(MarketStoreFailpoints, (point) =>
        point === "within:points"
          ? Effect.andThen(Deferred.succeed(isReached, undefined), Deferred.await(mayContinue))
          : Effect.void)
      const blockedProcess = yield* process(url, layerBlockingFailpoint)
      const fence = yield* leadOf(blockedProcess.store, "s", "a")
      const writing = yield* Effect.forkChild(put(blockedProcess.store, fence, "A", [1]))
      yield* Deferred.await(isReached)
      // The lease expires during the write. A process that wants the lease would have to wait for the write, so its
      // request fails.
      const age = processB.sql`update market_leases set until = 0`
      const aging = yield* Effect.forkChild(age)
      assert.instanceOf(yield* Effect.flip(leadOf(processB.store, "s", "b")), StoreUnavailable)
      yield* Deferred.succeed(mayContinue, undefined)
      assert.deepStrictEqual(yield* Fiber.join(writing), { changed: 1 })
      yield* Fiber.join(aging)
      const next = yield* leadOf(processB.store, "s", "b")
      assert.isAbove(next.epoch, fence.epoch)
      assert.instanceOf(yield* Effect.flip(put(blockedProcess.store, fence, "A", [2])), Superseded)
      assert.deepStrictEqual(yield* placesOf(processB.store, "A"), [1])
    }).pipe(Effect.scoped))

  it.live("renew a lease while its holder writes continuously", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const { store } = yield* process(url)
      const fence = yield* leadOf(store, "s", "h")
      const rows = Array.from({ length: 500 }, (_, i) => ({ time: dayStart + i, rate: i }))
      const writes = ["A", "B", "C"].map((subject) =>
        Effect.forever(store.writePoints({ kind, fence, series: [{ subject, source: "test", rows }] }))
      )
      const renewals = Effect.forEach(Array.from({ length: 10 }), () => leadOf(store, "s", "h"))
      const renewed = yield* Effect.raceFirst(renewals, Effect.all(writes, { concurrency: "unbounded" }))
      assert.deepStrictEqual(renewed, Array.from({ length: 10 }, () => fence))
    }).pipe(Effect.scoped))

  it.live("ignore a lease whose end is too far ahead because the clock was set back", () =>
    Effect.gen(function*() {
      const { processA, processB } = yield* two
      const fence = yield* leadOf(processA.store, "s", "a")
      yield* processA.sql`update market_leases set until = until + 86400000`
      assert.isAbove((yield* leadOf(processB.store, "s", "b")).epoch, fence.epoch)
    }).pipe(Effect.scoped))

  it.live("create months, series and sources once for writers that need them concurrently", () =>
    Effect.gen(function*() {
      const { processA, processB } = yield* two
      const fences = [yield* leadOf(processA.store, "s", "h"), yield* leadOf(processB.store, "t", "h")] as const
      const subjects = Array.from({ length: 6 }, () => makeName())
      const months = [0, 1, 2, 3].map((n) => Date.UTC(2026, n))
      const writes = Array.from({ length: 8 }, (_, n) => {
        const { store } = n % 2 === 0 ? processA : processB
        const rows = months.map((time) => ({ time: time + (n >> 1), rate: n }))
        const series = subjects.map((subject) => ({ subject, source: `x${n >> 2}`, rows }))
        return store.writePoints({ kind, fence: fences[n % 2]!, series })
      })
      yield* Effect.all(writes, { concurrency: "unbounded" })
      const [row] = yield* processA.sql<{ rows: number; series: number; sources: number }>`select
          (select count(*)::integer from market_fx_rates) as rows,
          (select count(*)::integer from market_series) as series,
          (select count(*)::integer from market_sources) as sources`
      assert.deepStrictEqual(row, { rows: 6 * 4 * 4, series: 6, sources: 2 })
    }).pipe(Effect.scoped))

  it.live("drop a partition only after its readers finish, and change nothing until then", () =>
    Effect.gen(function*() {
      const { processA, processB } = yield* two
      const fence = yield* leadOf(processA.store, "s", "h")
      const rows = [Date.UTC(2026, 0), dayStart].map((time) => ({ time, rate: 1 }))
      const covers = [{ from: rows[0]!.time, to: dayStart + 1 }]
      yield* processA.store.writePoints({ kind, fence, series: [{ subject: "A", source: "test", rows, covers }] })
      const read = processA.store.points({ kind, subjects: ["A"], from: 0, to: timeOfStep(1) })
      const before = yield* read
      const pruning = yield* withLockHeld(processB.sql, "select 1 from market_fx_rates limit 1")(
        Effect.gen(function*() {
          const pruning = yield* Effect.forkChild(processA.store.prune({ kind, before: dayStart }))
          // Other processes can read during the pruning, although some reads have to wait for the pruning.
          for (let i = 0; i < 5; i++) assert.deepStrictEqual(yield* read, before)
          return pruning
        })
      )
      yield* Fiber.join(pruning)
      const after = (yield* read).get("A")!
      assert.deepStrictEqual(after.points.map(({ time }) => time), [dayStart])
      assert.notStrictEqual(after.record.revision, before.get("A")!.record.revision)
    }).pipe(Effect.scoped))

  describe("behind PgBouncer in transaction mode", needsPgBouncer, () => {
    it.live("write, prune and hand over leadership", () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        const { store } = yield* process(yield* startPgBouncer(url, "transaction"))
        const fence = yield* leadOf(store, "s", "h")
        const writes = Array.from({ length: 12 }, (_, i) => put(store, fence, `S${i % 3}`, [i]))
        yield* Effect.all(writes, { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* placesOf(store, "S1"), [1, 4, 7, 10])
        yield* store.writeEvents({ kind: eventsKinds.posts, fence, events: [makePost("x", 1, ["A"])] })
        yield* store.prune({ kind, before: Date.UTC(2026, 11) })
        assert.deepStrictEqual(yield* placesOf(store, "S1"), [])
        yield* store.resignLeadership(fence)
        assert.isAbove((yield* leadOf(store, "s", "other")).epoch, fence.epoch)
      }).pipe(Effect.scoped), 30_000)
  })

  it.live("fail no read or prune while partitions are dropped and created", () =>
    Effect.gen(function*() {
      const store = yield* MarketStore
      const fence = yield* leadOf(store, "s", "h")
      const month = (n: number) => Date.UTC(2024, n)
      const interval = { kind, from: month(0), to: month(24) }
      const reads = Effect.forever(Effect.all([
        store.points(interval),
        store.latest({ kind, at: month(24), withinMs: month(24) }),
        store.foldedPoints({ ...interval, stepMs: 86_400_000 })
      ], { concurrency: 3 }))
      const rows = Array.from({ length: 24 }, (_, n) => ({ time: month(n), rate: n }))
      const write = store.writePoints({ kind, fence, series: [{ subject: "A", source: "test", rows }] })
      const rounds = Effect.forEach(
        Array.from({ length: isFullRun ? 40 : 5 }),
        () => Effect.andThen(write, store.prune({ kind, before: month(24) }))
      )
      const readers = Effect.all(Array.from({ length: 4 }, () => reads), { concurrency: "unbounded" })
      yield* Effect.raceFirst(rounds, readers)
      assert.deepStrictEqual((yield* store.points(interval)).get("A")?.points, [])
    }).pipe(Effect.provide(PgMarketStore.pipe(Layer.provideMerge(makeFreshPostgres())))), 60_000)

  it.live.skipIf(!isFullRun)(
    "reject a read of too many rows, of points and of folded points",
    () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        const store = yield* Effect.provide(MarketStore, PgMarketStore)
        const fence = yield* leadOf(store, "s", "h")
        yield* put(store, fence, "A", [0])
        yield* sql`insert into market_fx_rates (time, rate, series, source)
          select ${String(dayStart)}::bigint + n, n, s.id, 1 from market_series s, generate_series(1, 250000) n`
        const interval = { kind, from: dayStart, to: dayStart + 250_001 }
        assert.instanceOf(yield* Effect.flip(store.points({ ...interval, subjects: ["A"] })), MarketStoreRefusal)
        assert.instanceOf(yield* Effect.flip(store.foldedPoints({ ...interval, stepMs: 1 })), MarketStoreRefusal)
        const fewerPoints = yield* store.points({ ...interval, to: dayStart + 250_000 })
        assert.strictEqual(fewerPoints.get("A")?.points.at(-1)?.rate, 249_999)
      }).pipe(Effect.provide(makeFreshPostgres()))
  )

  it.live("report an unusable partition as an outage, and roll back its write", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* Effect.provide(MarketStore, PgMarketStore)
      const fence = yield* leadOf(store, "s", "h")
      // Simulates a partition that another process has just dropped: its name still exists, but it cannot be used.
      yield* sql`create table market_fx_rates_202611 ()`
      assert.instanceOf(yield* Effect.flip(put(store, fence, "A", [1])), StoreUnavailable)
      yield* sql`drop table market_fx_rates_202611`
      assert.deepStrictEqual(yield* put(store, fence, "A", [1]), { changed: 1 })
    }).pipe(Effect.provide(makeFreshPostgres())))

  it.live("report a statement timeout as an outage, and roll back its write", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* Effect.provide(MarketStore, PgMarketStore)
      const fence = yield* leadOf(store, "s", "h")
      yield* put(store, fence, "A", [1])
      yield* sql`create function stand_still() returns trigger language plpgsql as
          $$ begin perform pg_sleep(60); return new; end $$`
      const [part] = yield* sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
          where inhparent = 'market_fx_rates'::regclass`
      yield* sql.unsafe(
        `create trigger slow before insert on ${part!.name} for each row execute function stand_still()`
      )
      const bounded = sql.withTransaction(
        Effect.andThen(sql`set local statement_timeout = 50`, put(store, fence, "A", [2]))
      )
      assert.instanceOf(yield* Effect.flip(bounded), StoreUnavailable)
      assert.deepStrictEqual(yield* placesOf(store, "A"), [1])
    }).pipe(Effect.provide(makeFreshPostgres())))
})
