const encoder = new TextEncoder()

/** Returns the length of a text in JSON, in bytes, without its quotation marks. */
const bytesOf = (piece: string): number => encoder.encode(JSON.stringify(piece)).length - 2

/** Returns the longest prefix of whole characters with at most `bytes` bytes in JSON. */
const beginningOf = (text: string, bytes: number): { readonly text: string; readonly bytes: number } => {
  const whole = bytesOf(text)
  if (whole <= bytes) return { text, bytes: whole }
  let [end, taken] = [0, 0]
  for (const character of text) {
    const size = bytesOf(character)
    if (taken + size > bytes) break
    taken += size
    end += character.length
  }
  return { text: text.slice(0, end), bytes: taken }
}

/** Makes a cutter that passes texts until `bytes` bytes of JSON are used, and cuts the rest. */
export const makeCutter = (bytes: number) => {
  let [left, cut] = [bytes, 0]
  return {
    /** Returns a note that texts were cut, with `more` as the way to get them in full. */
    notes: (more: string): ReadonlyArray<string> =>
      cut === 0 ? [] : [`${cut} texts end in "..." where they were cut; ${more}.`],
    tell: (text: string): string => {
      const told = beginningOf(text, left)
      left -= told.bytes
      if (told.text.length === text.length) return text
      cut += 1
      return `${told.text}...`
    }
  }
}

/** The maximum bytes of notes in a result, so that the result can be stored for a replay. */
export const fullNotesBytes = 100_000
