import { type Filing, localDay, previousSession, sessionOf } from "@tapeline/core/market"
import { makeEarningsEvent } from "../equity/facts/earnings.ts"
import { getFilingsOfDay } from "../equity/facts/filings.ts"
import { getAnnouncement, getQuarter } from "../equity/facts/fiscalQuarters.ts"
import { getGradeChanges } from "../equity/facts/ratings.ts"
import { getValuationKey } from "../equity/facts/statements.ts"
import type { StockSpec } from "../equity/stockSpec.ts"
import type { StockWithMarket } from "../equity/stockWithMarket.ts"
import { deriveKey } from "../kernel/random.ts"
import { fillTemplate, pickRandom, type TemplateValues } from "../kernel/templates.ts"
import type { World } from "../world.ts"
import { filingBodies, gradeChange, results, strongDay } from "./phrases/companies.ts"
import { drawDelayMs, formatPercent, type Story, toSentiment } from "./story.ts"

const formatAmount = (listed: StockWithMarket, x: number): string =>
  listed.spec.currency === "USD" ? `$${x.toFixed(2)}` : `${Math.round(x).toLocaleString("en-US")}원`

/**
 * Returns the company names in the title and in the body of a story. The body of a Korean story also contains the
 * English name, so a search for the English name finds the story.
 */
const getNames = (
  { country, koreanName, name, symbol }: StockSpec
): { readonly title: string; readonly body: string } =>
  country === "KR"
    ? { title: koreanName, body: koreanName === name ? `${name}(${symbol})` : `${koreanName}(${name}, ${symbol})` }
    : { title: name, body: name }

/** Creates stories about quarterly results announced with `from <= time < to`. */
const makeResultStories = (world: World, listed: StockWithMarket, from: number, to: number): ReadonlyArray<Story> => {
  const { spec } = listed
  const key = getValuationKey(world, spec)
  return [1, 2].flatMap((ago): ReadonlyArray<Story> => {
    const quarter = getQuarter(from) - ago
    const { time } = getAnnouncement(spec, key, quarter)
    if (time < from || time >= to) return []
    const event = makeEarningsEvent(world, listed, quarter, time)
    const draws = deriveKey(world.getKey(`news results ${spec.symbol}`), quarter, 0)
    const surprise = (event.eps! - event.epsEstimate) / Math.abs(event.epsEstimate)
    const language = spec.country === "KR" ? "ko" : "en"
    const templates = results[language][event.eps === event.epsEstimate ? "met" : surprise > 0 ? "beat" : "missed"]
    const names = getNames(spec)
    const values: TemplateValues = {
      sector: spec.sector,
      period: event.period,
      eps: formatAmount(listed, event.eps!),
      estimate: formatAmount(listed, event.epsEstimate),
      pct: formatPercent(surprise)
    }
    return [{
      time: time + Math.min(drawDelayMs(draws, 0), 12 * 60_000),
      language,
      coins: [],
      symbols: [spec.symbol],
      sentiment: toSentiment(6 * surprise),
      title: fillTemplate(templates.title, { ...values, name: names.title }, draws, 10),
      body: fillTemplate(templates.body, { ...values, name: names.body }, draws, 20),
      key: draws
    }]
  })
}

/**
 * Reads the price of a stock at `closeAt`. `shares` is the number of shares at `closeAt` that correspond to one share
 * at the reference time.
 */
export type ReadClose = (
  listed: StockWithMarket,
  closeAt: number
) => { readonly price: number; readonly shares: number }

/** The minimum size of a daily price move that causes a story. The unit is the standard deviation of a typical day. */
const minMoveDeviations = 2.4

/** Creates stories about large price moves in sessions that closed in `[from, to)`. */
const makeDayMoveStories = (
  world: World,
  readClose: ReadClose,
  listed: StockWithMarket,
  from: number,
  to: number
): ReadonlyArray<Story> => {
  const { spec } = listed
  const days = [...new Set([localDay(spec.country, from), localDay(spec.country, to - 1)])]
  return days.flatMap((day): ReadonlyArray<Story> => {
    const session = sessionOf(spec.country, day)
    if (session === undefined || session.closeAt < from || session.closeAt >= to) return []
    const close = readClose(listed, session.closeAt)
    const before = readClose(listed, previousSession(spec.country, day).closeAt)
    const change = close.price * close.shares / (before.price * before.shares) - 1
    if (Math.abs(change) < minMoveDeviations * spec.dailySd) return []
    const draws = deriveKey(world.getKey(`news days ${spec.symbol}`), session.day, 0)
    const language = spec.country === "KR" ? "ko" : "en"
    const templates = strongDay[language][change > 0 ? "up" : "down"]
    const names = getNames(spec)
    const values: TemplateValues = {
      symbol: spec.symbol,
      sector: spec.sector,
      pct: formatPercent(change),
      price: formatAmount(listed, close.price)
    }
    return [{
      time: session.closeAt + drawDelayMs(draws, 0),
      language,
      coins: [],
      symbols: [spec.symbol],
      sentiment: toSentiment(change / spec.dailySd / 3),
      title: fillTemplate(templates.title, { ...values, name: names.title }, draws, 10),
      body: fillTemplate(templates.body, { ...values, name: names.body }, draws, 20),
      key: draws
    }]
  })
}

/** Creates stories about rating changes with `from <= time < to`. */
const makeRatingStories = (world: World, listed: StockWithMarket, from: number, to: number): ReadonlyArray<Story> =>
  getGradeChanges(world, listed, from, to).map(({ time, firm, previousGrade, grade, target, isUpgrade }) => {
    const draws = deriveKey(world.getKey(`news ratings ${listed.spec.symbol}`), Math.floor(time / 60_000), 0)
    const values: TemplateValues = {
      name: listed.spec.name,
      firm,
      before: previousGrade.replace("_", " "),
      after: grade.replace("_", " "),
      target: formatAmount(listed, target)
    }
    const templates = gradeChange[isUpgrade ? "better" : "worse"]
    return {
      time: time + drawDelayMs(draws, 0),
      language: "en",
      coins: [],
      symbols: [listed.spec.symbol],
      sentiment: isUpgrade ? 0.5 : -0.5,
      title: fillTemplate(templates.title, values, draws, 10),
      body: fillTemplate(templates.body, values, draws, 20),
      key: draws
    }
  })

const makeFilingStory = (
  world: World,
  { spec }: StockWithMarket,
  filing: Filing & { readonly time: number }
): Story => {
  const names = getNames(spec)
  const draws = deriveKey(world.getKey(`news filings ${filing.symbol}`), Math.floor(filing.time / 60_000), 0)
  return {
    time: filing.time + drawDelayMs(draws, 0),
    language: "ko",
    coins: [],
    symbols: [filing.symbol],
    sentiment: filing.kind === "contract" ? 0.35 : 0,
    title: `${names.title}, ${filing.title} 공시`,
    body: `${names.body}이(가) '${filing.title}'을(를) 공시했다. ${
      pickRandom(filingBodies[filing.kind]!, draws, 20)
    } 공시 원문은 ${filing.url} 에서 확인할 수 있다.`,
    key: draws
  }
}

export const makeCompanyStories = (
  world: World,
  readClose: ReadClose,
  from: number,
  to: number
): ReadonlyArray<Story> => {
  const us = world.equities.getTradedStocks("US", from)
  const korea = world.equities.getTradedStocks("KR", from)
  const days = [...new Set([localDay("KR", from), localDay("KR", to - 1)])]
  return [
    ...[...us, ...korea].flatMap((
      listed
    ) => [...makeResultStories(world, listed, from, to), ...makeDayMoveStories(world, readClose, listed, from, to)]),
    ...us.flatMap((listed) => makeRatingStories(world, listed, from, to)),
    ...korea.flatMap((listed) =>
      days.flatMap((day) => getFilingsOfDay(world, listed, day))
        .filter(({ time, kind }) => time >= from && time < to && filingBodies[kind] !== undefined)
        .map((filing) => makeFilingStory(world, listed, filing))
    )
  ]
}
