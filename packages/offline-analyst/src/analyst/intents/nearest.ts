import type { Data } from "../Findings.ts"

/** The price of the level that is the fewest percent away. */
export const nearest = (levels: ReadonlyArray<Data>): number | null => {
  let best: Data | undefined
  for (const level of levels) {
    const distance = Math.abs(level.num("distance_pct") ?? Infinity)
    if (best === undefined || distance < Math.abs(best.num("distance_pct") ?? Infinity)) best = level
  }
  return best?.num("price") ?? null
}
