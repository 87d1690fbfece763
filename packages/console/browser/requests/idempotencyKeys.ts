/**
 * A unique random text of 32 hexadecimal digits. (`crypto.randomUUID` is missing in pages loaded without TLS.)
 */
export const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** Idempotency keys of calls that write. */
export interface IdempotencyKeys {
  /** Returns the same key for the same call, until the call succeeded or was not repeated for ten minutes. */
  readonly keyFor: (tool: string, input: unknown) => string
  /** Reports that the call succeeded. The next call gets a new key, even if its input is the same. */
  readonly markSucceeded: (tool: string, input: unknown) => void
}

/** How long the key of an unanswered call is kept, in ms. */
const retentionMs = 600_000

/** Tools that set values. After one succeeded, an equal earlier call is not a repetition: it may set a value back. */
const settingTools: ReadonlySet<string> = new Set([
  "set_risk_profile",
  "update_position",
  "update_task",
  "update_watchlist"
])

interface PendingCall {
  readonly tool: string
  readonly key: string
  /** When the call was last made, in ms of the clock. */
  readonly lastUsedAt: number
}

/**
 * Makes the idempotency keys of one sign-in. A call whose response was lost may have run, so a repeated call must have
 * the same key, even if its form was closed and opened again. The clock is monotonic and counts ms.
 */
export const makeIdempotencyKeys = (
  makeKey: () => string = randomKey,
  clock: () => number = () => performance.now()
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
      if (!settingTools.has(tool)) return
      for (const [text, call] of pendingCalls) if (call.tool === tool) pendingCalls.delete(text)
    }
  }
}
