import { Context, Duration } from "effect"

/** Lifetimes of sessions, their texts and links, and the settings of the session cache. */
export const SessionSettings = Context.Reference<{
  /** A session ends `idle` after its last use, and at the latest `life` after it began. */
  readonly idle: Duration.Input
  readonly life: Duration.Input
  /** The time for which a link can be used. */
  readonly linkLife: Duration.Input
  /** The age at which a text is replaced by a new text. */
  readonly renewAfter: Duration.Input
  /** The time for which a replaced text is still accepted, because concurrent requests may use it. */
  readonly grace: Duration.Input
  /** The same as in `AuthenticatorSettings`. */
  readonly capacity: number
  readonly trust: Duration.Input
  readonly trustUnheard: Duration.Input
  readonly touchEvery: Duration.Input
  /**
   * The time for which ended sessions stay visible to their owner, and the interval at which older sessions are
   * deleted.
   */
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

/** The duration in whole milliseconds. */
export const wholeMs = (duration: Duration.Input): number => Math.round(Duration.toMillis(duration))
