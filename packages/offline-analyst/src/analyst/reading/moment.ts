import { clockTimesIn } from "@tapeline/core/agent"
import { beginningOf, type Day, dayOf } from "./day.ts"
import { plain, rule } from "./rule.ts"

/** A past day that a question names, with the time of day in minutes after midnight UTC, if it names one. */
export interface Moment {
  readonly day: Day | null
  /** Whole days before the present day, or null. */
  readonly back: number | null
  /** The day of the week from 0 (Sunday), of which the last one before today is meant, or null. */
  readonly weekday: number | null
  readonly minute: number | null
}

const yesterday = rule("yesterday'?s?|last night", "어제|어젯밤|전일", "вчера|вчерашн[а-я]*")
const dayBefore = rule("(?:the )?day before yesterday", "그제|그저께|엊그제", "позавчера")
const today = rule("today|this morning", "오늘|오전|아침에", "сегодня|утром")
const weekdays: ReadonlyArray<RegExp> = [
  rule("sunday", "일요일", "воскресень"),
  rule("monday", "월요일", "понедельник"),
  rule("tuesday", "화요일", "вторник"),
  rule("wednesday", "수요일", "сред[уа](?![а-я])"),
  rule("thursday", "목요일", "четверг"),
  rule("friday", "금요일", "пятниц"),
  rule("saturday", "토요일", "суббот")
]
/** Offsets of zones from UTC in hours, for zones without summer time or with one usual meaning. */
const zones: ReadonlyArray<readonly [RegExp, number]> = [
  [rule("kst|korean? time|seoul time", "한국\\s?시간", "по сеулу|kst"), 9],
  [rule("msk|moscow time", "모스크바\\s?시간", "мск|по москве|msk"), 3],
  [rule("est", "est", "est"), -5]
]

const minuteOf = (question: string): number | null => {
  const [clock] = clockTimesIn(question)
  const zone = zones.find(([name]) => name.test(plain(question)))?.[1] ?? 0
  return clock === undefined ? null : clock.value - zone * 60
}

export const momentOf = (question: string): Moment | null => {
  const words = plain(question)
  const day = dayOf(question)
  const minute = minuteOf(question)
  const back = dayBefore.test(words) ? 2 : yesterday.test(words) ? 1 : today.test(words) && minute !== null ? 0 : null
  const weekday = weekdays.findIndex((name) => name.test(words))
  return day === null && back === null && weekday < 0
    ? null
    : { day, back, weekday: weekday < 0 ? null : weekday, minute }
}

const dayMs = 86_400_000

/** Returns the beginning of the day of a moment, epoch ms UTC. */
export const dayMsOf = ({ back, day, weekday }: Moment, nowMs: number): number => {
  if (day !== null) return beginningOf(day, nowMs)
  const today = Math.floor(nowMs / dayMs) * dayMs
  if (back !== null) return today - back * dayMs
  const since = (new Date(nowMs).getUTCDay() - (weekday ?? 0) + 7) % 7
  return today - (since === 0 ? 7 : since) * dayMs
}
