import { assert, describe, it } from "@effect/vitest"
import { BackgroundSessions, layerPostgres } from "@tapeline/postgres"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { Runner } from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as ShardId from "effect/cluster/ShardId"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import { SqlClient } from "effect/sql/SqlClient"
import { layerRunnerStorage } from "../../cluster/src/layerRunnerStorage.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

const shards = Array.from({ length: 32 }, (_, i) => ShardId.make("default", i + 1))
const first = RunnerAddress.make("first", 1)
const second = RunnerAddress.make("second", 1)

const layerStorage = Layer.unwrap(
  Effect.map(
    migratedPostgres,
    ({ environment }) =>
      Layer.unwrap(Effect.map(BackgroundSessions, (sessions) => layerRunnerStorage(sessions?.client))).pipe(
        Layer.provide(
          ShardingConfig.layer({ shardLockExpiration: "1 minute", shardLockRefreshInterval: "20 seconds" })
        ),
        Layer.provideMerge(layerPostgres({ url: environment["DATABASE_URL"]!, maxConnections: 1 }))
      )
  )
)

/** Registers both processes, and acquires all shards for the first process. */
const acquireForFirst = Effect.gen(function*() {
  const storage = yield* RunnerStorage.RunnerStorage
  for (const address of [first, second]) {
    yield* storage.register(Runner.make({ address, groups: ["default"], weight: 1 }), true)
  }
  assert.sameMembers((yield* storage.acquire(first, shards)).map(String), shards.map(String))
  return storage
})

const age = (table: string, column: string, address: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql.unsafe(
      `update tapeline_cluster_${table} set ${column} = ${column} - interval '1 hour' where address like '${address}%'`
    ))

/** Returns the transactions that wrote the rows of a table. */
const readVersions = (table: string) =>
  Effect.flatMap(SqlClient, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly version: string }>(
        `select xmin::text || '/' || xmax::text as version from tapeline_cluster_${table} order by 1`
      ),
      (rows) => rows.map(({ version }) => version)
    ))

describe("the storage of the cluster's processes", () => {
  it.live("renews all shards of a process by writing only the row of the process", () =>
    Effect.gen(function*() {
      const storage = yield* acquireForFirst
      yield* storage.refresh(first, shards)
      const [locks, runners] = [yield* readVersions("locks"), yield* readVersions("runners")]
      assert.lengthOf(yield* storage.refresh(first, shards), shards.length)
      assert.deepStrictEqual(yield* readVersions("locks"), locks)
      assert.notDeepEqual(yield* readVersions("runners"), runners)
    }).pipe(Effect.provide(layerStorage)))

  it.live("gives the shards of a process to another process only after the heartbeat has expired", () =>
    Effect.gen(function*() {
      const storage = yield* acquireForFirst
      yield* storage.refresh(first, shards)
      yield* age("locks", "acquired_at", "first")
      assert.deepStrictEqual(yield* storage.acquire(second, shards), [])
      yield* age("runners", "last_heartbeat", "first")
      assert.sameMembers((yield* storage.acquire(second, shards)).map(String), shards.map(String))
      assert.deepStrictEqual(yield* storage.refresh(first, shards), [])
      assert.deepStrictEqual((yield* storage.getRunners).map(([{ address }]) => address.host).sort(), [
        "first",
        "second"
      ])
    }).pipe(Effect.provide(layerStorage)))

  it.live("frees a shard that its holder has acquired but not renewed, although the holder renews others", () =>
    Effect.gen(function*() {
      const storage = yield* acquireForFirst
      yield* storage.refresh(first, shards.slice(1))
      yield* age("locks", "acquired_at", "first")
      assert.deepStrictEqual((yield* storage.acquire(second, shards)).map(String), ["default:1"])
    }).pipe(Effect.provide(layerStorage)))

  it.live("renews the heartbeat while another statement of the process waits for a lock", () =>
    Effect.gen(function*() {
      const storage = yield* acquireForFirst
      const background = yield* BackgroundSessions
      const [isLocked, isRenewed] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
      const lock = background!.healthClient.withTransaction(Effect.andThen(
        background!.healthClient.unsafe("lock table tapeline_cluster_runner_migrations"),
        Effect.andThen(Deferred.succeed(isLocked, undefined), Deferred.await(isRenewed))
      ))
      const locking = yield* Effect.forkChild(lock)
      yield* Deferred.await(isLocked)
      const sql = yield* SqlClient
      const waiting = yield* Effect.forkChild(sql.unsafe("select from tapeline_cluster_runner_migrations"), {
        startImmediately: true
      })
      assert.lengthOf(yield* storage.refresh(first, shards), shards.length)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(isRenewed, undefined)
      yield* Fiber.joinAll([locking, waiting])
    }).pipe(Effect.provide(layerStorage)))

  it.live("leaves a shard whose lock a process of an earlier version has renewed", () =>
    Effect.gen(function*() {
      const storage = yield* acquireForFirst
      yield* age("runners", "last_heartbeat", "first")
      assert.deepStrictEqual(yield* storage.acquire(second, shards), [])
    }).pipe(Effect.provide(layerStorage)))

  it.live("releases one shard or all shards of a process, and no shard of another process", () =>
    Effect.gen(function*() {
      const storage = yield* acquireForFirst
      yield* storage.release(second, shards[0]!)
      yield* storage.releaseAll(second)
      assert.deepStrictEqual(yield* storage.acquire(second, shards), [])
      yield* storage.release(first, shards[0]!)
      assert.deepStrictEqual((yield* storage.acquire(second, shards)).map(String), ["default:1"])
      yield* storage.releaseAll(first)
      assert.lengthOf(yield* storage.acquire(second, shards), shards.length)
    }).pipe(Effect.provide(layerStorage)))
})
