/** A rate limit: the maximum weight within a sliding window, which also satisfies a source's own fixed windows. */
export interface RateLimit {
  /** The name of a limit in which only requests with a weight in `costs` count; without a name, `cost` counts. */
  readonly name?: string
  readonly weight: number
  readonly windowMs: number
}

/** Limits and pauses of the requests to one source. `defaultRetryPolicy` has the defaults. */
export interface RetryPolicy {
  /**
   * One try, from the connection to the last byte. For a large response: until its first bytes, and between its parts.
   */
  readonly timeoutMs: number
  /** The maximum duration of a large response: one whose request allows more than `maxBytes`. */
  readonly largeResponseMs: number
  /** A whole call: waiting, tries and the pauses between them. A large response that is arriving may exceed it. */
  readonly callTimeoutMs: number
  /** Tries of one call, including the first. */
  readonly maxTries: number
  /** The pause before the second try. It doubles with each try, and is shortened at random by up to a half. */
  readonly pauseMs: number
  /** A `retry-after` up to this length is waited for within a call; a longer one fails the call immediately. */
  readonly maxPauseMs: number
  /** The pause after a 429 (`limitedMs`) or a 418 (`bannedMs`) that has no `retry-after`. */
  readonly limitedMs: number
  readonly bannedMs: number
  /** The failures in a row that open the breaker, and for how long; the time doubles up to `maxOpenMs`. */
  readonly failuresToOpen: number
  readonly openMs: number
  readonly maxOpenMs: number
  /** How long it is remembered that a source does not serve this location. */
  readonly blockedMs: number
  /** The maximum of concurrent requests, and of calls that wait for their turn. */
  readonly concurrency: number
  readonly maxWaiting: number
  /** A longer body is not read to its end. A request may set another bound. */
  readonly maxBytes: number
  /** A larger difference between the source's `date` and our clock is logged as a warning. */
  readonly skewMs: number
}

export const defaultRetryPolicy: RetryPolicy = {
  timeoutMs: 10_000,
  largeResponseMs: 60_000,
  callTimeoutMs: 25_000,
  maxTries: 3,
  pauseMs: 250,
  maxPauseMs: 5_000,
  limitedMs: 2_000,
  bannedMs: 120_000,
  failuresToOpen: 5,
  openMs: 15_000,
  maxOpenMs: 300_000,
  blockedMs: 1_800_000,
  concurrency: 4,
  maxWaiting: 256,
  maxBytes: 8 * 1024 * 1024,
  skewMs: 5_000
}

/** Limits and pauses of one socket. */
export interface ReconnectPolicy {
  /** From the start of the connection until the subscription is active. */
  readonly connectMs: number
  /** The interval of pings, and the silence after which the connection is ended. */
  readonly pingMs: number
  readonly silenceMs: number
  /** The pause before the second try. It doubles up to `maxPauseMs`, and is shortened at random by up to a half. */
  readonly pauseMs: number
  readonly maxPauseMs: number
  /** A connection that lasted this long was good: the next pause is short again. */
  readonly stableAfterMs: number
  /** How long a block (`blockedMs`) and a rate limit (`limitedMs`) of the source are remembered. */
  readonly blockedMs: number
  readonly limitedMs: number
  /** The maximum number of events that wait to be taken. */
  readonly maxQueued: number
  /** A larger message ends the connection. */
  readonly maxBytes: number
  /** The number of unreadable messages in a row that ends the connection. */
  readonly maxUnreadable: number
}

export const defaultReconnectPolicy: ReconnectPolicy = {
  connectMs: 15_000,
  pingMs: 20_000,
  silenceMs: 60_000,
  pauseMs: 500,
  maxPauseMs: 30_000,
  stableAfterMs: 60_000,
  blockedMs: 1_800_000,
  limitedMs: 60_000,
  maxQueued: 10_000,
  maxBytes: 1024 * 1024,
  maxUnreadable: 20
}
