import { Context, type Duration } from "effect"

/** The time limits of calls, reservations and replays. */
export const CallSettings = Context.Reference<{
  /** The maximum time that any tool may run. A tool's own limit applies if it is shorter. */
  readonly toolTimeout: Duration.Input
  /** The time from a call's last possible end until its reservation lapses if the process dies. */
  readonly reservationGrace: Duration.Input
  /** The time for which the first response of an idempotency key is replayed. */
  readonly replayFor: Duration.Input
}>("@tapeline/core/call/CallSettings", {
  defaultValue: () => ({ toolTimeout: "30 seconds", reservationGrace: "30 seconds", replayFor: "24 hours" })
})
