import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { deriveKey } from "../kernel/random.ts"
import { fillTemplate, pickRandom, type TemplateValues } from "../kernel/templates.ts"
import { getReleases, type Release } from "../macro/calendar.ts"
import type { World } from "../world.ts"
import { countries, preview, release as releaseTemplates } from "./phrases/macro.ts"
import { drawDelayMs, type Story, toSentiment } from "./story.ts"

/** Returns whether a high value of a figure, such as inflation or unemployment, is bad for risk assets. */
const isBadIfHigher = (name: string): boolean =>
  /CPI|HICP|PCE|PPI|Rate Decision|Unemployment|Jobless|Earnings/u.test(name)

const formatFigure = (x: number, unit: string): string => unit === "%" ? `${x}%` : `${x} ${unit}`

const makeTemplateValues = (release: Release): TemplateValues => ({
  country: countries[release.country]!.en,
  countryKo: countries[release.country]!.ko,
  name: release.name,
  actual: formatFigure(release.actual, release.unit),
  forecast: formatFigure(release.forecast, release.unit),
  previous: formatFigure(release.previous, release.unit),
  against: release.actual > release.forecast ? "above" : release.actual < release.forecast ? "below" : "in line with",
  againstKo: release.actual > release.forecast ? "상회" : release.actual < release.forecast ? "하회" : "부합"
})

const makeResultStory = (world: World, release: Release): Story => {
  const key = deriveKey(
    world.getKey(`news macro ${release.country} ${release.name}`),
    Math.floor(release.time / hourMs),
    0
  )
  const values = makeTemplateValues(release)
  const language = release.country === "KR" ? "ko" : "en"
  const surprise = (release.actual - release.forecast) / Math.max(0.1, Math.abs(release.forecast) * 0.1)
  return {
    time: release.time + Math.min(20 * minuteMs, drawDelayMs(key, 0)),
    language,
    coins: [],
    symbols: [],
    sentiment: toSentiment((isBadIfHigher(release.name) ? -0.5 : 0.5) * surprise),
    title: fillTemplate(releaseTemplates[language].title, values, key, 10),
    body: language === "ko"
      ? fillTemplate(releaseTemplates.ko.body, values, key, 20)
      : [
        releaseTemplates.en.first,
        releaseTemplates.en[isBadIfHigher(release.name) ? "unwelcome" : "other"],
        releaseTemplates.en.last
      ]
        .map((sentence, i) => fillTemplate(sentence, values, key, 20 + 6 * i)).join(" "),
    key
  }
}

const makePreviewStory = (world: World, release: Release): Story => {
  const key = deriveKey(
    world.getKey(`news preview ${release.country} ${release.name}`),
    Math.floor(release.time / hourMs),
    1
  )
  const values = makeTemplateValues(release)
  return {
    time: release.time - dayMs + drawDelayMs(key, 0),
    language: "en",
    coins: [],
    symbols: [],
    sentiment: 0,
    title: fillTemplate(pickRandom(preview.titles, key, 1), values, key, 10),
    body: fillTemplate(preview.body, values, key, 20),
    key
  }
}

/**
 * Creates stories about figures that are released in `[from, to)`, and previews of figures that are released one day
 * later.
 */
export const makeMacroStories = (world: World, from: number, to: number): ReadonlyArray<Story> => [
  ...getReleases(world, from, to).filter(({ importance }) => importance !== "low").map((release) =>
    makeResultStory(world, release)
  ),
  ...getReleases(world, from + dayMs, to + dayMs).filter(({ importance }) => importance === "high").map((release) =>
    makePreviewStory(world, release)
  )
]
