import { Context, Effect } from "effect"

export interface Timing {
  /** The time after a runner's last renewal at which another process may take the runner's generation. */
  readonly staleMs: number
  /** The time between two renewals by a runner. `renewIntervalMs` must be well below `staleMs`. */
  readonly renewIntervalMs: number
  /**
   * The time for which credits are reserved before the answer starts, in ms. The process renews the reservation until
   * the answer starts. If the process crashes before the start, retries with the same idempotency key fail until the
   * reservation expires.
   */
  readonly startLeaseMs: number
  /** The time for which a started answer's credits stay reserved without a renewal, in ms. */
  readonly answerLeaseMs: number
  readonly leaseRenewalIntervalMs: number
  /**
   * The time that a generation waits for its first runner, in ms. If a generation has waited longer, every process
   * tries to run it.
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
    startLeaseMs: 2_000,
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
 * Limits each wait of a stopping process: the wait ends when this effect completes. A stopping process first waits
 * until the ends of answers are stored, and then waits for suggestions. By default, each wait takes at most 5 s. An
 * effect that completes at a fixed time limits the sum of both waits.
 */
export const StopLimit = Context.Reference<Effect.Effect<void>>("@tapeline/core/agent/StopLimit", {
  defaultValue: () => Effect.sleep("5 seconds")
})
