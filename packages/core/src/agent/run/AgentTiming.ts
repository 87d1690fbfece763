import { Context, Effect } from "effect"

export interface Timing {
  /** The time after a runner's last renewal at which another process may take the runner's generation. */
  readonly staleMs: number
  /** The interval of a runner's renewals, which must be well below `staleMs`. */
  readonly renewIntervalMs: number
  /**
   * The time for which credits are reserved before the answer starts, in ms. If a process crashes before the start,
   * requests with an equal idempotency key are rejected until the lease ends.
   */
  readonly startLeaseMs: number
  /** The time for which a started answer's credits stay reserved without a renewal, in ms. */
  readonly answerLeaseMs: number
  readonly leaseRenewalIntervalMs: number
  /**
   * The time that a generation waits for its first runner, in ms. Every process tries to run a generation that has
   * waited longer.
   */
  readonly untakenMs: number
  /** The pause between two searches for generations without a runner. */
  readonly searchIntervalMs: number
  /** The pause from the end of a sweep to the start of the next sweep. */
  readonly sweepIntervalMs: number
  /** The time after which an ended generation without suggestions is closed. */
  readonly closeAfterMs: number
  readonly keepLogsMs: number
  readonly keepRowsMs: number
}

export const AgentTiming = Context.Reference<Timing>("@tapeline/core/agent/AgentTiming", {
  defaultValue: () => ({
    staleMs: 20_000,
    renewIntervalMs: 5_000,
    startLeaseMs: 4_000,
    answerLeaseMs: 300_000,
    leaseRenewalIntervalMs: 60_000,
    untakenMs: 1_000,
    searchIntervalMs: 1_000,
    sweepIntervalMs: 5_000,
    closeAfterMs: 10_000,
    keepLogsMs: 3_600_000,
    keepRowsMs: 86_400_000
  })
})

/**
 * An effect that limits each wait of a stopping process. A wait of a stopping process ends when `StopLimit` completes.
 * A stopping process waits until the ends of answers are stored, and then waits for suggestions, together at most 10 s
 * by default. A `StopLimit` that completes at a fixed time limits both waits together.
 */
export const StopLimit = Context.Reference<Effect.Effect<void>>("@tapeline/core/agent/StopLimit", {
  defaultValue: () => Effect.sleep("5 seconds")
})
