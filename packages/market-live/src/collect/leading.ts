import { type Fence, MarketStore, type Superseded } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { CollectedSource } from "./MarketHealth.ts"
import type { CollectPace } from "./pacing.ts"

/** The process that leads a source; in the state `asks`, the last one that is known. */
export type KnownLead = Pick<CollectedSource, "lead" | "holder">

interface Leading {
  readonly source: string
  readonly holder: string
  readonly pace: CollectPace
  readonly tell: (known: KnownLead) => Effect.Effect<void>
  /** Called if the store did not return the leader. */
  readonly unanswered: (reason: string) => Effect.Effect<void>
}

/** Renews the lead until another process has it, or the lease expires without a response from the store. */
const renewing = Effect.fnUntraced(function*({ epoch, source }: Fence, { holder, pace: { leaseMs } }: Leading) {
  const { lead } = yield* MarketStore
  let heldUntil = (yield* Clock.currentTimeMillis) + leaseMs
  while (true) {
    yield* Effect.sleep(leaseMs / 3)
    const askedAt = yield* Clock.currentTimeMillis
    const renewed = yield* Effect.option(lead({ source, holder, ttlMs: leaseMs }))
    if (renewed._tag === "Some") {
      if (renewed.value._tag === "Follows" || renewed.value.fence.epoch !== epoch) return
      heldUntil = askedAt + leaseMs
    } else if ((yield* Clock.currentTimeMillis) >= heldUntil) return
  }
})

/**
 * Runs `collect` whenever this process has the lead of a source, for ever. If the lead is lost, `collect` stops and the
 * lead is requested again. The lead is released at the end, so that another process need not wait for it.
 */
export const leading = (
  options: Leading,
  collect: (fence: Fence) => Effect.Effect<never, Superseded>
): Effect.Effect<never, never, MarketStore> => {
  const { holder, pace: { againMs, followMs, leaseMs }, source, unanswered } = options
  let last: string | null = null
  const tell = (lead: "leads" | "follows", leader: string) =>
    Effect.suspend(() => {
      last = leader
      return options.tell({ lead, holder: leader })
    })
  const asking = Effect.suspend(() => options.tell({ lead: "asks", holder: last }))
  const under = Effect.fnUntraced(function*(fence: Fence) {
    const { resign } = yield* MarketStore
    yield* tell("leads", holder)
    yield* Effect.raceFirst(Effect.ignore(collect(fence)), renewing(fence, options)).pipe(
      Effect.onInterrupt(() => Effect.ignore(Effect.timeout(resign(fence), 2_000)))
    )
    yield* asking
    yield* Effect.sleep(Math.min(1_000, followMs))
  })
  const once = Effect.gen(function*() {
    const { lead } = yield* MarketStore
    const asked = yield* Effect.result(lead({ source, holder, ttlMs: leaseMs }))
    if (asked._tag === "Failure") {
      yield* asking
      yield* unanswered(asked.failure.message)
      return yield* Effect.sleep(Math.min(againMs, followMs))
    }
    if (asked.success._tag === "Leads") return yield* under(asked.success.fence)
    yield* tell("follows", asked.success.holder)
    yield* Effect.sleep(Math.max(1, Math.min(asked.success.leftMs + 1, followMs)))
  })
  // An unexpected error in one source, or in requesting its lead, must not end the loop.
  return Effect.forever(
    Effect.catchDefect(
      once,
      (defect) =>
        Effect.andThen(asking, Effect.logError(`Collecting from ${source} broke`, defect)).pipe(
          Effect.andThen(Effect.sleep(againMs))
        )
    )
  )
}
