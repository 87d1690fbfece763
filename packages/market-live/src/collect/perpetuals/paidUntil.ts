import { hourMs, type Interval, minuteMs } from "@tapeline/core/market"

/**
 * Until when payments are told: of an hour that has begun a minute ago, all are there, but for the one that is due
 * and comes late, which looks like none for ten minutes at most.
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
