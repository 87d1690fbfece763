import { assert, it } from "@effect/vitest"
import { SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { perpetualCollectors, type PerpetualVenue } from "../../src/collect/perpetuals/index.ts"

it.effect("contracts that could not be listed are asked for again with the next question, and not a minute later", () =>
  Effect.gen(function*() {
    let fails = true
    const nothing = () => Effect.succeed(null)
    const venue: PerpetualVenue = {
      name: "model",
      listed: Effect.suspend(() =>
        fails
          ? Effect.fail(
            new SourceUnavailable({ source: "model", failure: "unreachable", reason: "as told", retryable: true })
          )
          : Effect.succeed(new Map([["BTC", 0]]))
      ),
      present: nothing,
      past: nothing,
      payments: nothing,
      flow: nothing
    }
    const [records] = perpetualCollectors([venue], { derivativeDays: 1 })
    if (records?._tag !== "series") return assert.fail("there are no records")
    assert.strictEqual((yield* Effect.flip(records.subjects)).source, "model")
    fails = false
    assert.deepStrictEqual(yield* records.subjects, [{ subject: "BTC", from: 0 }])
  }))
