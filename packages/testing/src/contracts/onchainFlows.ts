import { assert } from "@effect/vitest"
import { dayMs, type Gap, hourMs, minuteMs, OnchainFlows, touchesGap } from "@tapeline/core/market"
import { Effect } from "effect"
import { bucketsIn, holdsBucket, isOutage } from "../market/grid.ts"
import {
  asked,
  checkOf,
  endOf,
  gapsAreApart,
  isWritable,
  type Known,
  lieWithin,
  marketSuite,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"

/** The venue facts that the suite needs. */
export interface OnchainVenue extends Present {
  /** A coin with trades on chain in the day before `now`. */
  readonly coin: string
  /** An interval without records, as known at `now`; at least two hours, from a full hour. */
  readonly outage: Known<Gap>
}

/** The contract tests of `OnchainFlows`. */
export const onchainFlowsContract = marketSuite<OnchainFlows, OnchainFlows["Service"], OnchainVenue>(OnchainFlows, [
  ["buckets cover the interval, empty ones too, but for gaps", (flows, { coin, now }) =>
    Effect.gen(function*() {
      const stepMs = hourMs
      const query = { coin, stepMs, from: now - dayMs, to: now + dayMs }
      const { coverage, gaps, points } = yield* toldOf(flows.dexActivity(query), ({ points }, now) => {
        const last = points.at(-1)
        return last === undefined ? asked(now) : endOf(last.time, last.time + stepMs, now)
      })
      const first = Math.floor(query.from / stepMs) * stepMs
      lieWithin(points, { from: first, to: query.to }, now)
      gapsAreApart(gaps, query)
      isWritable(points)
      assert.include(["whole", "largest_pools"], coverage)
      assert.deepStrictEqual(
        points.map(({ time }) => time).filter((time) => time + stepMs <= now),
        bucketsIn(query, now).filter((time) => !holdsBucket(gaps, time, query))
      )
      for (const { buyUsd, sellUsd, trades } of points) {
        assert.isAtLeast(Math.min(buyUsd, sellUsd, trades), 0)
        assert.isTrue(Number.isInteger(trades))
        if (trades === 0) assert.strictEqual(buyUsd + sellUsd, 0)
      }
    })],
  ["what is traded in a bucket is what is traded in its parts", (flows, { coin, now }) =>
    Effect.gen(function*() {
      const to = Math.floor(now / hourMs) * hourMs
      const interval = { coin, from: to - 6 * hourMs, to }
      const coarse = yield* told(flows.dexActivity({ ...interval, stepMs: hourMs }))
      const fine = yield* told(flows.dexActivity({ ...interval, stepMs: 5 * minuteMs }))
      for (const { buyUsd, sellUsd, time } of coarse.points) {
        if (touchesGap(coarse.gaps, time, time + hourMs)) continue
        const parts = fine.points.filter((part) => part.time >= time && part.time < time + hourMs)
        const sum = parts.reduce((total, part) => total + part.buyUsd + part.sellUsd, 0)
        assert.isAtMost(Math.abs(sum - buyUsd - sellUsd), 1 + 0.001 * sum)
      }
    })],
  checkOf(
    "an outage is a gap, which is not no trade",
    ({ outage }) => outage,
    (flows, outage, { coin }) =>
      Effect.gen(function*() {
        const query = { coin, stepMs: hourMs, from: outage.from - 2 * hourMs, to: outage.to + 2 * hourMs }
        const { gaps, points } = yield* told(flows.dexActivity(query))
        assert.isAbove(points.length, 0)
        isOutage(outage, gaps, points.map(({ time }) => time))
      })
  ),
  ["a coin that nobody lists has none", (flows, { now }) =>
    Effect.gen(function*() {
      const query = { coin: nobody, stepMs: hourMs, from: now - dayMs, to: now }
      assert.strictEqual(yield* refused(flows.dexActivity(query)), "UnknownSymbol")
    })]
])
