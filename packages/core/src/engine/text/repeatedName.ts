/** What a text of JSON is made of, less numbers and literals. */
const parts = /"(?:[^"\\]|\\.)*"|[[\]{},:]/gs

/** As long a name as is worth telling. */
const told = 64

/**
 * A name that an object of a text of JSON has twice, or nothing: two readers could take one value or the other. `text`
 * must be JSON.
 */
export const repeatedName = (text: string): string | undefined => {
  // The names of each object that is open; of a list, none.
  const open: Array<Set<string> | null> = []
  let string = ""
  for (const [part] of text.matchAll(parts)) {
    if (part === "{") open.push(new Set())
    else if (part === "[") open.push(null)
    else if (part === "}" || part === "]") open.pop()
    else if (part === ":") {
      // A colon outside of strings stands after a name.
      const name: string = JSON.parse(string)
      const names = open.at(-1)
      if (names?.has(name) === true) return name.slice(0, told)
      names?.add(name)
    } else if (part !== ",") string = part
  }
  return undefined
}
