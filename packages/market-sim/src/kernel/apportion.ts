/** Returns integers near `wanted` that add up to `total`, each in `[0, capacity[i]]`, if `sum(capacity) >= total`. */
export const apportionWithCapacities = (
  total: number,
  wanted: ReadonlyArray<number>,
  capacity: ReadonlyArray<number>
): Array<number> => {
  let capacityLeft = 0
  for (const c of capacity) capacityLeft += c
  const parts: Array<number> = []
  let assigned = 0
  let wantedSum = 0
  for (let i = 0; i < wanted.length; i++) {
    capacityLeft -= capacity[i]!
    wantedSum += wanted[i]!
    const minPart = Math.max(0, total - assigned - capacityLeft)
    const maxPart = Math.min(capacity[i]!, total - assigned)
    const part = Math.max(minPart, Math.min(maxPart, Math.round(wantedSum) - assigned))
    parts.push(part)
    assigned += part
  }
  return parts
}

/** Returns integers near `total * shares[i]` that add up to `total`, for shares that add up to 1. */
export const apportion = (total: number, shares: ReadonlyArray<number>): Array<number> => {
  const parts: Array<number> = []
  let assigned = 0
  let share = 0
  for (let i = 0; i < shares.length; i++) {
    share += shares[i]!
    const cumulativePart = i === shares.length - 1 ? total : Math.min(total, Math.round(total * share))
    parts.push(cumulativePart - assigned)
    assigned = cumulativePart
  }
  return parts
}

/**
 * Raises or reduces all estimates until they add up to `total`. Each estimate changes in proportion to its distance
 * from the bound towards which it moves. If no values within the bounds add up to `total`, returns the bounds.
 */
export const balanceWithinBounds = (
  total: number,
  estimates: ReadonlyArray<number>,
  lower: ReadonlyArray<number>,
  upper: ReadonlyArray<number>
): Array<number> => {
  let sum = 0
  let roomAbove = 0
  let roomBelow = 0
  for (let i = 0; i < estimates.length; i++) {
    sum += estimates[i]!
    roomAbove += upper[i]! - estimates[i]!
    roomBelow += estimates[i]! - lower[i]!
  }
  const missing = total - sum
  const share = missing > 0
    ? Math.min(1, roomAbove > 0 ? missing / roomAbove : 0)
    : Math.min(1, roomBelow > 0 ? -missing / roomBelow : 0)
  return estimates.map((estimate, i) =>
    missing > 0 ? estimate + share * (upper[i]! - estimate) : estimate - share * (estimate - lower[i]!)
  )
}
