import { Clock, Context, Effect, Equal, Exit, Fiber, Layer, Schedule } from "effect"
import type { Runner } from "effect/cluster/Runner"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import type { ShardId } from "effect/cluster/ShardId"
import { ClusterTiming } from "./ClusterTiming.ts"

/** Reports how reliably the process renews its heartbeat and the locks of its shards. */
export class ShardRenewals extends Context.Service<ShardRenewals, {
  /**
   * Returns false if the heartbeat or the shard locks of the current process have expired. Other processes take over
   * shards whose lock has expired.
   */
  readonly isCurrent: () => boolean
  /**
   * Returns whether an old heartbeat of another process shows that the other process has failed. After a database
   * outage, the heartbeats of all processes are old. After a gap in the process's own renewals, `isSteady` returns
   * false until the process has renewed its heartbeat for `heartbeatTtlMs`. After the start of a process, `isSteady` is
   * false until every living process has renewed its heartbeat. If another process is healthy, the new process gets no
   * shards before `isSteady` is true.
   */
  readonly isSteady: () => boolean
}>()("@tapeline/cluster/ShardRenewals") {
  static readonly layer: Layer.Layer<
    ShardRenewals | RunnerStorage.RunnerStorage,
    never,
    RunnerStorage.RunnerStorage
  > = Layer.effectContext(
    Effect.gen(function*() {
      const [clock, storage, { heartbeatTtlMs, pollIntervalMs }, scope] = yield* Effect.all([
        Clock.Clock,
        RunnerStorage.RunnerStorage,
        ClusterTiming,
        Effect.scope
      ])
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000
      // Heartbeats are written every third of their lifetime, so an outage that expires a heartbeat lasts at least two
      // thirds.
      const maxGapMs = heartbeatTtlMs * 2 / 3
      const steadyAfterStart = now() + maxGapMs
      let [heartbeatAt, locksAt, failedAt, steadyFrom] = [now(), now(), -Infinity, steadyAfterStart]

      const recordHeartbeat = Effect.sync(() => {
        const at = now()
        if (at - heartbeatAt >= maxGapMs) steadyFrom = at + heartbeatTtlMs
        heartbeatAt = at
      })
      const recordLockResult = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.onExit(operation, (exit) =>
          Effect.sync(() => {
            if (Exit.isSuccess(exit)) locksAt = now()
            else failedAt = now()
          }))
      /** The start of the last successful renewal of the leases. In the database, the leases begin and end later. */
      let leasedAt = -Infinity
      /**
       * Returns `heldShards` if a renewal fails or is late while at least a third of the lease time remains. A late
       * renewal is not interrupted. Without `heldShards`, the cluster would give up all shards if a slow renewal takes
       * a third of the lease time, and new answers would wait for shards.
       */
      const keepValidLeases = Effect.fnUntraced(function*<E>(
        heldShards: Array<ShardId>,
        refresh: Effect.Effect<Array<ShardId>, E>
      ) {
        const startedAt = now()
        const renewal = yield* Effect.forkIn(
          Effect.tap(refresh, () => Effect.sync(() => void (leasedAt = startedAt))),
          scope,
          { startImmediately: true }
        )
        const renewed = Fiber.join(renewal)
        const keepIfValid = <A>(otherwise: Effect.Effect<Array<ShardId>, A>) =>
          Effect.suspend(() => now() - leasedAt < maxGapMs ? Effect.succeed(heldShards) : otherwise)
        return yield* renewed.pipe(
          Effect.catch((error) => keepIfValid(Effect.fail(error))),
          Effect.timeoutOrElse({ duration: heartbeatTtlMs / 4, orElse: () => keepIfValid(renewed) })
        )
      })
      /**
       * Registers the process. The cluster assigns shards only to healthy processes. A process that cannot judge
       * heartbeats yet leaves the shards to others, because it could not continue the answers of a killed process.
       */
      const register = Effect.fnUntraced(function*(runner: Runner, healthy: boolean) {
        const waitMs = steadyAfterStart - now()
        const registered = waitMs > 0 ? yield* storage.getRunners : []
        const canWait = registered.some(([{ address }, healthy]) => healthy && !Equal.equals(address, runner.address))
        const machineId = yield* storage.register(runner, healthy && !canWait)
        if (healthy && canWait) {
          yield* storage.setRunnerHealth(runner.address, true).pipe(
            Effect.retry(Schedule.spaced(pollIntervalMs)),
            Effect.delay(waitMs),
            Effect.forkIn(scope)
          )
        }
        return machineId
      })
      const observed = RunnerStorage.RunnerStorage.of({
        ...storage,
        register,
        acquire: (address, shards) => recordLockResult(storage.acquire(address, shards)),
        refresh: (address, shards) => {
          const heldShards = Array.from(shards)
          const refresh = Effect.tap(storage.refresh(address, heldShards), recordHeartbeat)
          // Without shards, a refresh renews only the heartbeat.
          return heldShards.length === 0 ? refresh : keepValidLeases(heldShards, recordLockResult(refresh))
        },
        release: (address, shard) => recordLockResult(storage.release(address, shard)),
        releaseAll: (address) => recordLockResult(storage.releaseAll(address))
      })
      return Context.make(RunnerStorage.RunnerStorage, observed).pipe(
        Context.add(ShardRenewals, {
          isCurrent: () => {
            const at = now()
            // A process that neither has nor requests shards makes no lock operations, so an old success does not count
            // as a failure.
            const isFailing = failedAt > locksAt && at - failedAt <= 2 * heartbeatTtlMs
            return at - heartbeatAt <= heartbeatTtlMs && !(isFailing && at - locksAt > heartbeatTtlMs)
          },
          isSteady: () => now() - heartbeatAt < maxGapMs && now() >= steadyFrom
        })
      )
    })
  )
}
