import type { Interval } from "../series.ts"
import type { StoragePeriod } from "./kinds.ts"

/** Returns the storage period that contains a time, in UTC. */
export const periodOf = (period: StoragePeriod, time: number): Interval & { readonly name: string } => {
  const date = new Date(time)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return period === "year"
    ? { name: `${year}`, from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) }
    : {
      name: `${year}${String(month + 1).padStart(2, "0")}`,
      from: Date.UTC(year, month),
      to: Date.UTC(year, month + 1)
    }
}

/**
 * The times that a row may have, for each storage period. A fixed range of years limits the number of storage periods.
 */
export const validTimes: Readonly<Record<StoragePeriod, Interval>> = {
  month: { from: Date.UTC(2009, 0), to: Date.UTC(2100, 0) },
  year: { from: Date.UTC(1970, 0), to: Date.UTC(2100, 0) }
}
