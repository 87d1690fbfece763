/** Limits and pauses of one socket. */
export interface SocketPatience {
  /** From the start of the connection until the subscription is active. */
  readonly connectMs: number
  /** The interval of pings, and the silence after which the connection is ended. */
  readonly pingMs: number
  readonly silenceMs: number
  /** The pause before the second try. It doubles up to `longestPauseMs`, and is shortened at random by up to a half. */
  readonly pauseMs: number
  readonly longestPauseMs: number
  /** A connection that lasted this long was good: the next pause is short again. */
  readonly steadyMs: number
  /** How long a block (`blockedMs`) and a rate limit (`limitedMs`) of the source are remembered. */
  readonly blockedMs: number
  readonly limitedMs: number
  /** The maximum number of events that wait to be taken. */
  readonly waiting: number
  /** A larger message ends the connection. */
  readonly maxBytes: number
  /** The number of unreadable messages in a row that ends the connection. */
  readonly mostUnreadable: number
}

export const defaultSocketPatience: SocketPatience = {
  connectMs: 15_000,
  pingMs: 20_000,
  silenceMs: 60_000,
  pauseMs: 500,
  longestPauseMs: 30_000,
  steadyMs: 60_000,
  blockedMs: 1_800_000,
  limitedMs: 60_000,
  waiting: 10_000,
  maxBytes: 1024 * 1024,
  mostUnreadable: 20
}
