import type { SessionState } from "../equity.ts"
import type { EquityCountry } from "../instrument.ts"
import { dayMs, hourMs } from "../timeframe.ts"
import { type ExchangeYear, isWeekend, newYorkOffset, yearOfDay } from "./dates.ts"
import { krxYear } from "./krx.ts"
import { nyseYear } from "./nyse.ts"

/** A trading session from `openAt` (included) to `closeAt` (excluded), in epoch milliseconds. */
export interface TradingSession {
  /** The exchange's local date, in days since 1970-01-01. */
  readonly day: number
  readonly openAt: number
  readonly closeAt: number
}

const maxCachedYears = 256
const maxCachedSessions = 32_768

const yearCache = new Map<string, ExchangeYear>()
const exchangeYearOf = (country: EquityCountry, year: number): ExchangeYear => {
  const key = `${country}${year}`
  const cached = yearCache.get(key)
  if (cached !== undefined) return cached
  if (yearCache.size >= maxCachedYears) yearCache.clear()
  const exchangeYear = country === "US" ? nyseYear(year) : krxYear(year)
  yearCache.set(key, exchangeYear)
  return exchangeYear
}

export const isTradingDay = (country: EquityCountry, day: number): boolean =>
  !isWeekend(day) && !exchangeYearOf(country, yearOfDay(day)).closed.has(day)

const computeSession = (country: EquityCountry, day: number): TradingSession | undefined => {
  if (!isTradingDay(country, day)) return undefined
  const { opens = 0, closes = 0 } = exchangeYearOf(country, yearOfDay(day)).hours.get(day) ?? {}
  // Seoul is nine hours ahead of UTC all year, and the exchange opens at nine.
  const usualOpenHour = country === "US" ? newYorkOffset(day) + 9.5 : 0
  const openAt = day * dayMs + usualOpenHour * hourMs
  return { day, openAt: openAt + opens * hourMs, closeAt: openAt + (6.5 + closes) * hourMs }
}

const sessionCache = new Map<number, TradingSession | undefined>()

/** Returns the trading session of a day, or undefined for a day without a session. */
export const sessionOf = (country: EquityCountry, day: number): TradingSession | undefined => {
  const key = 2 * day + (country === "US" ? 0 : 1)
  const cached = sessionCache.get(key)
  if (cached !== undefined || sessionCache.has(key)) return cached
  if (sessionCache.size >= maxCachedSessions) sessionCache.clear()
  const session = computeSession(country, day)
  sessionCache.set(key, session)
  return session
}

/** Returns the exchange's local date at a time, in days since 1970-01-01. */
export const localDay = (country: EquityCountry, time: number): number => {
  if (country === "KR") return Math.floor((time + 9 * hourMs) / dayMs)
  const utcDay = Math.floor(time / dayMs)
  return Math.floor((time - newYorkOffset(utcDay) * hourMs) / dayMs)
}

/** Returns the last session that opened at or before `time`. */
export const lastSession = (country: EquityCountry, time: number): TradingSession => {
  for (let day = localDay(country, time);; day--) {
    const session = sessionOf(country, day)
    if (session !== undefined && session.openAt <= time) return session
  }
}

/** Returns the last trading session before a day. */
export const previousSession = (country: EquityCountry, day: number): TradingSession => {
  for (let before = day - 1;; before--) {
    const session = sessionOf(country, before)
    if (session !== undefined) return session
  }
}

/** Returns the first trading session after a day. */
export const nextSession = (country: EquityCountry, day: number): TradingSession => {
  for (let after = day + 1;; after++) {
    const session = sessionOf(country, after)
    if (session !== undefined) return session
  }
}

/** The extended hours in New York: from 04:00 to the open, and from the close to 20:00, or 17:00 after a short day. */
const preMarketMs = 5.5 * hourMs
const postMarketMs = 4 * hourMs

/**
 * Returns the state of a country's stock market by the hours of its main exchanges. Korea's second trading venue is
 * ignored.
 */
export const sessionState = (country: EquityCountry, time: number): SessionState => {
  const session = sessionOf(country, localDay(country, time))
  if (session === undefined) return "closed"
  if (time >= session.openAt && time < session.closeAt) return "regular"
  if (country === "KR") return "closed"
  if (time >= session.openAt - preMarketMs && time < session.openAt) return "pre"
  return time >= session.closeAt && time < session.closeAt + postMarketMs ? "post" : "closed"
}
