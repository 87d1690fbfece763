/** The maximum length of a name that is compared. A longer name is not a typing error. */
const longest = 64

/** Converts a name to the form of tool names: `getPrice` and `get-price` become `get_price`. */
const snake = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_")

/** The number of letters to replace, delete, insert or swap with the next letter to turn `a` into `b`. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        last[j]! + 1,
        row[j - 1]! + 1,
        last[j - 1]! + (same ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Number.POSITIVE_INFINITY
      )
    }
    before = last
    last = row
  }
  return last[b.length]!
}

/** Returns the entry of `names` that differs from `name` by only a few letters, or null. */
export const nearestName = (name: string, names: Iterable<string>): string | null => {
  if (name.length > longest) return null
  const asked = snake(name)
  // At most a third of the letters may differ, and at most three.
  const most = Math.min(3, Math.floor(asked.length / 3))
  let nearest: string | null = null
  let least = most + 1
  for (const one of names) {
    if (Math.abs(one.length - asked.length) > least) continue
    // Among equally near names, prefers a name with the same first letter.
    const away = distance(asked, one) + (one[0] === asked[0] ? 0 : 0.5)
    if (away < least) [nearest, least] = [one, away]
  }
  return nearest
}
