import { Context, Duration } from "effect"

/** The lifetimes of sessions, session tokens and sign-in links, and the settings of the session cache. */
export const SessionSettings = Context.Reference<{
  /** The time after which an unused session ends. */
  readonly idleTimeout: Duration.Input
  readonly maxLifetime: Duration.Input
  readonly linkLifetime: Duration.Input
  /**
   * The maximum time since the sign-in for sensitive actions. After this time, the user must sign in again for such
   * actions.
   */
  readonly recentSignIn: Duration.Input
  /** The age at which a session token should be replaced by a new token. */
  readonly renewAfter: Duration.Input
  /**
   * The time for which a replaced session token is still accepted. Concurrent requests may still use the replaced
   * token.
   */
  readonly renewalGrace: Duration.Input
  /** The maximum number of sessions in the cache. */
  readonly capacity: number
  readonly trustFor: Duration.Input
  readonly trustForWhenDisconnected: Duration.Input
  readonly lastUseInterval: Duration.Input
  /** The time for which ended sessions stay visible to their owner. */
  readonly retention: Duration.Input
  readonly pruneInterval: Duration.Input
}>("@tapeline/core/access/SessionSettings", {
  defaultValue: () => ({
    idleTimeout: "12 hours",
    maxLifetime: "30 days",
    linkLifetime: "15 minutes",
    recentSignIn: "10 minutes",
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

export const toWholeMs = (duration: Duration.Input): number => Math.round(Duration.toMillis(duration))
