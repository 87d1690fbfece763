import { Context, type Duration } from "effect"

/** How long calls, and what outlives them, last. */
export const CallSettings = Context.Reference<{
  /** The longest that any tool may run; its own limit holds where it is shorter. */
  readonly toolTimeout: Duration.Input
  /** A reservation lapses this long after its tool's timeout, should the process die. */
  readonly reservationGrace: Duration.Input
  /** How long the first answer of an idempotency key is replayed. */
  readonly replayFor: Duration.Input
}>("@tapeline/core/call/CallSettings", {
  defaultValue: () => ({ toolTimeout: "30 seconds", reservationGrace: "30 seconds", replayFor: "24 hours" })
})
