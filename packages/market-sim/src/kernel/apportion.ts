/** Divides a whole number of units among parts that add up exactly. */

/** Whole parts near `wanted` with the sum `total`, each in `[0, capacity[i]]`. Requires `sum(capacity) >= total`. */
export const apportionWithin = (
  total: number,
  wanted: ReadonlyArray<number>,
  capacity: ReadonlyArray<number>
): Array<number> => {
  let room = 0
  for (const c of capacity) room += c
  const parts: Array<number> = []
  let given = 0
  let aimed = 0
  for (let i = 0; i < wanted.length; i++) {
    room -= capacity[i]!
    aimed += wanted[i]!
    const least = Math.max(0, total - given - room)
    const most = Math.min(capacity[i]!, total - given)
    const part = Math.max(least, Math.min(most, Math.round(aimed) - given))
    parts.push(part)
    given += part
  }
  return parts
}

/** Whole parts near `total * shares[i]` with the sum `total`. The shares add up to 1. */
export const apportion = (total: number, shares: ReadonlyArray<number>): Array<number> => {
  const parts: Array<number> = []
  let given = 0
  let share = 0
  for (let i = 0; i < shares.length; i++) {
    share += shares[i]!
    const upTo = i === shares.length - 1 ? total : Math.min(total, Math.round(total * share))
    parts.push(upTo - given)
    given = upTo
  }
  return parts
}

/**
 * Moves `estimates` within their bounds so that they add up to `total`. Each moves in proportion to its distance from
 * its bound. If `total` is outside `[sum(lower), sum(upper)]`, returns the nearest bounds.
 */
export const balance = (
  total: number,
  estimates: ReadonlyArray<number>,
  lower: ReadonlyArray<number>,
  upper: ReadonlyArray<number>
): Array<number> => {
  let sum = 0
  let up = 0
  let down = 0
  for (let i = 0; i < estimates.length; i++) {
    sum += estimates[i]!
    up += upper[i]! - estimates[i]!
    down += estimates[i]! - lower[i]!
  }
  const missing = total - sum
  const share = missing > 0 ? Math.min(1, up > 0 ? missing / up : 0) : Math.min(1, down > 0 ? -missing / down : 0)
  return estimates.map((estimate, i) =>
    missing > 0 ? estimate + share * (upper[i]! - estimate) : estimate - share * (estimate - lower[i]!)
  )
}
