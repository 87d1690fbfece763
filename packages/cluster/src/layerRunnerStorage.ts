import { Duration, Effect, Fiber, Layer } from "effect"
import { PersistenceError } from "effect/cluster/ClusterError"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { ShardingConfig } from "effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { tablePrefix } from "./executionPruning.ts"

const runners = `${tablePrefix}_runners`
const locks = `${tablePrefix}_locks`

const getRunners = (seconds: number) =>
  `select runner, healthy from ${runners} where last_heartbeat > now() - interval '${seconds} seconds'`

const registerRunner = `insert into ${runners} (address, runner, last_heartbeat, healthy) values ($1, $2, now(), $3)
  on conflict (address) do update set runner = excluded.runner, last_heartbeat = excluded.last_heartbeat,
    healthy = excluded.healthy
  returning machine_id`

const unregisterRunner = (seconds: number) =>
  `delete from ${runners} where address = $1 or last_heartbeat < now() - interval '${seconds} seconds'`

const setHealth = `update ${runners} set healthy = $2 where address = $1`

const renewHeartbeat = `update ${runners} set last_heartbeat = now() where address = $1`

/**
 * The value of `acquired_at` after the first renewal. The lock then lasts as long as the heartbeat of its holder. An
 * earlier lock expires some seconds after `acquired_at`, because its holder may not know that it has the lock. A
 * process of an earlier version renews `acquired_at` instead.
 */
const renewed = "'-infinity'::timestamp"

const acquireShards = (seconds: number) =>
  `insert into ${locks} as held (shard_id, address, acquired_at)
  select shard, $1, now() from unnest(string_to_array($2, ',')) as shard order by shard collate "C"
  on conflict (shard_id) do update set address = excluded.address, acquired_at = excluded.acquired_at
  where held.address = excluded.address
    or (held.acquired_at > ${renewed} and held.acquired_at < now() - interval '${seconds} seconds')
    or (held.acquired_at = ${renewed} and not exists (
      select from ${runners} r
      where r.address = held.address and r.last_heartbeat > now() - interval '${seconds} seconds'
    ))
  returning shard_id`

// The rows are locked in the order of `acquireShards`, so that two processes do not deadlock.
const renewShards = `with first_renewals as (
    update ${locks} set acquired_at = ${renewed} where address = $1 and shard_id in (
      select shard_id from ${locks}
      where address = $1 and shard_id = any(string_to_array($2, ',')) and acquired_at > ${renewed}
      order by shard_id collate "C" for update
    )
  )
  select shard_id from ${locks} where address = $1 and shard_id = any(string_to_array($2, ','))`

const releaseShard = `delete from ${locks} where address = $1 and shard_id = $2`

const releaseShards = `delete from ${locks} where address = $1 and shard_id in (
    select shard_id from ${locks} where address = $1 order by shard_id collate "C" for update
  )`

/**
 * Stores the processes of the cluster and the holders of its shards in the tables of `SqlRunnerStorage`. A lock of a
 * shard lasts as long as the heartbeat of its holder. A renewal therefore writes one row, whatever the number of shards
 * is. `renewalClient` runs the renewals. Its statements must not wait for other statements, because a late heartbeat
 * makes the process look dead.
 *
 * A process whose heartbeat was late can renew it while another process takes one of its shards. Both then hold the
 * shard until the next renewal of the first process. The epochs of generations make this harmless.
 */
export const layerRunnerStorage = (
  renewalClient?: SqlClient
): Layer.Layer<RunnerStorage.RunnerStorage, never, SqlClient | ShardingConfig> =>
  Layer.effect(
    RunnerStorage.RunnerStorage,
    Effect.gen(function*() {
      const [sql, config, scope] = yield* Effect.all([SqlClient, ShardingConfig, Effect.scope])
      const ttlSeconds = Math.ceil(Duration.toSeconds(Duration.fromInputUnsafe(config.shardLockExpiration)))

      /**
       * Runs a statement, and fails if it takes as long as the pause between two renewals. The statement is interrupted
       * in the background, because its connection may not respond.
       */
      const withDeadline = <A>(statement: Effect.Effect<A, SqlError>) =>
        Effect.gen(function*() {
          const fiber = yield* Effect.forkIn(statement, scope, { startImmediately: true })
          return yield* Fiber.join(fiber).pipe(
            Effect.timeout(config.shardLockRefreshInterval),
            Effect.onError(() => Effect.forkIn(Fiber.interrupt(fiber), scope, { startImmediately: true }))
          )
        })
      const runOn = (client: SqlClient) =>
      <Row extends object>(
        statement: string,
        parameters: ReadonlyArray<unknown> = []
      ) =>
        client.unsafe<Row>(statement, parameters).pipe(
          withDeadline,
          (effect) => PersistenceError.refail(effect),
          Effect.withTracerEnabled(false)
        )
      const [run, runRenewal] = [runOn(sql), runOn(renewalClient ?? sql)]
      const toShardIds = (rows: ReadonlyArray<{ readonly shard_id: string }>) => rows.map(({ shard_id }) => shard_id)

      return RunnerStorage.makeEncoded({
        getRunners: Effect.map(
          run<{ readonly runner: string; readonly healthy: boolean }>(getRunners(ttlSeconds)),
          (rows) => rows.map(({ healthy, runner }) => [runner, healthy] as const)
        ),
        register: (address, runner, healthy) =>
          Effect.map(
            run<{ readonly machine_id: number }>(registerRunner, [address, runner, healthy]),
            ([row]) => row!.machine_id
          ),
        unregister: (address) => Effect.asVoid(run(unregisterRunner(ttlSeconds), [address])),
        setRunnerHealth: (address, healthy) => Effect.asVoid(run(setHealth, [address, healthy])),
        acquire: (address, shards) =>
          Effect.map(
            run<{ readonly shard_id: string }>(acquireShards(ttlSeconds), [address, shards.join(",")]),
            toShardIds
          ),
        // The heartbeat is a separate statement, so that a locked table of shards does not make the process look dead.
        refresh: (address, shards) =>
          Effect.andThen(
            runRenewal(renewHeartbeat, [address]),
            shards.length === 0 ? Effect.succeed([]) : Effect.map(
              runRenewal<{ readonly shard_id: string }>(renewShards, [address, shards.join(",")]),
              toShardIds
            )
          ),
        release: (address, shard) => Effect.asVoid(run(releaseShard, [address, shard])),
        releaseAll: (address) => Effect.asVoid(run(releaseShards, [address]))
      })
    })
  ).pipe(Layer.provide(Layer.orDie(SqlRunnerStorage.layerMigrations({ prefix: tablePrefix }))))
