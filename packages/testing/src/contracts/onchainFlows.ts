import { assert } from "@effect/vitest"
import { dayMs, hourMs, OnchainFlows } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  gapsAreApart,
  isWritable,
  lieWithin,
  marketSuite,
  nobody,
  type Present,
  refused,
  told
} from "../market/suite.ts"

/** What the suite is told of a venue. */
export interface OnchainVenue extends Present {
  /** A coin that has traded on chain for the day before `now`. */
  readonly coin: string
}

/** What every `OnchainFlows` promises, as tests. */
export const onchainFlowsContract = marketSuite<OnchainFlows, OnchainFlows["Service"], OnchainVenue>(OnchainFlows, [
  ["buckets cover the interval, empty ones too, but for gaps", (flows, { coin, now }) =>
    Effect.gen(function*() {
      const stepMs = hourMs
      const query = { coin, stepMs, from: now - dayMs, to: now + dayMs }
      const { gaps, points } = yield* told(flows.dexActivity(query))
      const first = Math.floor(query.from / stepMs) * stepMs
      lieWithin(points, { from: first, to: query.to }, now)
      gapsAreApart(gaps, query)
      isWritable(points)
      const times = new Set(points.map(({ time }) => time))
      for (let time = first; time < now; time += stepMs) {
        const missing = gaps.some((gap) => gap.from <= Math.max(time, query.from) && time + stepMs <= gap.to)
        assert.strictEqual(times.has(time), !missing)
      }
      for (const { buyUsd, sellUsd, trades } of points) {
        assert.isAtLeast(Math.min(buyUsd, sellUsd, trades), 0)
        assert.isTrue(Number.isInteger(trades))
      }
    })],
  ["a coin that nobody lists has none", (flows, { now }) =>
    Effect.gen(function*() {
      const query = { coin: nobody, stepMs: hourMs, from: now - dayMs, to: now }
      assert.strictEqual(yield* refused(flows.dexActivity(query)), "UnknownSymbol")
    })]
])
