import { StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Effect } from "effect"
import type { Placement } from "./Placement.ts"

/**
 * The waiting time in ns after which a process without shards counts as ready. A process gets no shard if the cluster
 * has more processes than shards.
 */
const shardTimeoutNanos = 15_000_000_000n

const failNotReady = (reason: string) =>
  Effect.fail(new StoreUnavailable({ store: "cluster", cause: new Error(reason) }))

/**
 * Returns the readiness check of a process in a cluster. A process without shards counts as ready after
 * `shardTimeoutNanos`. A process that loses its last shard is temporarily not ready.
 */
export const makeReadinessCheck = (
  getPlacement: () => Pick<Placement["Service"], "holdsShard" | "renewsShards"> | undefined
): Effect.Effect<void, StoreUnavailable> => {
  let shardlessSince: bigint | undefined
  return Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
    const joined = getPlacement()
    if (joined?.renewsShards() === false) return failNotReady("This process cannot renew its shards")
    if (joined?.holdsShard() === true) {
      shardlessSince = undefined
      return Effect.void
    }
    if (joined !== undefined) shardlessSince ??= now
    return shardlessSince !== undefined && now - shardlessSince >= shardTimeoutNanos
      ? Effect.void
      : failNotReady("This process has no shards yet")
  })
}
