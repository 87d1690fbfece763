import { assert } from "@effect/vitest"
import { type CoinDerivatives, dayMs, hourMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { holdsBucket } from "./grid.ts"
import { told } from "./suite.ts"

const stepMs = 7 * hourMs

/** Checks that the steps of a tape run from its beginning to its end or the present, and sum all its events. */
export const stepsAddUp = Effect.fnUntraced(function*(
  derivatives: CoinDerivatives["Service"],
  coin: string,
  now: number
) {
  // An interval that is on no grid and ends in the future.
  const from = now - dayMs - 1234
  for (const [minSizeUsd, to] of [[0, now + dayMs], [10_000, now - 5000]] as const) {
    const query = { coin, from, to, minSizeUsd }
    const { events, gaps, steps } = yield* told(derivatives.liquidations({ ...query, stepMs, limit: 100_000 }))
    const end = Math.min(to, now + 1)
    const begins = Array.from({ length: Math.ceil((end - from) / stepMs) }, (_, i) => from + i * stepMs)
    assert.deepStrictEqual(
      steps.map(({ time }) => time),
      begins.filter((time) => !holdsBucket(gaps, time, { from, to: end, stepMs }))
    )
    for (const { count, longUsd, shortUsd, time } of steps) {
      const own = events.filter((event) => event.time >= time && event.time < time + stepMs)
      assert.strictEqual(count, own.length)
      const usdOf = (side: string): number =>
        own.reduce((sum, event) => sum + (event.side === side ? event.sizeUsd : 0), 0)
      assert.closeTo(longUsd, usdOf("long"), 0.01)
      assert.closeTo(shortUsd, usdOf("short"), 0.01)
    }
    // Steps are complete even if only one event is returned.
    const cut = yield* told(derivatives.liquidations({ ...query, stepMs, limit: 1 }))
    assert.deepStrictEqual(cut.steps, steps)
    assert.deepStrictEqual((yield* told(derivatives.liquidations(query))).steps, [])
  }
})
