/**
 * A name that nothing else has, of 32 letters. (`crypto.randomUUID` is missing in pages that were not loaded over TLS.)
 */
export const freshKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** Names calls that write. */
export interface Once {
  /** The same for the same call, until it has gone well. */
  readonly keyOf: (input: unknown) => string
  /** It has gone well: the next is another one, also if it says the same. */
  readonly done: () => void
}

/** A call whose answer was lost may have been done: made again, it has to be known for the same one. */
export const makeOnce = (draw: () => string = freshKey): Once => {
  let last: { readonly text: string; readonly key: string } | undefined
  return {
    keyOf: (input) => {
      const text = JSON.stringify(input)
      if (last?.text !== text) last = { text, key: draw() }
      return last.key
    },
    done: () => {
      last = undefined
    }
  }
}
