/** Longer names are nobody's slip of the pen. */
const longest = 64

/** A name as those of tools are written: `getPrice` and `get-price` as `get_price`. */
const snake = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_")

/** How many letters must be changed, left out, put in or swapped with the next one to make one of the other. */
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

/** Which of `names` was meant by one that is none of them: the one a few letters away; null where none is so near. */
export const nearestName = (name: string, names: Iterable<string>): string | null => {
  if (name.length > longest) return null
  const asked = snake(name)
  // A third of a name may be wrong, and no more than three letters.
  const most = Math.min(3, Math.floor(asked.length / 3))
  let nearest: string | null = null
  let least = most + 1
  for (const one of names) {
    if (Math.abs(one.length - asked.length) > least) continue
    // Of two that are as near the one that begins alike.
    const away = distance(asked, one) + (one[0] === asked[0] ? 0 : 0.5)
    if (away < least) [nearest, least] = [one, away]
  }
  return nearest
}
