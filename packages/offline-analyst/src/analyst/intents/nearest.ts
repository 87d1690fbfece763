import type { Data } from "../Findings.ts"

/**
 * Levels of swings on either side of a price, the nearest first: since their bar closed, price may have crossed some.
 */
export const levelsAround = (levels: Data, price: number | null) => {
  const all = [...levels.list("supports"), ...levels.list("resistances")].flatMap((level) => level.num("price") ?? [])
  const middle = price ?? levels.num("close")
  if (middle === null) return { below: [], above: [] }
  return {
    below: all.filter((level) => level < middle).toSorted((a, b) => b - a),
    above: all.filter((level) => level > middle).toSorted((a, b) => a - b)
  }
}
