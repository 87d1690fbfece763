/** Matches strings, brackets, commas and colons in a JSON text. */
const tokenPattern = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs

const maxReturnedLength = 64

/**
 * Returns a name that occurs twice in one object of a valid JSON text, or undefined. JSON parsers disagree on which
 * value of a duplicate name applies.
 */
export const findRepeatedName = (text: string): string | undefined => {
  // The names seen in each open object; null for an open array.
  const openScopes: Array<Set<string> | null> = []
  let string = ""
  for (const [token] of text.matchAll(tokenPattern)) {
    if (token === "{") openScopes.push(new Set())
    else if (token === "[") openScopes.push(null)
    else if (token === "}" || token === "]") openScopes.pop()
    else if (token === ":") {
      // Outside of strings, a colon follows the name of a field.
      const name: string = JSON.parse(string)
      const names = openScopes.at(-1)
      if (names?.has(name) === true) return name.slice(0, maxReturnedLength)
      names?.add(name)
    } else if (token !== ",") string = token
  }
  return undefined
}
