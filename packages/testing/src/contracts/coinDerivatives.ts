import { assert } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  type FundingPayment,
  type Gap,
  hourMs,
  type LiquidationCoverage,
  type MarketError,
  minuteMs,
  type PerpetualPoint,
  type Series,
  type Ticker
} from "@tapeline/core/market"
import { Effect, Option } from "effect"
import { assertStepsAddUp } from "../market/liquidationStepChecks.ts"
import {
  assertAscending,
  assertFiniteNumbers,
  assertRecent,
  assertSeparateGaps,
  assertSortedNames,
  assertWithin,
  type CaseOrWaiver,
  intervalEnd,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName
} from "../market/marketSuite.ts"
import { assertOutage, getBuckets, getInstants, isBucketInGap, isInGap } from "../market/timeGrid.ts"
import { backfillCheck, nullIfNoData, recordedChecks, type RecordedVenue } from "./recordedChecks.ts"

/** The facts about a venue that the contract tests of `CoinDerivatives` need. */
export interface DerivativesVenue extends RecordedVenue {
  /**
   * Coins that had a perpetual during the 30 days before `now`. The trading volume of the coins is so large that their
   * funding rates stay small.
   */
  readonly coins: readonly [string, ...ReadonlyArray<string>]
  /** A listed stablecoin without a perpetual. */
  readonly stablecoin: CaseOrWaiver<string>
  /** Whether the venue reports every liquidation or only a part of the liquidations. */
  readonly coverage: LiquidationCoverage
  /**
   * Whether every venue in `perpetual` is also in `openInterestByVenue`, and vice versa. If `perpetual` names no
   * venues, `sameVenues` is false.
   */
  readonly sameVenues: boolean
  /** An outage of at least ten minutes. At `now`, the venue has no data of the first coin for the outage. */
  readonly outage: CaseOrWaiver<Gap>
}

type Service = CoinDerivatives["Service"]

const stepMs5m = 5 * minuteMs

const assertFundingInterval = (hours: number): void => {
  assert.isTrue(Number.isInteger(hours) && hours >= 1 && hours <= 24, `${hours} hours`)
}

/** Checks that two prices of a coin, or two values derived from prices, differ by at most `tolerance` as a fraction. */
const assertNear = (a: number, b: number, tolerance = 0.2): void => {
  assert.isAbove(b, 0)
  assert.isAtMost(Math.abs(a / b - 1), tolerance)
}

const assertPerpetualRecord = (point: PerpetualPoint): void => {
  assertFiniteNumbers(point)
  const { fundingIntervalHours, fundingRate, indexPrice, longShortRatio, markPrice, openInterest, openInterestUsd } =
    point
  assert.strictEqual(fundingRate === null, fundingIntervalHours === null)
  if (fundingIntervalHours !== null) assertFundingInterval(fundingIntervalHours)
  if (fundingRate !== null) assert.isBelow(Math.abs(fundingRate), 0.1)
  if (openInterest !== null) assert.isAtLeast(openInterest, 0)
  if (longShortRatio !== null) assert.isAbove(longShortRatio, 0)
  if (markPrice !== null && indexPrice !== null) assertNear(markPrice, indexPrice)
  const price = markPrice ?? indexPrice
  if (openInterest !== null && openInterestUsd !== null && price !== null) {
    assertNear(openInterestUsd, openInterest * price)
  }
}

const assertPaymentSpacing = ([first, ...prints]: ReadonlyArray<FundingPayment>): void => {
  let previous = first!
  let regularSpacings = 0
  for (const print of prints) {
    // A payment is stamped up to a minute late, and a missed payment doubles the time between two payments.
    const hours = Math.round((print.time - previous.time) / hourMs)
    assert.isAtLeast(hours, print.intervalHours)
    if (hours === print.intervalHours) regularSpacings++
    previous = print
  }
  assert.isAtLeast(regularSpacings, prints.length / 2)
}

const assertQueriesFail = Effect.fnUntraced(function*(
  derivatives: Service,
  coin: string,
  now: number,
  tag: MarketError["_tag"]
) {
  const query = { coin, from: now - dayMs, to: now, stepMs: hourMs }
  assert.strictEqual(yield* readErrorTag(derivatives.perpetual(coin)), tag)
  assert.strictEqual(yield* readErrorTag(derivatives.perpetualHistory(query)), tag)
  assert.strictEqual(yield* readErrorTag(derivatives.fundingPayments(query)), tag)
  assert.strictEqual(yield* readErrorTag(derivatives.takerFlow(query)), tag)
  assert.strictEqual(yield* readErrorTag(derivatives.liquidations(query)), tag)
})

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

const readContent = (derivatives: Service, coin: string, to: number, { now }: DerivativesVenue) =>
  Effect.all([
    nullIfNoData(readValue(derivatives.perpetualHistory({ coin, from: now - 3 * dayMs, to, stepMs: hourMs }))),
    // A payment counts by the minute in which the payment was due.
    Effect.map(
      nullIfNoData(readValue(derivatives.fundingPayments({ coin, from: now - 10 * dayMs, to: to + minuteMs }))),
      (prints) => (prints ?? []).filter(({ time }) => Math.floor(time / minuteMs) * minuteMs < to)
    )
  ])

/** Returns an upper bound for the value of a coin's open interest, derived from its market cap or its daily volume. */
const maxOpenInterestUsd = ({ marketCapUsd, volume24hUsd }: Ticker): number =>
  marketCapUsd !== null ? 30 * marketCapUsd : volume24hUsd !== null ? 1_000 * volume24hUsd : Infinity

/** Defines the contract tests of `CoinDerivatives`. */
export const coinDerivativesContract = marketSuite<CoinDerivatives, CoinDerivatives["Service"], DerivativesVenue>(
  CoinDerivatives,
  [
    ...recordedChecks<CoinDerivatives["Service"], DerivativesVenue>(
      ({ watermarks }) => watermarks,
      ({ coins }) => coins,
      readContent
    ),
    [
      "the current perpetual is a recent record, and the same as in the list of all coins",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          const all = yield* readDatedValue(derivatives.perpetuals, (all, now) =>
            newestTime(all.map(({ time }) => time), now))
          assertSortedNames(all.map(({ coin }) =>
            coin
          ))
          all.forEach(assertPerpetualRecord)
          for (const coin of coins) {
            const { fundingVenue, openInterestVenues, ...point } = yield* readDatedValue(
              derivatives.perpetual(coin),
              ({ time }) => time
            )
            if (fundingVenue !== null) assert.isAbove(fundingVenue.length, 0)
            assertSortedNames(openInterestVenues)
            assertRecent(point.time, now)
            assert.deepStrictEqual(all.find((one) => one.coin === coin), { coin, ...point })
          }
        })
    ],
    [
      "history has every instant of the grid within the half-open interval, except in gaps",
      (derivatives, venue) =>
        Effect.gen(function*() {
          const { coins: [coin], now } = venue
          for (const stepMs of [stepMs5m, hourMs, 8 * hourMs]) {
            const interval = { from: now - 30 * stepMs, to: now + dayMs }
            const { gaps, points } = yield* readDatedValue(
              derivatives.perpetualHistory({ coin, stepMs, ...interval }),
              ({ points }, now) => newestTime(points.map(({ time }) => time), now)
            )
            assertWithin(points, interval, now)
            assertSeparateGaps(gaps, interval)
            points.forEach(assertPerpetualRecord)
            // The newest record may not have arrived when the test reads the records.
            const arrivedUntil = now - stepMs5m
            assert.deepStrictEqual(
              points.map(({ time }) => time).filter((time) => time <= arrivedUntil),
              getInstants({ ...interval, stepMs }, arrivedUntil).filter((time) => !isInGap(gaps, time))
            )
            const one = points.at(-1)!
            const singlePointQuery = { coin, stepMs, from: one.time, to: one.time + 1 }
            assert.deepStrictEqual((yield* readValue(derivatives.perpetualHistory(singlePointQuery))).points, [one])
          }
        })
    ],
    [
      "payments are near full hours, one interval apart, and within the half-open interval",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          for (const coin of coins) {
            const interval = { from: now - 20 * dayMs, to: now + dayMs }
            const prints = yield* readDatedValue(
              derivatives.fundingPayments({ coin, ...interval }),
              (prints, now) => newestTime(prints.map(({ time }) => time), now)
            )
            assertWithin(prints, interval, now)
            assert.isAbove(prints.length, 10)
            for (const { fundingRate, intervalHours, time } of prints) {
              assert.isBelow(Math.abs(fundingRate), 0.1)
              assert.isBelow(time % hourMs, minuteMs)
              assertFundingInterval(intervalHours)
            }
            assertPaymentSpacing(prints)
            assertFiniteNumbers(prints)
            const [first, second] = prints
            const bounds = { coin, from: first!.time, to: second!.time }
            assert.deepStrictEqual(yield* readValue(derivatives.fundingPayments(bounds)), [first!])
          }
        })
    ],
    [
      "paid rates per hour have the magnitude of the reported rates",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          for (const coin of coins) {
            const interval = { coin, from: now - 20 * dayMs, to: now }
            const prints = yield* readValue(derivatives.fundingPayments(interval))
            const { points } = yield* readValue(derivatives.perpetualHistory({ ...interval, stepMs: 4 * hourMs }))
            const reportedRates = points.flatMap(({ fundingIntervalHours, fundingRate }) =>
              fundingRate === null || fundingIntervalHours === null
                ? []
                : [Math.abs(fundingRate) / fundingIntervalHours]
            )
            const paidRates = prints.map(({ fundingRate, intervalHours }) => Math.abs(fundingRate) / intervalHours)
            // A rate of 0.3 % every 8 hours for three weeks equals more than three times the notional per year. A venue
            // that reports rates in percent instead of fractions exceeds the limit.
            assert.isBelow(8 * median(paidRates), 0.003)
            if (reportedRates.length === 0) continue
            assert.isAtLeast(median(paidRates), median(reportedRates) / 5)
            assert.isAtMost(median(paidRates), median(reportedRates) * 5)
          }
        })
    ],
    [
      "open interest is in coins and plausible for its market, if the layer provides `CoinPrices`",
      (derivatives, { coins }) =>
        Effect.gen(function*() {
          const prices = yield* Effect.serviceOption(CoinPrices)
          if (Option.isNone(prices)) return
          for (const coin of coins) {
            const { openInterest } = yield* readValue(derivatives.perpetual(coin))
            const ticker = Option.map(yield* Effect.option(prices.value.ticker(coin)), ({ value }) => value)
            if (openInterest === null || Option.isNone(ticker)) continue
            assert.isAtMost(
              openInterest * ticker.value.price,
              maxOpenInterestUsd(ticker.value),
              `${openInterest} ${coin}`
            )
          }
        })
    ],
    [
      "venues are listed once, each with its own time and a later next payment",
      (derivatives, venue) =>
        Effect.gen(function*() {
          const { coins: [coin], now, sameVenues } = venue
          const readNewestTime = (all: ReadonlyArray<{ readonly time: number }>) =>
            newestTime(all.map(({ time }) => time), now)
          const funding = yield* readDatedValue(derivatives.fundingByVenue(coin), readNewestTime)
          assertSortedNames(funding.map((one) => one.venue))
          for (const { fundingRate, intervalHours, nextFundingAt, time } of funding) {
            assertFundingInterval(intervalHours)
            assert.isBelow(Math.abs(fundingRate), 0.1)
            assertRecent(time, now)
            if (nextFundingAt === null) continue
            assert.isAbove(nextFundingAt, time)
            assert.isAtMost(nextFundingAt, time + intervalHours * hourMs + minuteMs)
          }
          const interest = yield* readDatedValue(derivatives.openInterestByVenue(coin), readNewestTime)
          assertSortedNames(interest.map((one) => one.venue))
          assertFiniteNumbers([funding, interest])
          const { markPrice, openInterest, openInterestVenues } = yield* readValue(derivatives.perpetual(coin))
          for (const one of interest) {
            assertRecent(one.time, now)
            assert.isAtLeast(one.openInterest, 0)
            if (markPrice !== null && one.openInterest > 0) {
              assertNear(one.openInterestUsd, one.openInterest * markPrice)
            }
          }
          const sum = interest.reduce((total, one) => total + one.openInterest, 0)
          if (sameVenues && openInterest !== null) assertNear(sum, openInterest, 0.05)
          // The sum over the named venues equals the total if each named venue is listed.
          const namedVenues = interest.filter((one) => openInterestVenues.includes(one.venue))
          if (namedVenues.length > 0 && namedVenues.length === openInterestVenues.length && openInterest !== null) {
            assertNear(namedVenues.reduce((total, one) => total + one.openInterest, 0), openInterest, 0.05)
          }
        })
    ],
    [
      "taker flow is in whole buckets that equal the sums of finer buckets",
      (derivatives, { coins: [coin], now }) =>
        Effect.gen(function*() {
          const to = Math.floor(now / hourMs) * hourMs
          const interval = { from: to - 6 * hourMs, to: now + dayMs }
          const readFlow = (stepMs: number) =>
            readDatedValue(
              derivatives.takerFlow({ coin, stepMs, ...interval }),
              ({ points }, now) => points.length === 0 ? requestInterval(now) : points.at(-1)!.time + stepMs
            )
          const coarse = yield* readFlow(hourMs)
          const fineFlow = yield* readFlow(stepMs5m)
          assertWithin(coarse.points, interval, now)
          assertSeparateGaps(coarse.gaps, interval)
          assertFiniteNumbers([coarse, fineFlow])
          for (const [stepMs, { gaps, points }] of [[hourMs, coarse], [stepMs5m, fineFlow]] as const) {
            const query = { ...interval, stepMs }
            // The newest bucket may not have arrived when the test reads the buckets.
            const arrivedUntil = now - stepMs5m
            assert.deepStrictEqual(
              points.map(({ time }) => time).filter((time) => time + stepMs <= arrivedUntil),
              getBuckets(query, arrivedUntil).filter((time) => !isBucketInGap(gaps, time, query))
            )
            for (const { buyUsd, sellUsd } of points) assert.isAtLeast(Math.min(buyUsd, sellUsd), 0)
          }
          for (const { buyUsd, sellUsd, time } of coarse.points) {
            const parts = fineFlow.points.filter((part) => part.time >= time && part.time < time + hourMs)
            assert.closeTo(parts.reduce((sum, part) => sum + part.buyUsd, 0), buyUsd, 0.01)
            assert.closeTo(parts.reduce((sum, part) => sum + part.sellUsd, 0), sellUsd, 0.01)
          }
        })
    ],
    ["futures expire in the future, nearest first", (derivatives, { coins, now }) =>
      Effect.gen(function*() {
        for (const coin of coins) {
          const futures = yield* readDatedValue(
            derivatives.futures(coin),
            (all, now) => newestTime(all.map(({ time }) => time), now)
          )
          assertAscending(futures.map(({ expiryAt }) => expiryAt))
          assertFiniteNumbers(futures)
          for (const { expiryAt, indexPrice, price, time } of futures) {
            assertRecent(time, now)
            assert.isAbove(expiryAt, now)
            assertNear(price, indexPrice, 0.5)
          }
        }
      })],
    [
      "liquidation sums include events beyond the limit, and coverage is reported",
      (derivatives, { coins: [coin], coverage, now }) =>
        Effect.gen(function*() {
          const interval = { from: now - dayMs, to: now + dayMs }
          const tape = yield* readDatedValue(
            derivatives.liquidations({ coin, limit: 100_000, ...interval }),
            ({ events }, now) => intervalEnd(events.at(-1)?.time ?? interval.from, interval.to, now)
          )
          assertWithin(tape.events, interval, now, "events")
          assertSeparateGaps(tape.gaps, interval)
          assert.strictEqual(tape.coverage, coverage)
          const { indexPrice } = yield* readValue(derivatives.perpetual(coin))
          for (const { price, sizeUsd } of tape.events) {
            assert.isAbove(Math.min(price, sizeUsd), 0)
            if (indexPrice !== null) assertNear(price, indexPrice, 0.5)
          }
          assert.isFalse(tape.truncated)
          assert.strictEqual(tape.count, tape.events.length)
          const sumUsd = (side: string): number =>
            tape.events.reduce((sum, event) => sum + (event.side === side ? event.sizeUsd : 0), 0)
          assert.closeTo(sumUsd("long"), tape.longUsd, 0.01)
          assert.closeTo(sumUsd("short"), tape.shortUsd, 0.01)
          const { events, ...sums } = yield* readValue(derivatives.liquidations({ coin, limit: 3, ...interval }))
          assert.deepStrictEqual(events, tape.events.slice(-3))
          assert.deepStrictEqual([sums.longUsd, sums.shortUsd, sums.count], [tape.longUsd, tape.shortUsd, tape.count])
          assert.strictEqual(sums.truncated, tape.count > 3)
          const large = yield* readValue(derivatives.liquidations({ coin, minSizeUsd: 10_000, ...interval }))
          assert.isTrue(large.events.every(({ sizeUsd }) => sizeUsd >= 10_000))
        })
    ],
    [
      "liquidation steps equal the sums of their events",
      (derivatives, { coins: [coin], now }) => assertStepsAddUp(derivatives, coin, now)
    ],
    makeWaivableCheck(
      "an outage is a gap in every series, without records, payments, flow or liquidations",
      ({ outage }) => outage,
      (derivatives, outage, { coins: [coin] }) =>
        Effect.gen(function*() {
          const aroundOutage = { coin, from: outage.from - hourMs, to: outage.to + hourMs, stepMs: stepMs5m }
          for (const effect of [derivatives.perpetualHistory(aroundOutage), derivatives.takerFlow(aroundOutage)]) {
            const { gaps, points } = yield* readValue<Series<{ readonly time: number }>>(effect)
            assert.isAbove(points.length, 0)
            assertOutage(outage, gaps, points.map(({ time }) => time))
          }
          assert.deepStrictEqual(
            (yield* nullIfNoData(readValue(derivatives.fundingPayments({ coin, ...outage })))) ?? [],
            []
          )
          const tape = yield* readValue(derivatives.liquidations(aroundOutage))
          assertOutage(outage, tape.gaps, tape.events.map(({ time }) => time))
        })
    ),
    [
      "fails with UnknownSymbol for an unlisted coin",
      (derivatives, { now }) => assertQueriesFail(derivatives, unlistedName, now, "UnknownSymbol")
    ],
    makeWaivableCheck(
      "fails with NoData for a listed stablecoin, which has no perpetual",
      ({ stablecoin }) => stablecoin,
      (derivatives, stablecoin, { now }) =>
        Effect.gen(function*() {
          const all = yield* readValue(derivatives.perpetuals)
          assert.isFalse(all.some(({ coin }) => coin === stablecoin))
          yield* assertQueriesFail(derivatives, stablecoin, now, "NoData")
        })
    ),
    backfillCheck<Service, DerivativesVenue>(({ watermarks }) => watermarks, readContent)
  ]
)
