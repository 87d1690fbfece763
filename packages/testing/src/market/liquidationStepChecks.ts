import { assert } from "@effect/vitest"
import { type CoinDerivatives, dayMs, hourMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { readValue } from "./marketSuite.ts"
import { isBucketInGap } from "./timeGrid.ts"

const stepMs = 7 * hourMs

/**
 * Checks that each step of a liquidation tape adds up the events of its interval. The steps must cover the whole
 * requested interval, at most until `now`.
 */
export const assertStepsAddUp = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  coin: string,
  now: number
) {
  // The start of the intervals is no multiple of a step, and the first interval ends in the future.
  const from = now - dayMs - 1234
  for (const [minSizeUsd, to] of [[0, now + dayMs], [10_000, now - 5000]] as const) {
    const query = { coin, from, to, minSizeUsd }
    const { events, gaps, steps } = yield* readValue(derivatives.liquidations({ ...query, stepMs, limit: 100_000 }))
    const end = Math.min(to, now + 1)
    const expectedTimes = Array.from({ length: Math.ceil((end - from) / stepMs) }, (_, i) => from + i * stepMs)
    assert.deepStrictEqual(
      steps.map(({ time }) => time),
      expectedTimes.filter((time) => !isBucketInGap(gaps, time, { from, to: end, stepMs }))
    )
    for (const { count, longUsd, shortUsd, time } of steps) {
      const stepEvents = events.filter((event) => event.time >= time && event.time < time + stepMs)
      assert.strictEqual(count, stepEvents.length)
      const sumUsd = (side: string): number =>
        stepEvents.reduce((sum, event) => sum + (event.side === side ? event.sizeUsd : 0), 0)
      assert.closeTo(longUsd, sumUsd("long"), 0.01)
      assert.closeTo(shortUsd, sumUsd("short"), 0.01)
    }
    // If only one event is returned, the steps still count all events.
    const limitedTape = yield* readValue(derivatives.liquidations({ ...query, stepMs, limit: 1 }))
    assert.deepStrictEqual(limitedTape.steps, steps)
    assert.deepStrictEqual((yield* readValue(derivatives.liquidations(query))).steps, [])
  }
})
