/**
 * A unique random text of 32 hexadecimal digits. (`crypto.randomUUID` is missing in pages loaded without TLS.)
 */
export const freshKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** Idempotency keys of calls that write. */
export interface Once {
  /** Returns the same key for the same call, until the call succeeded or was not repeated for ten minutes. */
  readonly keyOf: (tool: string, input: unknown) => string
  /** Reports that the call succeeded. The next call gets a new key, even if its input is the same. */
  readonly done: (tool: string, input: unknown) => void
}

/** How long the key of an unanswered call is kept, in ms. */
const keptMs = 600_000

/** Tools that set values. After one succeeded, an equal earlier call is not a repetition: it may set a value back. */
const settings: ReadonlySet<string> = new Set([
  "set_risk_profile",
  "update_position",
  "update_task",
  "update_watchlist"
])

interface Begun {
  readonly tool: string
  readonly key: string
  /** When the call was last made, in ms of the clock. */
  readonly at: number
}

/**
 * Makes the idempotency keys of one sign-in. A call whose response was lost may have run, so a repeated call must have
 * the same key, even if its form was closed and opened again. The clock is monotonic and counts ms.
 */
export const makeOnce = (
  draw: () => string = freshKey,
  clock: () => number = () => performance.now()
): Once => {
  const begun = new Map<string, Begun>()
  const textOf = (tool: string, input: unknown): string => JSON.stringify([tool, input])
  return {
    keyOf: (tool, input) => {
      const at = clock()
      for (const [text, call] of begun) if (at - call.at > keptMs) begun.delete(text)
      const text = textOf(tool, input)
      const key = begun.get(text)?.key ?? draw()
      begun.set(text, { tool, key, at })
      return key
    },
    done: (tool, input) => {
      begun.delete(textOf(tool, input))
      if (!settings.has(tool)) return
      for (const [text, call] of begun) if (call.tool === tool) begun.delete(text)
    }
  }
}
