import { assert } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  type FundingPrint,
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
import { bucketsIn, holdsBucket, holdsGap, instantsIn, isOutage } from "../market/grid.ts"
import {
  ascend,
  asked,
  byName,
  checkOf,
  endOf,
  gapsAreApart,
  isRecent,
  isWritable,
  type Known,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { stepsAddUp } from "../market/tapeSteps.ts"
import { backfillCheck, orNothing, recordedChecks, type RecordedVenue } from "./recorded.ts"

/** The venue facts that the suite needs. */
export interface DerivativesVenue extends RecordedVenue {
  /** Coins with a perpetual at `now` and in the 30 days before, with enough trading that funding stays small. */
  readonly coins: readonly [string, ...ReadonlyArray<string>]
  /** A listed stablecoin. */
  readonly stablecoin: Known<string>
  /** Whether the tapes contain every liquidation. For a venue without any (`mayLack`), either value fits. */
  readonly coverage: LiquidationCoverage
  /** Whether `perpetual` covers the venues of `openInterestByVenue`. False if no venue is named. */
  readonly sameVenues: boolean
  /** An interval without records of the first coin, as known at `now`; at least ten minutes. */
  readonly outage: Known<Gap>
}

type Service = CoinDerivatives["Service"]

const step = 5 * minuteMs

const isInterval = (hours: number): void => {
  assert.isTrue(Number.isInteger(hours) && hours >= 1 && hours <= 24, `${hours} hours`)
}

/** Checks that two prices of a coin, or two values derived from them, are of similar size. */
const near = (one: number, other: number, share = 0.2): void => {
  assert.isAbove(other, 0)
  assert.isAtMost(Math.abs(one / other - 1), share)
}

const isRecord = (point: PerpetualPoint): void => {
  isWritable(point)
  const { fundingIntervalHours, fundingRate, indexPrice, longShortRatio, markPrice, openInterest, openInterestUsd } =
    point
  assert.strictEqual(fundingRate === null, fundingIntervalHours === null)
  if (fundingIntervalHours !== null) isInterval(fundingIntervalHours)
  if (fundingRate !== null) assert.isBelow(Math.abs(fundingRate), 0.1)
  if (openInterest !== null) assert.isAtLeast(openInterest, 0)
  if (longShortRatio !== null) assert.isAbove(longShortRatio, 0)
  if (markPrice !== null && indexPrice !== null) near(markPrice, indexPrice)
  const price = markPrice ?? indexPrice
  if (openInterest !== null && openInterestUsd !== null && price !== null) near(openInterestUsd, openInterest * price)
}

const isInOrder = ([first, ...prints]: ReadonlyArray<FundingPrint>): void => {
  let before = first!
  let apart = 0
  for (const print of prints) {
    // Payments are stamped up to a minute late. A missed payment leaves twice the interval.
    const hours = Math.round((print.time - before.time) / hourMs)
    assert.isAtLeast(hours, print.intervalHours)
    if (hours === print.intervalHours) apart++
    before = print
  }
  assert.isAtLeast(apart, prints.length / 2)
}

/** Checks that every query about a coin fails with `tag`. */
const areRefused = Effect.fnUntraced(function*(
  derivatives: Service,
  coin: string,
  now: number,
  tag: MarketError["_tag"]
) {
  const query = { coin, from: now - dayMs, to: now, stepMs: hourMs }
  assert.strictEqual(yield* refused(derivatives.perpetual(coin)), tag)
  assert.strictEqual(yield* refused(derivatives.perpetualHistory(query)), tag)
  assert.strictEqual(yield* refused(derivatives.fundingPrints(query)), tag)
  assert.strictEqual(yield* refused(derivatives.takerFlow(query)), tag)
  assert.strictEqual(yield* refused(derivatives.liquidations(query)), tag)
})

const middle = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

/** A coin's records and payments before an instant. */
const contentOf = (derivatives: Service, coin: string, to: number, { now }: DerivativesVenue) =>
  Effect.all([
    orNothing(told(derivatives.perpetualHistory({ coin, from: now - 3 * dayMs, to, stepMs: hourMs }))),
    // Payments by the minute in which they were due.
    Effect.map(
      orNothing(told(derivatives.fundingPrints({ coin, from: now - 10 * dayMs, to: to + minuteMs }))),
      (prints) => (prints ?? []).filter(({ time }) => Math.floor(time / minuteMs) * minuteMs < to)
    )
  ])

/** An upper bound for the value of a coin's open interest, from its market cap or its daily volume. */
const mostWorth = ({ marketCapUsd, volume24hUsd }: Ticker): number =>
  marketCapUsd !== null ? 30 * marketCapUsd : volume24hUsd !== null ? 1_000 * volume24hUsd : Infinity

/** The contract tests of `CoinDerivatives`. */
export const coinDerivativesContract = marketSuite<CoinDerivatives, CoinDerivatives["Service"], DerivativesVenue>(
  CoinDerivatives,
  [
    ...recordedChecks<CoinDerivatives["Service"], DerivativesVenue>(
      ({ recorded }) => recorded,
      ({ coins }) => coins,
      contentOf
    ),
    [
      "the perpetual now is a recent record, and one of those of all coins",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          const all = yield* toldOf(derivatives.perpetuals, (all, now) => newestOf(all.map(({ time }) => time), now))
          byName(all.map(({ coin }) => coin))
          all.forEach(isRecord)
          for (const coin of coins) {
            const { fundingVenue, openInterestVenues, ...point } = yield* toldOf(
              derivatives.perpetual(coin),
              ({ time }) => time
            )
            if (fundingVenue !== null) assert.isAbove(fundingVenue.length, 0)
            byName(openInterestVenues)
            isRecent(point.time, now)
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
            const { gaps, points } = yield* toldOf(
              derivatives.perpetualHistory({ coin, stepMs, ...interval }),
              ({ points }, now) => newestOf(points.map(({ time }) => time), now)
            )
            lieWithin(points, interval, now)
            gapsAreApart(gaps, interval)
            points.forEach(isRecord)
            // The newest record may not have arrived yet.
            const due = now - step
            assert.deepStrictEqual(
              points.map(({ time }) => time).filter((time) => time <= due),
              instantsIn({ ...interval, stepMs }, due).filter((time) => !holdsGap(gaps, time))
            )
            const one = points.at(-1)!
            const alone = { coin, stepMs, from: one.time, to: one.time + 1 }
            assert.deepStrictEqual((yield* told(derivatives.perpetualHistory(alone))).points, [one])
          }
        })
    ],
    [
      "payments are full hours and some seconds apart by their interval, within the half-open interval",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          for (const coin of coins) {
            const interval = { from: now - 20 * dayMs, to: now + dayMs }
            const prints = yield* toldOf(
              derivatives.fundingPrints({ coin, ...interval }),
              (prints, now) => newestOf(prints.map(({ time }) => time), now)
            )
            lieWithin(prints, interval, now)
            assert.isAbove(prints.length, 10)
            for (const { fundingRate, intervalHours, time } of prints) {
              assert.isBelow(Math.abs(fundingRate), 0.1)
              assert.isBelow(time % hourMs, minuteMs)
              isInterval(intervalHours)
            }
            isInOrder(prints)
            isWritable(prints)
            const [first, second] = prints
            const bounds = { coin, from: first!.time, to: second!.time }
            assert.deepStrictEqual(yield* told(derivatives.fundingPrints(bounds)), [first!])
          }
        })
    ],
    [
      "what was paid is of the size of the rates that stood, for as long",
      (derivatives, { coins, now }) =>
        Effect.gen(function*() {
          for (const coin of coins) {
            const interval = { coin, from: now - 20 * dayMs, to: now }
            const prints = yield* told(derivatives.fundingPrints(interval))
            const { points } = yield* told(derivatives.perpetualHistory({ ...interval, stepMs: 4 * hourMs }))
            const stood = points.flatMap(({ fundingIntervalHours, fundingRate }) =>
              fundingRate === null || fundingIntervalHours === null
                ? []
                : [Math.abs(fundingRate) / fundingIntervalHours]
            )
            const paid = prints.map(({ fundingRate, intervalHours }) => Math.abs(fundingRate) / intervalHours)
            // 0.3 % every 8 hours for three weeks is a rate of four times the notional per year. A venue that reports
            // percent exceeds it.
            assert.isBelow(8 * middle(paid), 0.003)
            if (stood.length === 0) continue
            assert.isAtLeast(middle(paid), middle(stood) / 5)
            assert.isAtMost(middle(paid), middle(stood) * 5)
          }
        })
    ],
    [
      "open interest is in coins: worth no more than its market, where the layer gives `CoinPrices` too",
      (derivatives, { coins }) =>
        Effect.gen(function*() {
          const prices = yield* Effect.serviceOption(CoinPrices)
          if (Option.isNone(prices)) return
          for (const coin of coins) {
            const { openInterest } = yield* told(derivatives.perpetual(coin))
            const ticker = Option.map(yield* Effect.option(prices.value.ticker(coin)), ({ value }) => value)
            if (openInterest === null || Option.isNone(ticker)) continue
            assert.isAtMost(openInterest * ticker.value.price, mostWorth(ticker.value), `${openInterest} ${coin}`)
          }
        })
    ],
    [
      "venues are named once, each as of its own time, and fund after it",
      (derivatives, venue) =>
        Effect.gen(function*() {
          const { coins: [coin], now, sameVenues } = venue
          const known = (all: ReadonlyArray<{ readonly time: number }>) => newestOf(all.map(({ time }) => time), now)
          const funding = yield* toldOf(derivatives.fundingByVenue(coin), known)
          byName(funding.map((one) => one.venue))
          for (const { fundingRate, intervalHours, nextFundingAt, time } of funding) {
            isInterval(intervalHours)
            assert.isBelow(Math.abs(fundingRate), 0.1)
            isRecent(time, now)
            if (nextFundingAt === null) continue
            assert.isAbove(nextFundingAt, time)
            assert.isAtMost(nextFundingAt, time + intervalHours * hourMs + minuteMs)
          }
          const interest = yield* toldOf(derivatives.openInterestByVenue(coin), known)
          byName(interest.map((one) => one.venue))
          isWritable([funding, interest])
          const { markPrice, openInterest, openInterestVenues } = yield* told(derivatives.perpetual(coin))
          for (const one of interest) {
            isRecent(one.time, now)
            assert.isAtLeast(one.openInterest, 0)
            if (markPrice !== null && one.openInterest > 0) near(one.openInterestUsd, one.openInterest * markPrice)
          }
          const sum = interest.reduce((total, one) => total + one.openInterest, 0)
          if (sameVenues && openInterest !== null) near(sum, openInterest, 0.05)
          // The sum over the named venues equals the total if each of them is listed.
          const named = interest.filter((one) => openInterestVenues.includes(one.venue))
          if (named.length > 0 && named.length === openInterestVenues.length && openInterest !== null) {
            near(named.reduce((total, one) => total + one.openInterest, 0), openInterest, 0.05)
          }
        })
    ],
    [
      "taker flow comes in whole buckets, whose sums are those of finer ones",
      (derivatives, { coins: [coin], now }) =>
        Effect.gen(function*() {
          const to = Math.floor(now / hourMs) * hourMs
          const interval = { from: to - 6 * hourMs, to: now + dayMs }
          const flowOf = (stepMs: number) =>
            toldOf(
              derivatives.takerFlow({ coin, stepMs, ...interval }),
              ({ points }, now) => points.length === 0 ? asked(now) : points.at(-1)!.time + stepMs
            )
          const coarse = yield* flowOf(hourMs)
          const fine = yield* flowOf(step)
          lieWithin(coarse.points, interval, now)
          gapsAreApart(coarse.gaps, interval)
          isWritable([coarse, fine])
          for (const [stepMs, { gaps, points }] of [[hourMs, coarse], [step, fine]] as const) {
            const query = { ...interval, stepMs }
            // The newest bucket may not have arrived yet.
            const due = now - step
            assert.deepStrictEqual(
              points.map(({ time }) => time).filter((time) => time + stepMs <= due),
              bucketsIn(query, due).filter((time) => !holdsBucket(gaps, time, query))
            )
            for (const { buyUsd, sellUsd } of points) assert.isAtLeast(Math.min(buyUsd, sellUsd), 0)
          }
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
          const futures = yield* toldOf(
            derivatives.futures(coin),
            (all, now) => newestOf(all.map(({ time }) => time), now)
          )
          ascend(futures.map(({ expiryAt }) => expiryAt))
          isWritable(futures)
          for (const { expiryAt, indexPrice, price, time } of futures) {
            isRecent(time, now)
            assert.isAbove(expiryAt, now)
            near(price, indexPrice, 0.5)
          }
        }
      })],
    [
      "liquidations add up, those cut off included, and say whether they are all",
      (derivatives, { coins: [coin], coverage, now }) =>
        Effect.gen(function*() {
          const interval = { from: now - dayMs, to: now + dayMs }
          const tape = yield* toldOf(
            derivatives.liquidations({ coin, limit: 100_000, ...interval }),
            ({ events }, now) => endOf(events.at(-1)?.time ?? interval.from, interval.to, now)
          )
          lieWithin(tape.events, interval, now, "events")
          gapsAreApart(tape.gaps, interval)
          assert.strictEqual(tape.coverage, coverage)
          const { indexPrice } = yield* told(derivatives.perpetual(coin))
          for (const { price, sizeUsd } of tape.events) {
            assert.isAbove(Math.min(price, sizeUsd), 0)
            if (indexPrice !== null) near(price, indexPrice, 0.5)
          }
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
    [
      "liquidations come by steps, whose sums are those of their events",
      (derivatives, { coins: [coin], now }) => stepsAddUp(derivatives, coin, now)
    ],
    checkOf(
      "an outage is a gap of every series: no record, no payment, no flow, no liquidation",
      ({ outage }) => outage,
      (derivatives, outage, { coins: [coin] }) =>
        Effect.gen(function*() {
          const around = { coin, from: outage.from - hourMs, to: outage.to + hourMs, stepMs: step }
          for (const read of [derivatives.perpetualHistory(around), derivatives.takerFlow(around)]) {
            const { gaps, points } = yield* told<Series<{ readonly time: number }>>(read)
            assert.isAbove(points.length, 0)
            isOutage(outage, gaps, points.map(({ time }) => time))
          }
          assert.deepStrictEqual((yield* orNothing(told(derivatives.fundingPrints({ coin, ...outage })))) ?? [], [])
          const tape = yield* told(derivatives.liquidations(around))
          isOutage(outage, tape.gaps, tape.events.map(({ time }) => time))
        })
    ),
    [
      "says of a coin that nobody lists that it is unknown",
      (derivatives, { now }) => areRefused(derivatives, nobody, now, "UnknownSymbol")
    ],
    checkOf(
      "has no perpetual of a stablecoin, which it lists",
      ({ stablecoin }) => stablecoin,
      (derivatives, stablecoin, { now }) =>
        Effect.gen(function*() {
          const all = yield* told(derivatives.perpetuals)
          assert.isFalse(all.some(({ coin }) => coin === stablecoin))
          yield* areRefused(derivatives, stablecoin, now, "NoData")
        })
    ),
    backfillCheck<Service, DerivativesVenue>(({ recorded }) => recorded, contentOf)
  ]
)
