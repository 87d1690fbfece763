import { assert } from "@effect/vitest"
import { dayMs, type Gap, hourMs, minuteMs, OnchainFlows, overlapsGap } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertFiniteNumbers,
  assertSeparateGaps,
  assertWithin,
  type CaseOrWaiver,
  intervalEnd,
  makeWaivableCheck,
  marketSuite,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"
import { assertOutage, getBuckets, isBucketInGap } from "../market/timeGrid.ts"

/** The facts about a venue that the contract tests of `OnchainFlows` need. */
export interface OnchainVenue extends VenueTime {
  /** A coin with on-chain trades in the day before `now`. */
  readonly coin: string
  /** An outage of at least two hours that begins at a full hour. At `now`, the venue has no data for the outage. */
  readonly outage: CaseOrWaiver<Gap>
}

/** Defines the contract tests of `OnchainFlows`. */
export const onchainFlowsContract = marketSuite<OnchainFlows, OnchainFlows["Service"], OnchainVenue>(OnchainFlows, [
  [
    "buckets cover the interval, including empty ones, except in gaps",
    (flows, { coin, now }) =>
      Effect.gen(function*() {
        const stepMs = hourMs
        const query = { coin, stepMs, from: now - dayMs, to: now + dayMs }
        const { coverage, gaps, points } = yield* readDatedValue(flows.dexActivity(query), ({ points }, now) => {
          const last = points.at(-1)
          return last === undefined ? requestInterval(now) : intervalEnd(last.time, last.time + stepMs, now)
        })
        const first = Math.floor(query.from / stepMs) * stepMs
        assertWithin(points, { from: first, to: query.to }, now)
        assertSeparateGaps(gaps, query)
        assertFiniteNumbers(points)
        assert.include(["whole", "largest_pools"], coverage)
        assert.deepStrictEqual(
          points.map(({ time }) => time).filter((time) => time + stepMs <= now),
          getBuckets(query, now).filter((time) => !isBucketInGap(gaps, time, query))
        )
        for (const { buyUsd, sellUsd, trades } of points) {
          assert.isAtLeast(Math.min(buyUsd, sellUsd, trades), 0)
          assert.isTrue(Number.isInteger(trades))
          if (trades === 0) assert.strictEqual(buyUsd + sellUsd, 0)
        }
      })
  ],
  ["the volume of a bucket equals the sum of its parts", (flows, { coin, now }) =>
    Effect.gen(function*() {
      const to = Math.floor(now / hourMs) * hourMs
      const interval = { coin, from: to - 6 * hourMs, to }
      const coarse = yield* readValue(flows.dexActivity({ ...interval, stepMs: hourMs }))
      const fineActivity = yield* readValue(flows.dexActivity({ ...interval, stepMs: 5 * minuteMs }))
      for (const { buyUsd, sellUsd, time } of coarse.points) {
        if (overlapsGap(coarse.gaps, time, time + hourMs)) continue
        const parts = fineActivity.points.filter((part) => part.time >= time && part.time < time + hourMs)
        const sum = parts.reduce((total, part) => total + part.buyUsd + part.sellUsd, 0)
        assert.isAtMost(Math.abs(sum - buyUsd - sellUsd), 1 + 0.001 * sum)
      }
    })],
  makeWaivableCheck(
    "an outage is a gap, not a bucket without trades",
    ({ outage }) => outage,
    (flows, outage, { coin }) =>
      Effect.gen(function*() {
        const query = { coin, stepMs: hourMs, from: outage.from - 2 * hourMs, to: outage.to + 2 * hourMs }
        const { gaps, points } = yield* readValue(flows.dexActivity(query))
        assert.isAbove(points.length, 0)
        assertOutage(outage, gaps, points.map(({ time }) => time))
      })
  ),
  ["fails with UnknownSymbol for an unlisted coin", (flows, { now }) =>
    Effect.gen(function*() {
      const query = { coin: unlistedName, stepMs: hourMs, from: now - dayMs, to: now }
      assert.strictEqual(yield* readErrorTag(flows.dexActivity(query)), "UnknownSymbol")
    })]
])
