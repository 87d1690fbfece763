/** A calendar month in UTC, written `YYYY-MM`. */
export type Month = string

/** The cached last result of `monthOf`. Most calls of `monthOf` are for the current month. */
let cached = { from: NaN, until: NaN, month: "" }

/** Returns the month that contains `time` (epoch ms). */
export const monthOf = (time: number): Month => {
  if (!(time >= cached.from && time < cached.until)) {
    const month = new Date(time).toISOString().slice(0, 7)
    cached = { from: Date.parse(`${month}-01T00:00:00Z`), until: monthEnd(month), month }
  }
  return cached.month
}

/** Returns the time (epoch ms) at which the month after `month` begins and credits renew. */
export const monthEnd = (month: Month): number => Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 1)

/** Returns the month that is `months` months after `month`. */
export const monthAfter = (month: Month, months: number): Month =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)) - 1 + months)).toISOString().slice(0, 7)

const dayMs = 86_400_000

/** Returns the start (epoch ms) of the UTC day that contains `time`. */
export const dayOf = (time: number): number => Math.floor(time / dayMs) * dayMs

/** Returns the start (epoch ms) of the next UTC day. The daily quota of answers renews at the start of a UTC day. */
export const dayEnd = (time: number): number => dayOf(time) + dayMs

/** Returns whether `text` has the form `YYYY-MM` with a month from 01 to 12. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text)
