/** A rate limit: the maximum weight within a sliding window, which also satisfies a source's own fixed windows. */
export interface RateLimit {
  /** The name of a limit in which only requests with a weight in `costs` count; without a name, `cost` counts. */
  readonly name?: string
  readonly weight: number
  readonly windowMs: number
}

/** Limits and pauses of the requests to one source. `defaultPatience` has the defaults. */
export interface Patience {
  /**
   * One try, from the connection to the last byte. For a large response: until its first bytes, and between its parts.
   */
  readonly timeoutMs: number
  /** The maximum duration of a large response: one whose request allows more than `maxBytes`. */
  readonly largeMs: number
  /** A whole call: waiting, tries and the pauses between them. A large response that is arriving may exceed it. */
  readonly patienceMs: number
  /** Tries of one call, including the first. */
  readonly tries: number
  /** The pause before the second try. It doubles with each try, and is shortened at random by up to a half. */
  readonly pauseMs: number
  /** A `retry-after` up to this length is waited for within a call; a longer one fails the call immediately. */
  readonly longestPauseMs: number
  /** The pause after a 429 (`limitedMs`) or a 418 (`bannedMs`) that has no `retry-after`. */
  readonly limitedMs: number
  readonly bannedMs: number
  /** The failures in a row that open the breaker, and for how long; the time doubles up to `longestOpenMs`. */
  readonly failuresToOpen: number
  readonly openMs: number
  readonly longestOpenMs: number
  /** How long it is remembered that a source does not serve this location. */
  readonly blockedMs: number
  /** The maximum of concurrent requests, and of calls that wait for their turn. */
  readonly concurrency: number
  readonly waiting: number
  /** A longer body is not read to its end. A request may set another bound. */
  readonly maxBytes: number
  /** A larger difference between the source's `date` and our clock is logged as a warning. */
  readonly skewMs: number
}

export const defaultPatience: Patience = {
  timeoutMs: 10_000,
  largeMs: 60_000,
  patienceMs: 25_000,
  tries: 3,
  pauseMs: 250,
  longestPauseMs: 5_000,
  limitedMs: 2_000,
  bannedMs: 120_000,
  failuresToOpen: 5,
  openMs: 15_000,
  longestOpenMs: 300_000,
  blockedMs: 1_800_000,
  concurrency: 4,
  waiting: 256,
  maxBytes: 8 * 1024 * 1024,
  skewMs: 5_000
}
