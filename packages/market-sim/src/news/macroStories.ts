/**
 * Stories about the calendar: what is due tomorrow, and what came out against what was expected.
 */
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { derive } from "../kernel/random.ts"
import { type Release, releases } from "../macro/calendar.ts"
import type { World } from "../world.ts"
import { delayMs, type NewsLanguage, type Story, toneOf } from "./story.ts"

const countries: Readonly<Record<string, { readonly en: string; readonly ko: string }>> = {
  US: { en: "US", ko: "미국" },
  KR: { en: "South Korean", ko: "한국" },
  EU: { en: "Euro-area", ko: "유로존" },
  GB: { en: "UK", ko: "영국" },
  JP: { en: "Japanese", ko: "일본" },
  CN: { en: "Chinese", ko: "중국" }
}

/** Whether a figure above its forecast is unwelcome to risk assets: prices, rates, joblessness. */
const isUnwelcome = (name: string): boolean =>
  /CPI|HICP|PCE|PPI|Rate Decision|Unemployment|Jobless|Earnings/u.test(name)

const shown = (x: number, unit: string): string => unit === "%" ? `${x}%` : `${x} ${unit}`

const valuesOf = (release: Release): Values => ({
  country: countries[release.country]!.en,
  countryKo: countries[release.country]!.ko,
  name: release.name,
  actual: shown(release.actual, release.unit),
  forecast: shown(release.forecast, release.unit),
  previous: shown(release.previous, release.unit),
  against: release.actual > release.forecast ? "above" : release.actual < release.forecast ? "below" : "in line with",
  againstKo: release.actual > release.forecast ? "상회" : release.actual < release.forecast ? "하회" : "부합"
})

const resultStory = (world: World, release: Release): Story => {
  const key = derive(world.key(`news macro ${release.country} ${release.name}`), Math.floor(release.time / hourMs), 0)
  const values = valuesOf(release)
  const language: NewsLanguage = release.country === "KR" ? "ko" : "en"
  const miss = (release.actual - release.forecast) / Math.max(0.1, Math.abs(release.forecast) * 0.1)
  return {
    time: release.time + Math.min(20 * minuteMs, delayMs(key, 0)),
    language,
    coins: [],
    symbols: [],
    sentiment: toneOf((isUnwelcome(release.name) ? -0.5 : 0.5) * miss),
    title: language === "ko"
      ? fill("{countryKo} {name} {actual}… 예상 {againstKo}", values, key, 10)
      : fill("{country} {name} [comes in at|prints|at] {actual}, {against} forecast of {forecast}", values, key, 10),
    body: language === "ko"
      ? fill(
        "{countryKo} {name}이(가) {actual}로 발표됐다. 시장 예상치는 {forecast}, 직전치는 {previous}였다. [채권시장은 발표 직후 소폭 움직였다.|전문가들은 통화정책에 미칠 영향을 주시하고 있다.|환율은 큰 변동이 없었다.]",
        values,
        key,
        20
      )
      : [
        "The {country} {name} figure was {actual}, against {forecast} expected by economists and {previous} before.",
        isUnwelcome(release.name)
          ? "[Rate expectations shifted accordingly|Bond desks reworked the path of policy|Fixed income traders weighed what it means for the next decision], [with the front end of the curve doing most of the work|while longer maturities barely reacted]."
          : "[The reading speaks to the pace of activity|It adds to the picture of household and business demand|Economists called it one piece of a mixed picture], [with revisions to come|ahead of the next survey].",
        "[Equity futures and digital assets took it in stride.|Risk assets swung before settling.|Currency markets saw a brief burst of volume.]"
      ].map((sentence, i) => fill(sentence, values, key, 20 + 6 * i)).join(" "),
    key
  }
}

const previewStory = (world: World, release: Release): Story => {
  const key = derive(world.key(`news preview ${release.country} ${release.name}`), Math.floor(release.time / hourMs), 1)
  const values = valuesOf(release)
  return {
    time: release.time - dayMs + delayMs(key, 0),
    language: "en",
    coins: [],
    symbols: [],
    sentiment: 0,
    title: fill(
      pick(
        [
          "Preview: {country} {name} due tomorrow, {forecast} expected",
          "What to expect from tomorrow's {country} {name}"
        ],
        key,
        1
      ),
      values,
      key,
      10
    ),
    body: fill(
      "Economists see {country} {name} at {forecast}, after {previous}. [A surprise in either direction would move short-dated yields|Options imply a busier session than usual|Positioning ahead of it is light], [and crypto traders have learnt to step aside|and equity desks are hedged|say strategists]. [The figure is published in the morning.|The calendar is otherwise quiet.]",
      values,
      key,
      20
    ),
    key
  }
}

/** Stories about releases out with `from <= time < to`, and previews of what is due a day later. */
export const macroStories = (world: World, from: number, to: number): ReadonlyArray<Story> => [
  ...releases(world, from, to).filter(({ importance }) => importance !== "low").map((release) =>
    resultStory(world, release)
  ),
  ...releases(world, from + dayMs, to + dayMs).filter(({ importance }) => importance === "high").map((release) =>
    previewStory(world, release)
  )
]
