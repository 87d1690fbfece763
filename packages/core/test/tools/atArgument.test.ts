/** Tests that a tool with `at` returns the result that it would have returned at that time. */
import { assert, describe, it } from "@effect/vitest"
import { hourMs, minuteMs, pickTools, specifications, Toolbox, tools } from "@tapeline/core"
import { getIndicators, getPriceHistory } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { makeFakeMarket, now } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const names = [
  "get_coil",
  "get_correlation",
  "get_indicators",
  "get_levels",
  "get_price_history",
  "get_regime",
  "get_score",
  "get_score_history",
  "get_volume_profile",
  "get_vwap"
] as const
const withTools = makeRunOnEngine(Toolbox.layer(pickTools(tools, names)))
const requestedTools = specifications.filter(({ name }) => names.some((one) => one === name))

const answers = Effect.fnUntraced(function*(args: { readonly at?: string }) {
  const results: Record<string, unknown> = {}
  for (const specification of requestedTools) {
    const example = { ...specification.example, ...args }
    results[specification.name] = yield* Effect.catchTag(
      callTool(specification, example),
      "CallFailed",
      (failed) => Effect.succeed({ code: failed.code, message: failed.message })
    )
  }
  return results
})

const step = 5 * minuteMs
describe("a result with `at`", () => {
  it.effect("equals the result of that instant, for any later market data", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.integer({ min: now - 300 * 24 * hourMs, max: now }),
            fc.integer({ min: 0, max: 20_000 }).map((hours) => Math.floor(now / hourMs) * hourMs - hours * hourMs)
          ),
          (time) =>
            Effect.runPromise(
              Effect.gen(function*() {
                const answersAtTime = yield* withTools(answers({}), { time })
                // The 5-minute candle at `time` uses prices until its end, so the altered prices begin after the
                // candle.
                const alteredFrom = Math.floor(time / step) * step + step + 1
                const at = new Date(time).toISOString()
                const later = withTools(
                  Effect.gen(function*() {
                    const currentAnswers = yield* answers({})
                    const pastAnswers = yield* answers({ at })
                    assert.deepStrictEqual(yield* answers({}), currentAnswers, "`at` does not change later results")
                    return pastAnswers
                  }),
                  { market: makeFakeMarket({ alteredFrom }) }
                )
                assert.deepStrictEqual(yield* later, answersAtTime)
              }).pipe(Effect.provide(TestClock.layer()))
            )
        ),
        { numRuns: isFullRun ? 30 : 3, seed: 20_260_101 }
      )
    ))

  it.effect("is rejected for the future and for invalid instants", () =>
    withTools(Effect.gen(function*() {
      const last = new Date(now).toISOString()
      assert.strictEqual((yield* callTool(getPriceHistory, { coin: "BTC", at: last })).as_of, last)
      const offset = yield* callTool(getIndicators, { coin: "BTC", at: "2026-06-19T10:00:00+09:00" })
      assert.strictEqual(offset.as_of, "2026-06-19T01:00:00.000Z")
      for (
        const [at, expectedIssue] of [
          [new Date(now + 1).toISOString(), `an instant in the past, not after ${last}`],
          ["2026-06-31T00:00:00Z", "an instant that exists"],
          ["2026-06-01T24:00:00Z", "an instant that exists"],
          ["2026-06-01T10:00:00", "an instant that exists"],
          ["yesterday", "an instant that exists"],
          [1_760_000_000_000, "a string"]
        ] as const
      ) {
        const issues = yield* callExpectingFailure(getIndicators, { coin: "BTC", at }).pipe(
          Effect.as([]),
          Effect.catchTag("InvalidArguments", (invalidArguments) => Effect.succeed(invalidArguments.issues))
        )
        assert.deepStrictEqual(issues.map(({ path }) => path), [["at"]])
        assert.include(issues[0]!.message, expectedIssue)
      }
      const before = yield* callExpectingFailure(getIndicators, { coin: "BTC", at: "0001-01-01T00:00:00Z" })
      assert.deepInclude(before, { code: "no_data", retryable: false })
    })))
})
