import { Context, type Duration } from "effect"

/** The time limits of calls, reservations and stored responses. */
export const CallSettings = Context.Reference<{
  /** The maximum time that any tool may run, even a tool with a longer time limit. */
  readonly toolTimeout: Duration.Input
  /** The time from a call's last possible end until the reservation lapses, if the process dies. */
  readonly reservationGrace: Duration.Input
  /** The time for which the first response under an idempotency key is stored and returned again. */
  readonly replayFor: Duration.Input
}>("@tapeline/core/call/CallSettings", {
  defaultValue: () => ({ toolTimeout: "30 seconds", reservationGrace: "30 seconds", replayFor: "24 hours" })
})
