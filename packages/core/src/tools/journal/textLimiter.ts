const encoder = new TextEncoder()

/** Returns the length of a text in JSON, in bytes, without its quotation marks. */
const countJsonBytes = (piece: string): number => encoder.encode(JSON.stringify(piece)).length - 2

/** Returns the longest prefix of whole characters with at most `bytes` bytes in JSON. */
const takePrefix = (text: string, bytes: number): { readonly text: string; readonly bytes: number } => {
  const totalBytes = countJsonBytes(text)
  if (totalBytes <= bytes) return { text, bytes: totalBytes }
  let [end, takenBytes] = [0, 0]
  for (const character of text) {
    const size = countJsonBytes(character)
    if (takenBytes + size > bytes) break
    takenBytes += size
    end += character.length
  }
  return { text: text.slice(0, end), bytes: takenBytes }
}

/**
 * Creates a limiter for the total size of texts. The limiter returns texts unchanged until `bytes` bytes of JSON are
 * used, and then cuts texts.
 */
export const makeTextLimiter = (bytes: number) => {
  let [remainingBytes, cutCount] = [bytes, 0]
  return {
    /** Returns a note that texts were cut; `more` states how to get the full texts. */
    makeNotes: (more: string): ReadonlyArray<string> =>
      cutCount === 0 ? [] : [`${cutCount} texts were cut and end in "..."; ${more}.`],
    shorten: (text: string): string => {
      const prefix = takePrefix(text, remainingBytes)
      remainingBytes -= prefix.bytes
      if (prefix.text.length === text.length) return text
      cutCount += 1
      return `${prefix.text}...`
    }
  }
}

/**
 * The maximum total size of the notes in a result, in bytes. A store could not keep a larger result for an idempotent
 * call.
 */
export const maxNotesBytes = 100_000
