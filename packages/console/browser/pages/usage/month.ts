/** Months and days in the service's format: YYYY-MM and YYYY-MM-DD, in UTC. */

const dayMs = 86_400_000

export const monthOf = (at: number | string): string => new Date(at).toISOString().slice(0, 7)

const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`)

/** The month that is `months` after another one. */
export const monthAfter = (month: string, months: number): string => {
  const date = new Date(startOf(month))
  return monthOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1))
}

/** The number of days of a month. */
export const daysIn = (month: string): number => Math.round((startOf(monthAfter(month, 1)) - startOf(month)) / dayMs)

/** The day of the month: 2026-11-09 is 9. */
export const dayOf = (day: string): number => Number(day.slice(8, 10))

/** The months between two months, latest first; at most `most` of them. */
export const monthsBack = (from: string, to: string, most: number): ReadonlyArray<string> => {
  const months: Array<string> = []
  for (let month = to; month >= from && months.length < most; month = monthAfter(month, -1)) months.push(month)
  return months
}
