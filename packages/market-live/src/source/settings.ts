/** So many units of weight within a sliding window; a source's own "per minute" or "per second" is held by it. */
export interface RateLimit {
  /** Of a limit that some requests count against by a weight of their own (`costs`); else `cost` counts. */
  readonly name?: string
  readonly weight: number
  readonly windowMs: number
}

/** How one source is asked. What an operator may set has its default in `defaultPatience`. */
export interface Patience {
  /** One try, from the connection to the last byte; of a large answer its beginning, and each silence in it. */
  readonly timeoutMs: number
  /** So long a large answer may take that goes on coming: one that by its request may be longer than `maxBytes`. */
  readonly largeMs: number
  /** A whole call, with its waiting for a turn, its tries and the pauses between them, but for what is arriving. */
  readonly patienceMs: number
  /** Tries of one call, the first included. */
  readonly tries: number
  /** The pause before the second try; it doubles, and is shortened at random by up to a half. */
  readonly pauseMs: number
  /** A `retry-after` up to this is waited for within a call, a longer one fails it at once. */
  readonly longestPauseMs: number
  /** For how long a source that limits us without saying so is left alone: after 429, and after 418. */
  readonly limitedMs: number
  readonly bannedMs: number
  /** Failed tries in a row after which a source is left alone, and for how long; it doubles up to `longestOpenMs`. */
  readonly failuresToOpen: number
  readonly openMs: number
  readonly longestOpenMs: number
  /** For how long it is remembered that a source does not serve this place. */
  readonly blockedMs: number
  /** Requests at a time, and callers that may wait for their turn. */
  readonly concurrency: number
  readonly waiting: number
  /** A longer body is not read to its end. A request may name another bound. */
  readonly maxBytes: number
  /** A `date` that is further from our clock than this is warned about. */
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
