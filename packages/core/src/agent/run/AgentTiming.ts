import { Context, Effect } from "effect"

export interface Timing {
  /** The time after a runner's last renewal at which another process may take the runner's generation. */
  readonly staleMs: number
  /** The interval of a runner's renewals, which must be well below `staleMs`. */
  readonly renewIntervalMs: number
  /**
   * The lease of a reservation before its answer starts. If a process crashes before the start, requests with an equal
   * idempotency key are rejected until the lease ends.
   */
  readonly startLeaseMs: number
  /** The lease of a reservation after its answer has started. */
  readonly answerLeaseMs: number
  readonly leaseRenewalIntervalMs: number
  /** The time that a generation waits for its first runner, after which every process tries to run the generation. */
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
 * Limits each wait of a process that is stopping: the wait ends when the effect `StopLimit` returns. A stopping process
 * first waits until the ends of answers are stored, and then for the answers' suggestions: up to 10 s by default.
 */
export const StopLimit = Context.Reference<Effect.Effect<void>>("@tapeline/core/agent/StopLimit", {
  defaultValue: () => Effect.sleep("5 seconds")
})
