import { plain } from "./rule.ts"

/** A calendar day, whose year is null if the question names no year. */
export interface Day {
  readonly year: number | null
  /** The month of the year, from 1 to 12. */
  readonly month: number
  readonly day: number
}

const months: ReadonlyArray<string> = [
  "jan(?:uary)?|январ[яьюе]",
  "feb(?:ruary)?|феврал[яьюе]",
  "mar(?:ch)?|март[ау]?",
  "apr(?:il)?|апрел[яьюе]",
  "may|ма[яй]",
  "june?|июн[яьюе]",
  "july?|июл[яьюе]",
  "aug(?:ust)?|август[ау]?",
  "sept?(?:ember)?|сентябр[яьюе]",
  "oct(?:ober)?|октябр[яьюе]",
  "nov(?:ember)?|ноябр[яьюе]",
  "dec(?:ember)?|декабр[яьюе]"
]

/** Returns the month, from 1 to 12, that a question names without a day, or null. */
export const monthOf = (words: string): number | null => {
  const korean = /(?<!\d)(1[0-2]|[1-9])월/u.exec(words)?.[1]
  if (korean !== undefined) return Number(korean)
  const at = months.findIndex((names) => new RegExp(`(?<![\\p{L}])(?:${names})(?![a-z])`, "u").test(words))
  return at < 0 ? null : at + 1
}

const year = "(?:,? (?<year>20\\d\\d)(?!\\d))?"
const patterns = months.map((names) => {
  const name = `(?<![\\p{L}])(?:${names})(?![\\p{L}])\\.?`
  return [
    new RegExp(`(?<![\\d.,])(?<day>\\d{1,2})(?:st|nd|rd|th)? (?:of )?${name}${year}`, "u"),
    new RegExp(`${name} (?:the )?(?<day>\\d{1,2})(?:st|nd|rd|th)?(?![\\p{L}\\d%]|[.,:]\\d)${year}`, "u")
  ]
})
const iso = /(?<!\d)(?<year>20\d\d)-(?<month>\d{1,2})-(?<day>\d{1,2})(?!\d)/u
const korean = /(?:(?<year>20\d\d)년 ?)?(?<!\d)(?<month>\d{1,2})월 ?(?<day>\d{1,2})일/u

const utc = (year: number, { day, month }: Day): number => Date.UTC(year, month - 1, day)

const exists = (day: Day): boolean => {
  const date = new Date(utc(day.year ?? 2000, day))
  return date.getUTCMonth() === day.month - 1 && date.getUTCDate() === day.day
}

export const dayOf = (question: string): Day | null => {
  const folded = plain(question)
  const found = [
    ...patterns.flatMap((forms, i) => forms.map((form) => ({ groups: form.exec(folded)?.groups, month: i + 1 }))),
    { groups: iso.exec(folded)?.groups, month: null },
    { groups: korean.exec(folded)?.groups, month: null }
  ]
  for (const { groups, month } of found) {
    if (groups === undefined) continue
    const named = groups["year"]
    const day: Day = {
      year: named === undefined ? null : Number(named),
      month: month ?? Number(groups["month"]),
      day: Number(groups["day"])
    }
    if (exists(day)) return day
  }
  return null
}

/** Returns the beginning of a day in UTC, epoch ms; a day without a year is the last such day that has begun. */
export const beginningOf = (day: Day, nowMs: number): number => {
  if (day.year !== null) return utc(day.year, day)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const begins = utc(thisYear, day)
  return begins <= nowMs ? begins : utc(thisYear - 1, day)
}
