import { Context, Effect } from "effect"

/** Timeouts and intervals of the agent. */
export interface Timing {
  /** How long a runner keeps a generation without a renewal. After that time, another process may take it. */
  readonly staleMs: number
  /** The interval of a runner's renewals; well below `staleMs`. */
  readonly renewIntervalMs: number
  /**
   * The lease of a reservation before its answer starts. After a crash between the two, requests with the same
   * idempotency key are rejected until this lease ends.
   */
  readonly startLeaseMs: number
  /**
   * The lease of a reservation after its answer has started. `leaseRenewalIntervalMs` is the interval of its renewals.
   */
  readonly answerLeaseMs: number
  readonly leaseRenewalIntervalMs: number
  /** How long a generation waits for its first runner before every process tries to run it. */
  readonly untakenMs: number
  /** The pause between two searches for generations without a runner. */
  readonly searchIntervalMs: number
  /** From the end of one sweep to the start of the next. */
  readonly sweepIntervalMs: number
  /** The time after which an ended generation is closed if its suggestions are missing. */
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
 * Ends a wait of a process that stops. The process waits for the ends of answers to be stored, and then for their
 * suggestions. Another process takes the answers that are not stored. Each wait evaluates this effect again, so the two
 * waits last up to 10 s by default. A limit for the whole stop returns at a fixed time instead.
 */
export const StopLimit = Context.Reference<Effect.Effect<void>>("@tapeline/core/agent/StopLimit", {
  defaultValue: () => Effect.sleep("5 seconds")
})
