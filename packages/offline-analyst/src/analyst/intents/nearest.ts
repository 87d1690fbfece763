import type { Data } from "../Findings.ts"

/**
 * Returns the swing levels below and above a price, nearest first. Price may have crossed a level since the bar closed.
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
