/** How one socket is kept. */
export interface SocketPatience {
  /** From the first byte to the moment when everything is heard. */
  readonly connectMs: number
  /** We ask so often whether the other side is there, and leave when nothing came for so long. */
  readonly pingMs: number
  readonly silenceMs: number
  /** The pause before the second try; it doubles up to the longest, and is shortened at random by up to a half. */
  readonly pauseMs: number
  readonly longestPauseMs: number
  /** A connection that lasted so long was a good one: the next pause is short again. */
  readonly steadyMs: number
  /** For how long it is remembered that a source does not serve this place, and that it wants to be left alone. */
  readonly blockedMs: number
  readonly limitedMs: number
  /** Events that wait to be taken. */
  readonly waiting: number
  /** A larger message ends the connection. */
  readonly maxBytes: number
  /** Unreadable messages in a row that end it. */
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
