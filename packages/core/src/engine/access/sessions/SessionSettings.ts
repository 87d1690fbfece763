import { Context, Duration } from "effect"

/** Lifetimes of sessions, their texts and links, and the settings of the session cache. */
export const SessionSettings = Context.Reference<{
  /** A session ends `idleTimeout` after its last use, and at the latest `maxLifetime` after it began. */
  readonly idleTimeout: Duration.Input
  readonly maxLifetime: Duration.Input
  /** The time for which a link can be used. */
  readonly linkLifetime: Duration.Input
  /** The age at which a text is replaced by a new text. */
  readonly renewAfter: Duration.Input
  /** The time for which a replaced text is still accepted, because concurrent requests may use it. */
  readonly renewalGrace: Duration.Input
  /** The same as in `AuthenticatorSettings`. */
  readonly capacity: number
  readonly trustFor: Duration.Input
  readonly trustForWhenDisconnected: Duration.Input
  readonly lastUseInterval: Duration.Input
  /**
   * The time for which ended sessions stay visible to their owner, and the interval at which older sessions are
   * deleted.
   */
  readonly retention: Duration.Input
  readonly pruneInterval: Duration.Input
}>("@tapeline/core/access/SessionSettings", {
  defaultValue: () => ({
    idleTimeout: "12 hours",
    maxLifetime: "30 days",
    linkLifetime: "15 minutes",
    renewAfter: "15 minutes",
    renewalGrace: "60 seconds",
    capacity: 10_000,
    trustFor: "60 seconds",
    trustForWhenDisconnected: "2 seconds",
    lastUseInterval: "10 seconds",
    retention: "30 days",
    pruneInterval: "10 minutes"
  })
})

/** The duration in whole milliseconds. */
export const toWholeMs = (duration: Duration.Input): number => Math.round(Duration.toMillis(duration))
