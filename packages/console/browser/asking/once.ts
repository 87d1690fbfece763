/**
 * A name that nothing else has, of 32 letters. (`crypto.randomUUID` is missing in pages that were not loaded over TLS.)
 */
export const freshKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** Names calls that write. */
export interface Once {
  /** The same for the same call of a tool, until it has gone well, or was not made for ten minutes. */
  readonly keyOf: (tool: string, input: unknown) => string
  /** It has gone well: the next is another one, also if it says the same. */
  readonly done: (tool: string, input: unknown) => void
}

/** So many ms a call is known again that was not answered. */
const keptMs = 600_000

/** What these set is set back by setting it once more: that is no repetition once another one has gone well. */
const settings: ReadonlySet<string> = new Set([
  "set_risk_profile",
  "update_position",
  "update_task",
  "update_watchlist"
])

interface Begun {
  readonly tool: string
  readonly key: string
  /** When it was made last, in ms of the clock. */
  readonly at: number
}

/**
 * A call whose answer was lost may have been done: made again, it has to be known for the same one, also by a form that
 * was closed and opened again meanwhile. The clock tells ms, and is never set.
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
