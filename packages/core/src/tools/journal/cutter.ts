const encoder = new TextEncoder()

/** How many bytes a piece of text is in JSON, without its quotation marks. */
const bytesOf = (piece: string): number => encoder.encode(JSON.stringify(piece)).length - 2

/** The longest beginning of a text, of whole characters, that is at most so many bytes in JSON. */
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

/** Lets texts through until so many bytes are told, as JSON writes them; what is beyond is cut. */
export const makeCutter = (bytes: number) => {
  let [left, cut] = [bytes, 0]
  return {
    /** Says that texts were cut, and what tells more of them. */
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

/** How much of notes a result tells at most, bytes: with what else is in it, it can be kept for a repeat. */
export const fullNotesBytes = 100_000
