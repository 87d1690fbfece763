/** The maximum length of a name that is compared with known names. A longer name is too long to be a typing error. */
const maxNameLength = 64

/** Converts a name to the form of tool names: `getPrice` and `get-price` become `get_price`. */
const toSnakeCase = (name: string): string =>
  name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter}`).toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_")

/** Returns the optimal string alignment distance: the number of replaced, deleted, inserted or swapped letters. */
export const editDistance = (a: string, b: string): number => {
  let beforePrevious: ReadonlyArray<number> = []
  let previous: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        previous[j]! + 1,
        row[j - 1]! + 1,
        previous[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? beforePrevious[j - 2]! + 1 : Number.POSITIVE_INFINITY
      )
    }
    beforePrevious = previous
    previous = row
  }
  return previous[b.length]!
}

/** Returns the entry of `names` that differs from `name` by only a few letters, or null. */
export const findNearestName = (name: string, names: Iterable<string>): string | null => {
  if (name.length > maxNameLength) return null
  const requested = toSnakeCase(name)
  // At most a third of the letters may differ, and at most three letters.
  const maxDistance = Math.min(3, Math.floor(requested.length / 3))
  let nearest: string | null = null
  let smallestDistance = maxDistance + 1
  for (const candidate of names) {
    if (Math.abs(candidate.length - requested.length) > smallestDistance) continue
    // Among equally near names, prefers a name with an equal first letter.
    const candidateDistance = editDistance(requested, candidate) + (candidate[0] === requested[0] ? 0 : 0.5)
    if (candidateDistance < smallestDistance) [nearest, smallestDistance] = [candidate, candidateDistance]
  }
  return nearest
}
