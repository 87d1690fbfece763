/** The tokens of a JSON text, except numbers and literals. */
const parts = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs

/** The maximum length of the returned name. */
const told = 64

/**
 * Returns a name that occurs twice in one object of a JSON text, or undefined. Parsers disagree on which of the two
 * values counts. `text` must be valid JSON.
 */
export const repeatedName = (text: string): string | undefined => {
  // The names seen in each open object; null for an open array.
  const open: Array<Set<string> | null> = []
  let string = ""
  for (const [part] of text.matchAll(parts)) {
    if (part === "{") open.push(new Set())
    else if (part === "[") open.push(null)
    else if (part === "}" || part === "]") open.pop()
    else if (part === ":") {
      // A colon outside of strings follows a name.
      const name: string = JSON.parse(string)
      const names = open.at(-1)
      if (names?.has(name) === true) return name.slice(0, told)
      names?.add(name)
    } else if (part !== ",") string = part
  }
  return undefined
}
