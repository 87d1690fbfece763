/** Returns a random text of 32 hexadecimal digits, even on pages loaded without TLS, which lack `crypto.randomUUID`. */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

export interface IdempotencyKeys {
  /**
   * Returns the idempotency key of a call. Equal calls get the same key until the call succeeds, or until ten minutes
   * pass without a repetition.
   */
  readonly keyFor: (tool: string, input: unknown) => string
  /** Reports that a call succeeded, so that the next equal call gets a new key. */
  readonly markSucceeded: (tool: string, input: unknown) => void
}

interface IdempotencyKeyOptions {
  /** The names of the calls that set values, such as a status; by default, the tools that set values. */
  readonly settingCalls?: ReadonlySet<string>
  /** The time in ms for which a call without a response keeps its key; ten minutes by default. */
  readonly retentionMs?: number
}

/**
 * The tools that set values. A successful call deletes the earlier idempotency keys of its tool, because a later equal
 * call may restore an earlier value.
 */
const settingTools: ReadonlySet<string> = new Set([
  "set_risk_profile",
  "update_position",
  "update_task",
  "update_watchlist"
])

interface PendingCall {
  readonly tool: string
  readonly key: string
  /** The time of the last attempt of a call, in ms of the monotonic clock. */
  readonly lastUsedAt: number
}

/**
 * Creates the idempotency keys for the tool calls of one signed-in user. `clock` returns a monotonic time in ms. A tool
 * call whose response was lost may have run. A retry after a lost response needs the same idempotency key, even if the
 * user has reopened the form.
 */
export const makeIdempotencyKeys = (
  makeKey: () => string = randomKey,
  clock: () => number = () => performance.now(),
  { retentionMs = 600_000, settingCalls = settingTools }: IdempotencyKeyOptions = {}
): IdempotencyKeys => {
  const pendingCalls = new Map<string, PendingCall>()
  const callText = (tool: string, input: unknown): string => JSON.stringify([tool, input])
  return {
    keyFor: (tool, input) => {
      const lastUsedAt = clock()
      for (const [text, call] of pendingCalls) if (lastUsedAt - call.lastUsedAt > retentionMs) pendingCalls.delete(text)
      const text = callText(tool, input)
      const key = pendingCalls.get(text)?.key ?? makeKey()
      pendingCalls.set(text, { tool, key, lastUsedAt })
      return key
    },
    markSucceeded: (tool, input) => {
      pendingCalls.delete(callText(tool, input))
      if (!settingCalls.has(tool)) return
      for (const [text, call] of pendingCalls) if (call.tool === tool) pendingCalls.delete(text)
    }
  }
}
