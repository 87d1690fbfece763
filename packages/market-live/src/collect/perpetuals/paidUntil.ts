import { hourMs, type Interval, minuteMs } from "@tapeline/core/market"

/**
 * The time up to which funding payments are complete. One minute after an hour begins, all its payments are known,
 * except one that is due and late. A missing payment counts as late for at most ten minutes.
 */
export const paidUntil = (
  { from, to }: Interval,
  times: ReadonlyArray<number>,
  hours: number,
  present: number
): number => {
  const begun = Math.floor((present - minuteMs) / hourMs) * hourMs
  const isAwaited = begun % (hours * hourMs) === 0 && present - begun < 10 * minuteMs &&
    !times.some((time) => time >= begun)
  return Math.max(from, Math.min(to, isAwaited ? begun : begun + hourMs))
}
