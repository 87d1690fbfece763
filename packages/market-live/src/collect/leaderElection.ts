import { type Fence, MarketStore, type Superseded } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { hostname } from "node:os"
import type { CollectPace } from "./CollectPace.ts"
import type { SourceCollectors } from "./MarketHealth.ts"

/**
 * Returns a name for the process that is unique among all processes that share the store, with the host and process ID
 * for the operator.
 */
export const makeHolderName = (): string => `${hostname().slice(0, 64)} ${process.pid}-${crypto.randomUUID()}`

/** The leader of a source. If `lead` is `asks`, `holder` is the last known leader of the source. */
export type KnownLeader = Pick<SourceCollectors, "lead" | "holder">

interface LeaderOptions {
  readonly source: string
  readonly holder: string
  readonly pace: CollectPace
  readonly onLeader: (known: KnownLeader) => Effect.Effect<void>
  readonly onStoreFailure: (reason: string) => Effect.Effect<void>
}

/**
 * Renews the leadership lease three times within its duration. Returns when another process becomes leader, or when the
 * lease expires because the store does not respond.
 */
const renewLease = Effect.fnUntraced(function*({ epoch, source }: Fence, { holder, pace: { leaseMs } }: LeaderOptions) {
  const { acquireLeadership } = yield* MarketStore
  let leaseUntil = (yield* Clock.currentTimeMillis) + leaseMs
  while (true) {
    yield* Effect.sleep(leaseMs / 3)
    const requestedAt = yield* Clock.currentTimeMillis
    const renewed = yield* Effect.option(acquireLeadership({ source, holder, ttlMs: leaseMs }))
    if (renewed._tag === "Some") {
      if (renewed.value._tag === "Follows" || renewed.value.fence.epoch !== epoch) return
      leaseUntil = requestedAt + leaseMs
    } else if ((yield* Clock.currentTimeMillis) >= leaseUntil) return
  }
})

/**
 * Runs `collect` whenever this process is the leader of the source. The returned effect never completes. An
 * interruption releases the leadership, so that another process need not wait for the lease to expire.
 */
export const runAsLeader = (
  options: LeaderOptions,
  collect: (fence: Fence) => Effect.Effect<never, Superseded>
): Effect.Effect<never, never, MarketStore> => {
  const { holder, pace: { retryPauseMs, followerCheckMs, leaseMs }, source, onStoreFailure } = options
  let last: string | null = null
  const reportLeader = (lead: "leads" | "follows", leader: string) =>
    Effect.suspend(() => {
      last = leader
      return options.onLeader({ lead, holder: leader })
    })
  const reportUnknownLeader = Effect.suspend(() => options.onLeader({ lead: "asks", holder: last }))
  const collectAsLeader = Effect.fnUntraced(function*(fence: Fence) {
    const { resignLeadership } = yield* MarketStore
    yield* reportLeader("leads", holder)
    yield* Effect.raceFirst(Effect.ignore(collect(fence)), renewLease(fence, options)).pipe(
      Effect.onInterrupt(() => Effect.ignore(Effect.timeout(resignLeadership(fence), 2_000)))
    )
    yield* reportUnknownLeader
    yield* Effect.sleep(Math.min(1_000, followerCheckMs))
  })
  const tryToLead = Effect.gen(function*() {
    const { acquireLeadership } = yield* MarketStore
    const result = yield* Effect.result(acquireLeadership({ source, holder, ttlMs: leaseMs }))
    if (result._tag === "Failure") {
      yield* reportUnknownLeader
      yield* onStoreFailure(result.failure.message)
      return yield* Effect.sleep(Math.min(retryPauseMs, followerCheckMs))
    }
    if (result.success._tag === "Leads") return yield* collectAsLeader(result.success.fence)
    yield* reportLeader("follows", result.success.holder)
    yield* Effect.sleep(Math.max(1, Math.min(result.success.remainingMs + 1, followerCheckMs)))
  })
  // An unexpected error of the collectors or of the leader election must not end the loop.
  return Effect.forever(
    Effect.catchDefect(
      tryToLead,
      (defect) =>
        Effect.andThen(reportUnknownLeader, Effect.logError(`Collecting from ${source} failed unexpectedly`, defect))
          .pipe(
            Effect.andThen(Effect.sleep(retryPauseMs))
          )
    )
  )
}
