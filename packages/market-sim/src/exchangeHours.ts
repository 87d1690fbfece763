/**
 * When stock exchanges trade: sessions of NYSE/NASDAQ and KRX, with daylight saving time and holidays by rule.
 *
 * Left out: Korean election days and one-off closures (days of mourning, storms), which no rule foretells.
 */
import { dayMs, type EquityCountry, hourMs, type SessionState } from "@tapeline/core/market"
import { BoundedCache } from "./cache.ts"

/** A trading session, in milliseconds; half-open. */
export interface TradingSession {
  /** Days since 1970 of the exchange's local date. */
  readonly day: number
  readonly openAt: number
  readonly closeAt: number
}

export const dayNumber = (year: number, month: number, date: number): number => Date.UTC(year, month - 1, date) / dayMs
const yearOf = (day: number): number => new Date(day * dayMs).getUTCFullYear()
/** 0 is Sunday. */
export const weekday = (day: number): number => (((day + 4) % 7) + 7) % 7
const isWeekend = (day: number): boolean => weekday(day) === 0 || weekday(day) === 6

/** The `n`-th (from 1) given weekday of a month. */
const nth = (year: number, month: number, wanted: number, n: number): number => {
  const first = dayNumber(year, month, 1)
  return first + (wanted - weekday(first) + 7) % 7 + 7 * (n - 1)
}

/** The last given weekday of a month. */
const lastOf = (year: number, month: number, wanted: number): number => {
  const end = dayNumber(year, month + 1, 0)
  return end - (weekday(end) - wanted + 7) % 7
}

/** Easter Sunday (Gregorian; the anonymous algorithm of Nature, 1876). */
const easter = (year: number): number => {
  const a = year % 19
  const b = Math.floor(year / 100)
  const c = year % 100
  const g = Math.floor((8 * b + 13) / 25)
  const h = (19 * a + b - Math.floor(b / 4) - g + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - c % 4) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const month = Math.floor((h + l - 7 * m + 114) / 31)
  return dayNumber(year, month, (h + l - 7 * m + 114) % 31 + 1)
}

/** A fixed US holiday that falls on a Saturday is kept on Friday, on a Sunday on Monday. */
const observed = (day: number): number => weekday(day) === 6 ? day - 1 : weekday(day) === 0 ? day + 1 : day

interface Year {
  readonly closed: ReadonlySet<number>
  /** US days that end at 13:00, and Korean days that begin an hour late. */
  readonly short: ReadonlySet<number>
}

const usYear = (year: number): Year => {
  const newYear = dayNumber(year, 1, 1)
  const thanksgiving = nth(year, 11, 4, 4)
  const independence = observed(dayNumber(year, 7, 4))
  const christmas = observed(dayNumber(year, 12, 25))
  const closed = new Set([
    nth(year, 1, 1, 3),
    nth(year, 2, 1, 3),
    easter(year) - 2,
    lastOf(year, 5, 1),
    independence,
    nth(year, 9, 1, 1),
    thanksgiving,
    christmas
  ])
  // A New Year's Day on Saturday is not made up for: the year's last day trades.
  if (weekday(newYear) !== 6) closed.add(observed(newYear))
  if (year >= 2022) closed.add(observed(dayNumber(year, 6, 19)))
  const short = [thanksgiving + 1, dayNumber(year, 12, 24), dayNumber(year, 7, 3)]
  return { closed, short: new Set(short.filter((day) => !isWeekend(day) && !closed.has(day))) }
}

/** Made when a Korean year is first asked for: loading a calendar takes longer than all else here. */
let lunarFormat: Intl.DateTimeFormat | undefined
const lunarParts = (day: number): ReadonlyArray<Intl.DateTimeFormatPart> => {
  lunarFormat ??= new Intl.DateTimeFormat("en-u-ca-dangi", { timeZone: "UTC", month: "numeric", day: "numeric" })
  return lunarFormat.formatToParts(day * dayMs)
}

/** The first day from `from` on that has a date of the Korean lunar calendar: from month to month, then to the date. */
const lunarDay = (month: number, date: number, from: number): number => {
  for (let day = from;;) {
    const parts = lunarParts(day)
    const part = (type: string) => parts.find((candidate) => candidate.type === type)?.value
    const today = Number(part("day"))
    // A leap month is written `4bis`: it is not the month meant.
    if (part("month") === String(month) && today <= date) return day + date - today
    // A month has 29 or 30 days: never past the first of the next.
    day += Math.max(1, 30 - today)
  }
}

const koreanYear = (year: number): Year => {
  const seollal = lunarDay(1, 1, dayNumber(year, 1, 20))
  const chuseok = lunarDay(8, 15, dayNumber(year, 9, 5))
  const buddha = lunarDay(4, 8, dayNumber(year, 4, 25))
  const date = (month: number, day: number) => dayNumber(year, month, day)
  const closed = new Set([
    date(1, 1),
    date(3, 1),
    date(5, 1),
    date(5, 5),
    date(6, 6),
    date(8, 15),
    date(10, 3),
    date(10, 9),
    date(12, 25),
    seollal - 1,
    seollal,
    seollal + 1,
    chuseok - 1,
    chuseok,
    chuseok + 1,
    buddha
  ])
  const substitute = (from: number): void => {
    let day = from + 1
    while (isWeekend(day) || closed.has(day)) day++
    closed.add(day)
  }
  // Substitute holidays: three-day feasts when one of their days is a Sunday; national days at a weekend since 2021.
  for (const feast of [seollal, chuseok]) {
    if ([feast - 1, feast, feast + 1].some((day) => weekday(day) === 0)) substitute(feast + 1)
  }
  const made: Array<number> = [date(5, 5)]
  if (year >= 2021) made.push(date(3, 1), date(8, 15), date(10, 3), date(10, 9))
  if (year >= 2023) made.push(date(12, 25), buddha)
  for (const day of made.filter(isWeekend)) substitute(day)
  // Two feasts on one day: the next day makes up for it.
  if (buddha === date(5, 5)) substitute(buddha)
  let last = date(12, 31)
  while (isWeekend(last)) last--
  closed.add(last)
  let first = date(1, 2)
  while (isWeekend(first) || closed.has(first)) first++
  return { closed, short: new Set([first]) }
}

const years = new BoundedCache<Year>(128)
const yearFor = (country: EquityCountry, year: number): Year =>
  years.get(`${country}${year}`, () => country === "US" ? usYear(year) : koreanYear(year))

export const isTradingDay = (country: EquityCountry, day: number): boolean =>
  !isWeekend(day) && !yearFor(country, yearOf(day)).closed.has(day)

/** Hours that New York is behind UTC at noon of a day: 4 from the second Sunday of March to the first of November. */
export const newYorkOffset = (day: number): number => {
  const year = yearOf(day)
  return day >= nth(year, 3, 0, 2) && day < nth(year, 11, 0, 1) ? 4 : 5
}

const computeSession = (country: EquityCountry, day: number): TradingSession | null => {
  if (!isTradingDay(country, day)) return null
  const isShort = yearFor(country, yearOf(day)).short.has(day)
  const midnight = day * dayMs
  if (country === "US") {
    const openAt = midnight + (newYorkOffset(day) + 9.5) * hourMs
    return { day, openAt, closeAt: openAt + (isShort ? 3.5 : 6.5) * hourMs }
  }
  // Seoul is nine hours ahead of UTC all year.
  return { day, openAt: midnight + (isShort ? 1 : 0) * hourMs, closeAt: midnight + 6.5 * hourMs }
}

const sessions = new BoundedCache<TradingSession | null>(16_384)

/** The session of a day; undefined on a day without one. */
export const sessionOf = (country: EquityCountry, day: number): TradingSession | undefined =>
  sessions.get(2 * day + (country === "US" ? 0 : 1), () => computeSession(country, day)) ?? undefined

/** The local date of an instant. */
export const localDay = (country: EquityCountry, time: number): number => {
  if (country === "KR") return Math.floor((time + 9 * hourMs) / dayMs)
  const noon = Math.floor(time / dayMs)
  return Math.floor((time - newYorkOffset(noon) * hourMs) / dayMs)
}

/** The last session that has opened by `time`. */
export const lastSession = (country: EquityCountry, time: number): TradingSession => {
  for (let day = localDay(country, time);; day--) {
    const session = sessionOf(country, day)
    if (session !== undefined && session.openAt <= time) return session
  }
}

/** The session before a day. */
export const previousSession = (country: EquityCountry, day: number): TradingSession => {
  for (let before = day - 1;; before--) {
    const session = sessionOf(country, before)
    if (session !== undefined) return session
  }
}

/** The first session after a day. */
export const nextSession = (country: EquityCountry, day: number): TradingSession => {
  for (let after = day + 1;; after++) {
    const session = sessionOf(country, after)
    if (session !== undefined) return session
  }
}

/** Extended hours in New York: from 04:00, and until 20:00 (17:00 after a short day). */
const preMarketMs = 5.5 * hourMs
const postMarketMs = 4 * hourMs

export const sessionState = (country: EquityCountry, time: number): SessionState => {
  const session = sessionOf(country, localDay(country, time))
  if (session === undefined) return "closed"
  if (time >= session.openAt && time < session.closeAt) return "regular"
  if (country === "KR") return "closed"
  if (time >= session.openAt - preMarketMs && time < session.openAt) return "pre"
  return time >= session.closeAt && time < session.closeAt + postMarketMs ? "post" : "closed"
}
