import { Context, Duration } from "effect"

/** How long things last that sign somebody in, and how much of them is remembered. */
export const SessionSettings = Context.Reference<{
  /** A session ends so long after its last use, and so long after it began. */
  readonly idle: Duration.Input
  readonly life: Duration.Input
  /** A link signs in for so long. */
  readonly linkLife: Duration.Input
  /** A text that is older is replaced by a new one. */
  readonly renewAfter: Duration.Input
  /** A text that was replaced is still taken for so long, since requests cross one another. */
  readonly grace: Duration.Input
  /** As of `AuthenticatorSettings`. */
  readonly capacity: number
  readonly trust: Duration.Input
  readonly trustUnheard: Duration.Input
  readonly touchEvery: Duration.Input
  /** What is over is kept for so long, for its owner to see, and dropped so often after that. */
  readonly keep: Duration.Input
  readonly pruneEvery: Duration.Input
}>("@tapeline/core/access/SessionSettings", {
  defaultValue: () => ({
    idle: "12 hours",
    life: "30 days",
    linkLife: "15 minutes",
    renewAfter: "15 minutes",
    grace: "60 seconds",
    capacity: 10_000,
    trust: "60 seconds",
    trustUnheard: "2 seconds",
    touchEvery: "10 seconds",
    keep: "30 days",
    pruneEvery: "10 minutes"
  })
})

/** In whole milliseconds. */
export const wholeMs = (duration: Duration.Input): number => Math.round(Duration.toMillis(duration))
