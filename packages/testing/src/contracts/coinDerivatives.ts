import { assert } from "@effect/vitest"
import { CoinDerivatives, dayMs, hourMs, minuteMs, type PerpetualPoint } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  ascend,
  byName,
  gapsAreApart,
  isWritable,
  lieWithin,
  marketSuite,
  nobody,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { orNothing, recordedChecks, type RecordedVenue } from "./recorded.ts"

/** What the suite is told of a venue. */
export interface DerivativesVenue extends RecordedVenue {
  /** Coins with a perpetual at `now` and for the 30 days before. */
  readonly coins: readonly [string, ...ReadonlyArray<string>]
  /** A stablecoin that is listed. */
  readonly stablecoin: string
}

const step = 5 * minuteMs

const isRecord = (point: PerpetualPoint): void => {
  isWritable(point)
  assert.strictEqual(point.fundingRate === null, point.fundingIntervalHours === null)
  if (point.fundingIntervalHours !== null) assert.include([1, 2, 4, 8], point.fundingIntervalHours)
  if (point.openInterest !== null) assert.isAtLeast(point.openInterest, 0)
  if (point.longShortRatio !== null) assert.isAbove(point.longShortRatio, 0)
}

/** What every `CoinDerivatives` promises, as tests. */
export const coinDerivativesContract = marketSuite<CoinDerivatives, CoinDerivatives["Service"], DerivativesVenue>(
  CoinDerivatives,
  [
    ...recordedChecks<CoinDerivatives["Service"], DerivativesVenue>(
      ({ recorded }) => recorded,
      ({ coins }) => coins,
      (derivatives, coin, to, { now }) =>
        Effect.all([
          orNothing(told(derivatives.perpetualHistory({ coin, from: now - 3 * dayMs, to, stepMs: hourMs }))),
          orNothing(told(derivatives.fundingPrints({ coin, from: now - 10 * dayMs, to })))
        ])
    ),
    [
      "the perpetual now is a recent record, and one of those of all coins",
      (derivatives, { coins, now, stablecoin }) =>
        Effect.gen(function*() {
          const all = yield* told(derivatives.perpetuals)
          byName(all.map(({ coin }) => coin))
          all.forEach(isRecord)
          assert.isFalse(all.some(({ coin }) => coin === stablecoin))
          for (const coin of coins) {
            const point = yield* toldOf(derivatives.perpetual(coin), ({ time }) => time)
            assert.isAbove(point.time, now - hourMs)
            assert.deepStrictEqual(all.find((one) => one.coin === coin), { coin, ...point })
          }
        })
    ],
    [
      "history has the grid's instants within the half-open interval, but for gaps",
      (derivatives, venue) =>
        Effect.gen(function*() {
          const { coins: [coin], now } = venue
          for (const stepMs of [step, hourMs, 8 * hourMs]) {
            const interval = { from: now - 30 * stepMs, to: now + dayMs }
            const { gaps, points } = yield* told(derivatives.perpetualHistory({ coin, stepMs, ...interval }))
            lieWithin(points, interval, now)
            gapsAreApart(gaps, interval)
            points.forEach(isRecord)
            const times = new Set(points.map(({ time }) => time))
            for (let time = Math.ceil(interval.from / stepMs) * stepMs; time <= now - step; time += stepMs) {
              const inGap = gaps.some(({ from, to }) => from <= time && time < to)
              assert.strictEqual(times.has(time), !inGap, new Date(time).toISOString())
            }
            const one = points.at(-1)!
            const alone = { coin, stepMs, from: one.time, to: one.time + 1 }
            assert.deepStrictEqual((yield* told(derivatives.perpetualHistory(alone))).points, [one])
          }
        })
    ],
    [
      "payments are full hours and some seconds, within the half-open interval",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          for (const coin of coins) {
            const interval = { from: now - 20 * dayMs, to: now + dayMs }
            const prints = yield* told(derivatives.fundingPrints({ coin, ...interval }))
            lieWithin(prints, interval, now)
            assert.isAbove(prints.length, 30)
            for (const { intervalHours, time } of prints) {
              assert.isBelow(time % hourMs, minuteMs)
              assert.include([1, 2, 4, 8], intervalHours)
            }
            isWritable(prints)
            const [first, second] = prints
            const bounds = { coin, from: first!.time, to: second!.time }
            assert.deepStrictEqual(yield* told(derivatives.fundingPrints(bounds)), [first!])
          }
        })
    ],
    [
      "venues are named once, fund in the future, and hold the open interest between them",
      (derivatives, venue) =>
        Effect.gen(function*() {
          const { coins: [coin], now } = venue
          const funding = yield* told(derivatives.fundingByVenue(coin))
          byName(funding.map((one) => one.venue))
          for (const { intervalHours, nextFundingAt } of funding) {
            assert.isAbove(nextFundingAt, now)
            assert.isAtMost(nextFundingAt, now + intervalHours * hourMs + minuteMs)
          }
          const interest = yield* told(derivatives.openInterestByVenue(coin))
          byName(interest.map((one) => one.venue))
          isWritable([funding, interest])
          const { openInterest } = yield* told(derivatives.perpetual(coin))
          const sum = interest.reduce((total, one) => total + one.openInterest, 0)
          if (openInterest !== null) assert.isAtMost(Math.abs(sum / openInterest - 1), 0.05)
        })
    ],
    [
      "taker flow comes in whole buckets, whose sums are those of finer ones",
      (derivatives, { coins: [coin], now }) =>
        Effect.gen(function*() {
          const to = Math.floor(now / hourMs) * hourMs
          const interval = { from: to - 6 * hourMs, to: now + dayMs }
          const coarse = yield* told(derivatives.takerFlow({ coin, stepMs: hourMs, ...interval }))
          const fine = yield* told(derivatives.takerFlow({ coin, stepMs: step, ...interval }))
          lieWithin(coarse.points, interval, now)
          gapsAreApart(coarse.gaps, interval)
          assert.isAtMost(coarse.points.at(-1)!.time + hourMs, now)
          isWritable([coarse, fine])
          for (const { buyUsd, sellUsd, time } of coarse.points) {
            const parts = fine.points.filter((part) => part.time >= time && part.time < time + hourMs)
            assert.closeTo(parts.reduce((sum, part) => sum + part.buyUsd, 0), buyUsd, 0.01)
            assert.closeTo(parts.reduce((sum, part) => sum + part.sellUsd, 0), sellUsd, 0.01)
          }
        })
    ],
    ["futures expire in the future, nearest first", (derivatives, { coins, now }) =>
      Effect.gen(function*() {
        for (const coin of coins) {
          const futures = yield* told(derivatives.futures(coin))
          ascend(futures.map(({ expiryAt }) => expiryAt))
          assert.isTrue(futures.every(({ expiryAt }) => expiryAt > now))
          isWritable(futures)
        }
      })],
    [
      "liquidations add up, those cut off included, and say whether they are all",
      (derivatives, { coins: [coin], now }) =>
        Effect.gen(function*() {
          const interval = { from: now - dayMs, to: now + dayMs }
          const tape = yield* told(derivatives.liquidations({ coin, limit: 100_000, ...interval }))
          lieWithin(tape.events, interval, now, "events")
          gapsAreApart(tape.gaps, interval)
          assert.include(["whole", "sampled"], tape.coverage)
          assert.isFalse(tape.truncated)
          assert.strictEqual(tape.count, tape.events.length)
          const usdOf = (side: string): number =>
            tape.events.reduce((sum, event) => sum + (event.side === side ? event.sizeUsd : 0), 0)
          assert.closeTo(usdOf("long"), tape.longUsd, 0.01)
          assert.closeTo(usdOf("short"), tape.shortUsd, 0.01)
          const { events, ...sums } = yield* told(derivatives.liquidations({ coin, limit: 3, ...interval }))
          assert.deepStrictEqual(events, tape.events.slice(-3))
          assert.deepStrictEqual([sums.longUsd, sums.shortUsd, sums.count], [tape.longUsd, tape.shortUsd, tape.count])
          assert.strictEqual(sums.truncated, tape.count > 3)
          const large = yield* told(derivatives.liquidations({ coin, minSizeUsd: 10_000, ...interval }))
          assert.isTrue(large.events.every(({ sizeUsd }) => sizeUsd >= 10_000))
        })
    ],
    ["tells the unknown from what has no perpetual", (derivatives, { now, stablecoin }) =>
      Effect.gen(function*() {
        const interval = { from: now - dayMs, to: now, stepMs: hourMs }
        for (const [coin, tag] of [[nobody, "UnknownSymbol"], [stablecoin, "NoData"]] as const) {
          assert.strictEqual(yield* refused(derivatives.perpetual(coin)), tag)
          assert.strictEqual(yield* refused(derivatives.perpetualHistory({ coin, ...interval })), tag)
          assert.strictEqual(yield* refused(derivatives.fundingPrints({ coin, ...interval })), tag)
          assert.strictEqual(yield* refused(derivatives.takerFlow({ coin, ...interval })), tag)
          assert.strictEqual(yield* refused(derivatives.liquidations({ coin, ...interval })), tag)
        }
      })]
  ]
)
