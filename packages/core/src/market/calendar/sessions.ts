/**
 * When stock exchanges trade: sessions of NYSE and NASDAQ, and of KRX.
 */
import type { SessionState } from "../equity.ts"
import type { EquityCountry } from "../instrument.ts"
import { dayMs, hourMs } from "../timeframe.ts"
import { isWeekend, newYorkOffset, yearOfDay } from "./dates.ts"
import type { ExchangeYear } from "./exchangeYear.ts"
import { krxYear } from "./krx.ts"
import { nyseYear } from "./nyse.ts"

/** A trading session, in milliseconds; half-open. */
export interface TradingSession {
  /** Days since 1970 of the exchange's local date. */
  readonly day: number
  readonly openAt: number
  readonly closeAt: number
}

/** What is computed again when asked for more than this. */
const mostYears = 256
const mostSessions = 32_768

const years = new Map<string, ExchangeYear>()
const yearFor = (country: EquityCountry, year: number): ExchangeYear => {
  const key = `${country}${year}`
  const known = years.get(key)
  if (known !== undefined) return known
  if (years.size >= mostYears) years.clear()
  const made = country === "US" ? nyseYear(year) : krxYear(year)
  years.set(key, made)
  return made
}

export const isTradingDay = (country: EquityCountry, day: number): boolean =>
  !isWeekend(day) && !yearFor(country, yearOfDay(day)).closed.has(day)

const computeSession = (country: EquityCountry, day: number): TradingSession | undefined => {
  if (!isTradingDay(country, day)) return undefined
  const { opens = 0, closes = 0 } = yearFor(country, yearOfDay(day)).hours.get(day) ?? {}
  // Seoul is nine hours ahead of UTC all year, and opens at nine.
  const usual = country === "US" ? newYorkOffset(day) + 9.5 : 0
  const openAt = day * dayMs + usual * hourMs
  return { day, openAt: openAt + opens * hourMs, closeAt: openAt + (6.5 + closes) * hourMs }
}

const sessions = new Map<number, TradingSession | undefined>()

/** The session of a day; undefined on a day without one. */
export const sessionOf = (country: EquityCountry, day: number): TradingSession | undefined => {
  const key = 2 * day + (country === "US" ? 0 : 1)
  const known = sessions.get(key)
  if (known !== undefined || sessions.has(key)) return known
  if (sessions.size >= mostSessions) sessions.clear()
  const made = computeSession(country, day)
  sessions.set(key, made)
  return made
}

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

/** By the exchanges' own hours: of those of a second venue in Korea, who has its prices tells. */
export const sessionState = (country: EquityCountry, time: number): SessionState => {
  const session = sessionOf(country, localDay(country, time))
  if (session === undefined) return "closed"
  if (time >= session.openAt && time < session.closeAt) return "regular"
  if (country === "KR") return "closed"
  if (time >= session.openAt - preMarketMs && time < session.openAt) return "pre"
  return time >= session.closeAt && time < session.closeAt + postMarketMs ? "post" : "closed"
}
