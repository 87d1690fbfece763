import { Context, type Duration } from "effect"

/** The time limits of calls, reservations and stored responses. */
export const CallSettings = Context.Reference<{
  /** The maximum time limit of a tool call. A tool with a shorter time limit keeps its own limit. */
  readonly toolTimeout: Duration.Input
  /** The time that is added to a call's time limit to get the lifetime of its credit reservation. */
  readonly reservationGrace: Duration.Input
  /**
   * The time for which the response under an idempotency key is stored. A repeated call returns the stored response.
   */
  readonly replayFor: Duration.Input
}>("@tapeline/core/call/CallSettings", {
  defaultValue: () => ({ toolTimeout: "30 seconds", reservationGrace: "30 seconds", replayFor: "24 hours" })
})
