import { Clock, Context, Effect, Exit, Layer } from "effect"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { ClusterTiming } from "./ClusterTiming.ts"

/** How reliably this process renews its heartbeat and the locks of its shards. */
export class ShardRenewals extends Context.Service<ShardRenewals, {
  /**
   * False if this process could not renew its heartbeat or its locks for longer than they last. Other processes then
   * take its shards.
   */
  readonly isCurrent: () => boolean
  /**
   * True if old heartbeats of other processes show that these processes are gone. An outage of the database makes all
   * heartbeats old. False for two thirds of a heartbeat's lifetime after the start, which may follow an outage: each
   * living process renews its heartbeat within that time. False after a gap in the renewals of this process, until they
   * succeed again for as long as a heartbeat lasts.
   */
  readonly isSteady: () => boolean
}>()("@tapeline/cluster/ShardRenewals") {
  /** Observes the operations of a `RunnerStorage`. */
  static readonly layer: Layer.Layer<
    ShardRenewals | RunnerStorage.RunnerStorage,
    never,
    RunnerStorage.RunnerStorage
  > = Layer.effectContext(
    Effect.gen(function*() {
      const [clock, storage, { heartbeatTtlMs }] = yield* Effect.all([
        Clock.Clock,
        RunnerStorage.RunnerStorage,
        ClusterTiming
      ])
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000n) / 1_000
      // Heartbeats are written every third of their lifetime. An outage that makes one expire lasts two thirds.
      const maxGapMs = heartbeatTtlMs * 2 / 3
      let [heartbeatAt, locksAt, failedAt, steadyFrom] = [now(), now(), -Infinity, now() + maxGapMs]

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
      const observed = RunnerStorage.RunnerStorage.of({
        ...storage,
        acquire: (address, shards) => recordLockResult(storage.acquire(address, shards)),
        refresh: (address, shards) => {
          const heldShards = Array.from(shards)
          const refresh = Effect.tap(storage.refresh(address, heldShards), recordHeartbeat)
          // Without shards, a refresh renews only the heartbeat.
          return heldShards.length === 0 ? refresh : recordLockResult(refresh)
        },
        release: (address, shard) => recordLockResult(storage.release(address, shard)),
        releaseAll: (address) => recordLockResult(storage.releaseAll(address))
      })
      return Context.make(RunnerStorage.RunnerStorage, observed).pipe(
        Context.add(ShardRenewals, {
          isCurrent: () => {
            const at = now()
            // A process that has no shards, and wants none, has no operations that could succeed.
            const isFailing = failedAt > locksAt && at - failedAt <= 2 * heartbeatTtlMs
            return at - heartbeatAt <= heartbeatTtlMs && !(isFailing && at - locksAt > heartbeatTtlMs)
          },
          isSteady: () => {
            const at = now()
            return at - heartbeatAt < maxGapMs && at >= steadyFrom
          }
        })
      )
    })
  )
}
