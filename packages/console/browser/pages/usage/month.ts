/** Months and days in the service's format: YYYY-MM and YYYY-MM-DD, in UTC. */

const dayMs = 86_400_000

export const toMonth = (at: number | string): string => new Date(at).toISOString().slice(0, 7)

const monthStart = (month: string): number => Date.parse(`${month}-01T00:00:00Z`)

/** The month that is `months` after another one. */
export const addMonths = (month: string, months: number): string => {
  const date = new Date(monthStart(month))
  return toMonth(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
}

/** The number of days of a month. */
export const countDays = (month: string): number =>
  Math.round((monthStart(addMonths(month, 1)) - monthStart(month)) / dayMs)

/** The day of the month: 2026-11-09 is 9. */
export const dayOfMonth = (day: string): number => Number(day.slice(8, 10))

/** The months between two months, latest first; at most `maxCount` of them. */
export const listMonths = (from: string, to: string, maxCount: number): ReadonlyArray<string> => {
  const months: Array<string> = []
  for (let month = to; month >= from && months.length < maxCount; month = addMonths(month, -1)) months.push(month)
  return months
}
