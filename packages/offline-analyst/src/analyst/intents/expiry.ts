import type { Data } from "../Findings.ts"
import { monthOf } from "../reading/day.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"

const thisWeek = rule(
  "this week(?:'?s)?|weekly|weeklies|friday(?:'?s)?",
  "이번\\s?주|금주|주간|위클리|금요일",
  "эт(?:ой|у) недел|недельн|пятниц"
)
const thisMonth = rule(
  "this month(?:'?s)?|monthly|monthlies|month[- ]end",
  "이번\\s?달|이달|월간|월물",
  "эт(?:ого|от) месяц|месячн|конца? месяца"
)
const nearest = rule(
  "nearest|next expiry|front|today(?:'?s)?|tomorrow(?:'?s)?|0dte",
  "가장 가까운|최근월|오늘|내일|다음 만기",
  "ближайш|сегодняшн|сегодня|завтра"
)

const friday = 5

/** Returns whether a question names an expiry by a day, a month or a word such as "nearest". */
export const namesExpiry = ({ day, words }: Pick<Reading, "day" | "words">): boolean =>
  day !== null || [thisWeek, thisMonth, nearest].some((one) => one.test(words)) ||
  (monthOf(words) !== null && !/(?<![a-z])since(?![a-z])/u.test(words))

/**
 * Returns the option expiry that a question asks for, such as the nearest or this week's, or null if the
 * coin has no expiry, or the question names no listed expiry.
 */
export const expiryAsked = (
  { day, follows, thread, words: own }: Reading,
  data: Data,
  list: "max_pain" | "expiries" = "max_pain"
): string | null => {
  const expiries = data.list(list).flatMap((row) => row.str("expiry") ?? []).toSorted()
  const [first] = expiries
  if (first === undefined) return null
  if (day !== null) {
    const tail = `-${String(day.month).padStart(2, "0")}-${String(day.day).padStart(2, "0")}`
    return expiries.find((expiry) =>
      expiry.endsWith(tail) && (day.year === null || expiry.startsWith(String(day.year)))
    ) ?? null
  }
  const words = follows && !namesExpiry({ day, words: own }) ? thread : own
  const month = monthOf(words)
  if (month !== null) return expiries.findLast((expiry) => Number(expiry.slice(5, 7)) === month) ?? null
  if (thisWeek.test(words)) {
    return expiries.find((expiry) => new Date(`${expiry}T00:00:00Z`).getUTCDay() === friday) ?? null
  }
  if (thisMonth.test(words)) return expiries.findLast((expiry) => expiry.slice(0, 7) === first.slice(0, 7)) ?? null
  return nearest.test(words) ? first : null
}
