/**
 * A rate limit: the maximum weight of requests within a sliding window. A client within a sliding-window limit also
 * stays within the source's fixed-window limit.
 */
export interface RateLimit {
  /**
   * A rate limit with a name counts the weights in the `costs` of requests. A rate limit without a name counts the
   * `cost` of requests.
   */
  readonly name?: string
  readonly weight: number
  readonly windowMs: number
}

/** The limits and pauses of requests to one source. */
export interface RetryPolicy {
  /**
   * The maximum duration of one try. For a large response, `timeoutMs` limits the time until the first bytes, and the
   * time between two parts.
   */
  readonly timeoutMs: number
  /** The maximum duration of a large response. A response is large if its request allows more than `maxBytes`. */
  readonly largeResponseMs: number
  /**
   * The maximum duration of a whole call, including waiting, tries and pauses, which a large response may exceed while
   * arriving.
   */
  readonly callTimeoutMs: number
  readonly maxTries: number
  /** The pause before the second try, which doubles with each try, and is shortened randomly by up to one half. */
  readonly pauseMs: number
  /** The longest `retry-after` that a call waits for, before failing immediately. */
  readonly maxPauseMs: number
  /** The pauses after HTTP status 429 and 418, if the response has no `retry-after`. */
  readonly limitedMs: number
  readonly bannedMs: number
  /**
   * The number of consecutive failures that open the circuit breaker, and the open time, which doubles up to
   * `maxOpenMs`.
   */
  readonly failuresToOpen: number
  readonly openMs: number
  readonly maxOpenMs: number
  /** The time for which a block by the source is remembered. */
  readonly blockedMs: number
  readonly concurrency: number
  readonly maxWaiting: number
  /** The default maximum size of a response body in bytes. */
  readonly maxBytes: number
  /** The maximum difference between the source's `date` and the local clock, above which a warning is logged. */
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

/** The limits and pauses of one WebSocket. */
export interface ReconnectPolicy {
  /** The maximum time from the start of a connection until the subscription is active. */
  readonly connectMs: number
  /** The interval between pings, and the duration of silence after which a connection ends. */
  readonly pingMs: number
  readonly silenceMs: number
  /** The pause before the second try, which doubles up to `maxPauseMs`, and is shortened randomly by up to one half. */
  readonly pauseMs: number
  readonly maxPauseMs: number
  /**
   * The duration after which a connection counts as stable. After a stable connection, the pause before reconnecting is
   * short again.
   */
  readonly stableAfterMs: number
  /** The times for which a block and a rate limit of the source are remembered. */
  readonly blockedMs: number
  readonly limitedMs: number
  readonly maxQueued: number
  /** The size in bytes above which a message ends the connection. */
  readonly maxBytes: number
  /** The number of consecutive unreadable messages that ends the connection. */
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
