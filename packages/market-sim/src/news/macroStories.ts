/** Stories about the calendar: previews of tomorrow's releases, and results compared with their forecasts. */
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { derive } from "../kernel/random.ts"
import { type Release, releases } from "../macro/calendar.ts"
import type { World } from "../world.ts"
import { countries, preview, release as told } from "./phrases/macro.ts"
import { delayMs, type Story, toneOf } from "./story.ts"

/** Returns whether a figure above its forecast is bad for risk assets: prices, rates, unemployment. */
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
  const language = release.country === "KR" ? "ko" : "en"
  const miss = (release.actual - release.forecast) / Math.max(0.1, Math.abs(release.forecast) * 0.1)
  return {
    time: release.time + Math.min(20 * minuteMs, delayMs(key, 0)),
    language,
    coins: [],
    symbols: [],
    sentiment: toneOf((isUnwelcome(release.name) ? -0.5 : 0.5) * miss),
    title: fill(told[language].title, values, key, 10),
    body: language === "ko"
      ? fill(told.ko.body, values, key, 20)
      : [told.en.first, told.en[isUnwelcome(release.name) ? "unwelcome" : "other"], told.en.last]
        .map((sentence, i) => fill(sentence, values, key, 20 + 6 * i)).join(" "),
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
    title: fill(pick(preview.titles, key, 1), values, key, 10),
    body: fill(preview.body, values, key, 20),
    key
  }
}

/** Stories about releases with `from <= time < to`, and previews of releases a day later. */
export const macroStories = (world: World, from: number, to: number): ReadonlyArray<Story> => [
  ...releases(world, from, to).filter(({ importance }) => importance !== "low").map((release) =>
    resultStory(world, release)
  ),
  ...releases(world, from + dayMs, to + dayMs).filter(({ importance }) => importance === "high").map((release) =>
    previewStory(world, release)
  )
]
