/** Months and days in the service's format: YYYY-MM and YYYY-MM-DD, in UTC. */

const dayMs = 86_400_000

export const toMonth = (at: number | string): string => new Date(at).toISOString().slice(0, 7)

const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00Z`)

/** Returns the month that is `months` after the given month. */
export const addMonths = (month: string, months: number): string => {
  const date = new Date(monthStart(month))
  return toMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
}

export const countDays = (month: string): number =>
  Math.round((monthStart(addMonths(month, 1)) - monthStart(month)) / dayMs)

export const dayOfMonth = (day: string): number => Number(day.slice(8, 10))

/** Returns the months from `to` back to `from`, latest first; at most `maxCount` months. */
export const listMonths = (from: string, to: string, maxCount: number): ReadonlyArray<string> => {
  const months: Array<string> = []
  for (let month = to; month >= from && months.length < maxCount; month = addMonths(month, -1)) months.push(month)
  return months
}
