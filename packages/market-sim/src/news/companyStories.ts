/** Stories about companies: results, large daily moves, rating changes, filings. */
import { type Filing, localDay, previousSession, sessionOf } from "@tapeline/core/market"
import { earningsEvent } from "../equity/facts/earnings.ts"
import { filingsOn } from "../equity/facts/filings.ts"
import { announcementOf, quarterOf } from "../equity/facts/fiscal.ts"
import { gradeChanges } from "../equity/facts/ratings.ts"
import { valuationKey } from "../equity/facts/statements.ts"
import type { Listed } from "../equity/listed.ts"
import type { StockSpec } from "../equity/stockSpec.ts"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { derive } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { filingBodies, gradeChange, results, strongDay } from "./phrases/companies.ts"
import { delayMs, percent, type Story, toneOf } from "./story.ts"

const amount = (listed: Listed, x: number): string =>
  listed.spec.currency === "USD" ? `$${x.toFixed(2)}` : `${Math.round(x).toLocaleString("en-US")}원`

/**
 * The names of a company in the stories of its country. Korean stories use the Korean name. The bodies of Korean
 * stories also contain the other name once, so that a search for either name finds them.
 */
const namesOf = ({ country, koreanName, name, symbol }: StockSpec): { readonly title: string; readonly body: string } =>
  country === "KR"
    ? { title: koreanName, body: koreanName === name ? `${name}(${symbol})` : `${koreanName}(${name}, ${symbol})` }
    : { title: name, body: name }

/** Stories about results announced with `from <= time < to`. */
const resultStories = (world: World, listed: Listed, from: number, to: number): ReadonlyArray<Story> => {
  const { spec } = listed
  const key = valuationKey(world, spec)
  return [1, 2].flatMap((ago): ReadonlyArray<Story> => {
    const quarter = quarterOf(from) - ago
    const { time } = announcementOf(spec, key, quarter)
    if (time < from || time >= to) return []
    const event = earningsEvent(world, listed, quarter, time)
    const draws = derive(world.key(`news results ${spec.symbol}`), quarter, 0)
    const surprise = (event.eps! - event.epsEstimate) / Math.abs(event.epsEstimate)
    const language = spec.country === "KR" ? "ko" : "en"
    const told = results[language][event.eps === event.epsEstimate ? "met" : surprise > 0 ? "beat" : "missed"]
    const names = namesOf(spec)
    const values: Values = {
      sector: spec.sector,
      period: event.period,
      eps: amount(listed, event.eps!),
      estimate: amount(listed, event.epsEstimate),
      pct: percent(surprise)
    }
    return [{
      time: time + Math.min(delayMs(draws, 0), 12 * 60_000),
      language,
      coins: [],
      symbols: [spec.symbol],
      sentiment: toneOf(6 * surprise),
      title: fill(told.title, { ...values, name: names.title }, draws, 10),
      body: fill(told.body, { ...values, name: names.body }, draws, 20),
      key: draws
    }]
  })
}

/**
 * The last price of a stock at a close, and the number of its shares for one share of the reference. The product of
 * both is independent of splits.
 */
export type Closes = (listed: Listed, closeAt: number) => { readonly price: number; readonly shares: number }

/** The minimum daily move for a story, in usual deviations. */
const newsworthy = 2.4

/** Stories about large daily moves, for sessions that closed with `from <= close < to`. */
const dayStories = (world: World, closes: Closes, listed: Listed, from: number, to: number): ReadonlyArray<Story> => {
  const { spec } = listed
  const days = [...new Set([localDay(spec.country, from), localDay(spec.country, to - 1)])]
  return days.flatMap((day): ReadonlyArray<Story> => {
    const candidate = sessionOf(spec.country, day)
    if (candidate === undefined || candidate.closeAt < from || candidate.closeAt >= to) return []
    const close = closes(listed, candidate.closeAt)
    const before = closes(listed, previousSession(spec.country, day).closeAt)
    const change = close.price * close.shares / (before.price * before.shares) - 1
    if (Math.abs(change) < newsworthy * spec.dailySd) return []
    const draws = derive(world.key(`news days ${spec.symbol}`), candidate.day, 0)
    const language = spec.country === "KR" ? "ko" : "en"
    const told = strongDay[language][change > 0 ? "up" : "down"]
    const names = namesOf(spec)
    const values: Values = {
      symbol: spec.symbol,
      sector: spec.sector,
      pct: percent(change),
      price: amount(listed, close.price)
    }
    return [{
      time: candidate.closeAt + delayMs(draws, 0),
      language,
      coins: [],
      symbols: [spec.symbol],
      sentiment: toneOf(change / spec.dailySd / 3),
      title: fill(told.title, { ...values, name: names.title }, draws, 10),
      body: fill(told.body, { ...values, name: names.body }, draws, 20),
      key: draws
    }]
  })
}

/** Stories about rating changes with `from <= time < to`. */
const ratingStories = (world: World, listed: Listed, from: number, to: number): ReadonlyArray<Story> =>
  gradeChanges(world, listed, from, to).map(({ time, firm, before, after, target, better }) => {
    const draws = derive(world.key(`news ratings ${listed.spec.symbol}`), Math.floor(time / 60_000), 0)
    const values: Values = {
      name: listed.spec.name,
      firm,
      before: before.replace("_", " "),
      after: after.replace("_", " "),
      target: amount(listed, target)
    }
    const told = gradeChange[better ? "better" : "worse"]
    return {
      time: time + delayMs(draws, 0),
      language: "en",
      coins: [],
      symbols: [listed.spec.symbol],
      sentiment: better ? 0.5 : -0.5,
      title: fill(told.title, values, draws, 10),
      body: fill(told.body, values, draws, 20),
      key: draws
    }
  })

const filingStory = (world: World, { spec }: Listed, filing: Filing & { readonly time: number }): Story => {
  const names = namesOf(spec)
  const draws = derive(world.key(`news filings ${filing.symbol}`), Math.floor(filing.time / 60_000), 0)
  return {
    time: filing.time + delayMs(draws, 0),
    language: "ko",
    coins: [],
    symbols: [filing.symbol],
    sentiment: filing.kind === "contract" ? 0.35 : 0,
    title: `${names.title}, ${filing.title} 공시`,
    body: `${names.body}이(가) '${filing.title}'을(를) 공시했다. ${
      pick(filingBodies[filing.kind]!, draws, 20)
    } 공시 원문은 ${filing.url} 에서 확인할 수 있다.`,
    key: draws
  }
}

/** All stories about company events with `from <= time < to`. */
export const companyStories = (world: World, closes: Closes, from: number, to: number): ReadonlyArray<Story> => {
  const us = world.equities.trading("US", from)
  const korea = world.equities.trading("KR", from)
  const days = [...new Set([localDay("KR", from), localDay("KR", to - 1)])]
  return [
    ...[...us, ...korea].flatMap((
      listed
    ) => [...resultStories(world, listed, from, to), ...dayStories(world, closes, listed, from, to)]),
    ...us.flatMap((listed) => ratingStories(world, listed, from, to)),
    ...korea.flatMap((listed) =>
      days.flatMap((day) => filingsOn(world, listed, day))
        .filter(({ time, kind }) => time >= from && time < to && filingBodies[kind] !== undefined)
        .map((filing) => filingStory(world, listed, filing))
    )
  ]
}
