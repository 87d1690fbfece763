import { assert, describe, it } from "@effect/vitest"
import {
  type Candle,
  corridorOf,
  dayMs,
  fearGreedDays,
  fuelOf,
  type FundingPrint,
  hourMs,
  hoursOf,
  missingHoursOf,
  outcomeOf,
  type PerpetualPoint,
  recentDivergences,
  regimesOf,
  rules,
  signalsOf
} from "@tapeline/core"
import { columnsOf } from "../../src/signals/columns.ts"
import { regimeDaysJob } from "../../src/signals/regimeDays.ts"
import { digestOf } from "../../src/signals/remembered/digest.ts"
import { scoreDaysJob, scoreDaysOf } from "../../src/signals/scoreDays.ts"
import { candlesOf, start } from "./candles.ts"

/**
 * What each version of a rule makes of the series below, to nine digits. A digest that changes is another rule: give it
 * another version in `rules.ts`, and write the digest of that version here. Never write a new digest beside an old
 * version: values of it may be stored.
 */
const digests: Readonly<Record<string, string>> = {
  "divergence/3": "c826f5db9a4d0f3e2b290de6320d209d",
  "score/3": "05ab864d60cc90dcfd120ad4a3f14087",
  "regime/3": "65571913cce1c6914f94cdeb96f54a76",
  "coil/1": "ffb5264f68514365041edf574dda8c82",
  "fear_greed/2": "b31870dedaea8906224af8703c9816e6",
  "signal/3": "f11898f3363633518cdb6155880454eb"
}

/** Hours of waves and one outage of five. */
const hours = (phase: number, n = 1_100): ReadonlyArray<Candle> => {
  const closeAt = (i: number): number =>
    100 *
    Math.exp(0.03 * Math.sin(i / 7 + phase) + 0.08 * Math.sin(i / 53 + phase) + 0.004 * Math.sin(i * 12.9 + phase))
  const bars = Array.from({ length: n }, (_, i): readonly [number, number, number, number] => {
    const [open, close] = [closeAt(i - 1), closeAt(i)]
    return [open, Math.max(open, close) * 1.002, Math.min(open, close) * 0.998, close]
  })
  return candlesOf(bars)
    .map((candle, i) => ({ ...candle, takerBuyVolume: 5 + 3 * Math.sin(i / 9 + phase) }))
    .filter((_, i) => i < 900 || i >= 905)
}

/** A random walk (a Lehmer generator's) with an outage. */
const walk = (seed: number): ReadonlyArray<Candle> => {
  let close = 100
  let drawn = seed * 7_919 + 1
  const bars = Array.from({ length: 300 }, (_, i): readonly [number, number, number, number] => {
    drawn = (drawn * 48_271) % 2_147_483_647
    const open = close
    close *= Math.exp(0.02 * (drawn / 2_147_483_647 - 0.5))
    // Wicks differ from bar to bar, or no extreme were one bar's alone.
    const wick = 0.001 + 0.0005 * (i % 3)
    return [open, Math.max(open, close) * (1 + wick), Math.min(open, close) * (1 - wick), close]
  })
  return candlesOf(bars).filter((_, i) => i < 100 || i >= 103)
}

const end = start + 1_100 * hourMs
const perpetual = Array.from({ length: 140 }, (_, i): PerpetualPoint => ({
  time: start + i * 8 * hourMs,
  fundingRate: 1e-4 * (1 + Math.sin(i / 5)),
  fundingIntervalHours: 8,
  openInterest: 1_000 + 200 * Math.sin(i / 4),
  openInterestUsd: null,
  longShortRatio: 1.3,
  markPrice: null,
  indexPrice: null
}))
const fundingPrints = perpetual.map(({ fundingRate, time }): FundingPrint => ({
  time: time + 11,
  fundingRate: fundingRate!,
  intervalHours: 8
}))
const days = (phase: number): ReadonlyArray<Candle> =>
  hours(phase).slice(0, 130).map((candle, i) => ({ ...candle, time: start + i * dayMs })).filter((_, i) => i !== 100)

// Over several days, so that where averages begin is part of it.
const span = { from: start + 840 * hourMs, to: end }
const scored = hoursOf({
  ...span,
  sources: [],
  values: scoreDaysJob.run(scoreDaysOf({ candles: hours(0), perpetual, fundingPrints }, span.from, span.to)).values
})
const regimes = regimesOf({
  ...span,
  sources: [],
  values: regimeDaysJob.run({ btc: columnsOf(hours(0)), eth: columnsOf(hours(1)), ...span }).values
})

const made = {
  score: () => scored,
  regime: () => regimes,
  divergence: () => Array.from({ length: 24 }, (_, i) => recentDivergences(walk(i))),
  coil: () => [
    corridorOf(hours(3)),
    corridorOf(hours(4).slice(0, 700)),
    corridorOf(hours(5).slice(0, 800)),
    fuelOf(perpetual.at(-1), perpetual.at(-9), fundingPrints.filter(({ time }) => time < end))
  ],
  fearGreed: () =>
    fearGreedDays({
      btc: days(0),
      others: [1, 2, 3, 4, 5].map(days),
      fundingPrints: fundingPrints.map((print, i) => ({ ...print, time: start + (80 * dayMs) + i * 8 * hourMs })),
      social: [{ time: start + 120 * dayMs, mentions: 1, authors: 1, sentiment: 0.2 }]
    }, start + 92 * dayMs),
  // By the versions that it stands on, too.
  signal: () => {
    const columns = {
      from: scored[0]!.time - hourMs,
      open: Float64Array.from(scored, ({ candle }) => candle.open),
      atr: Float64Array.from(scored, ({ atr }) => atr ?? NaN),
      score: Float64Array.from(scored, ({ score }) => 3 * (score ?? NaN))
    }
    const found = signalsOf(
      "BTC",
      columns,
      start,
      () => 100,
      (time) => regimes.find((regime) => regime.time === time) ?? null
    )
    const judged = found.map((
      signal
    ) => [outcomeOf(signal, hours(0), end), missingHoursOf(signal, null, hours(0), end)])
    return [rules.score, rules.regime, found, judged]
  }
} satisfies Record<keyof typeof rules, () => unknown>

const rounded = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => typeof one === "number" ? Number(one.toPrecision(9)) : one)

describe("a rule's version", () => {
  for (const name of ["score", "regime", "divergence", "coil", "fearGreed", "signal"] as const) {
    it(`${name}: another number for the same market is another version`, () => {
      const version = rules[name]
      const value = made[name]()
      assert.isAbove(rounded(value).length, 500)
      assert.strictEqual(digestOf(rounded(value)), digests[version], version)
    })
  }

  it("every rule has a digest", () => {
    assert.deepStrictEqual(Object.values(rules).filter((version) => digests[version] === undefined), [])
  })
})
