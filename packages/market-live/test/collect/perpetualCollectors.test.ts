import { assert, it } from "@effect/vitest"
import { type SourceFailure } from "@tapeline/core/engine"
import { minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { perpetualCollectors, type PerpetualVenue } from "../../src/index.ts"
import { unknownRecord } from "../../src/perpetuals/PerpetualVenue.ts"

it.effect("requests the list of contracts again with the next request after a failure", () =>
  Effect.gen(function*() {
    let fails = true
    const readNull = () => Effect.succeed(null)
    const venue: PerpetualVenue = {
      name: "model",
      listings: Effect.suspend(() =>
        fails
          ? Effect.fail(
            new SourceUnavailable({ source: "model", failure: "unreachable", reason: "as told", retryable: true })
          )
          : Effect.succeed(new Map([["BTC", 0]]))
      ),
      snapshot: readNull,
      history: readNull,
      fundingPayments: readNull,
      takerFlow: readNull
    }
    const [records] = perpetualCollectors([venue], { derivativeDays: 1 })
    if (records?._tag !== "series") return assert.fail("there are no records")
    assert.strictEqual((yield* Effect.flip(records.subjects)).source, "model")
    fails = false
    assert.deepStrictEqual(yield* records.subjects, [{ subject: "BTC", from: 0 }])
  }))

const failing = (failure: SourceFailure): PerpetualVenue => {
  const fault = Effect.fail(new SourceUnavailable({ source: "first", failure, reason: "as told", retryable: true }))
  const fails = () => fault
  return { name: "first", listings: fault, snapshot: fails, history: fails, fundingPayments: fails, takerFlow: fails }
}

const serving: PerpetualVenue = {
  name: "second",
  listings: Effect.succeed(new Map([["BTC", 0]])),
  snapshot: (_, at) => Effect.succeed(new Map([["BTC", { ...unknownRecord, time: at, markPrice: 1 }]])),
  history: (_, { to }) => Effect.succeed({ rows: [], until: to }),
  fundingPayments: (_, { to }) => Effect.succeed({ rows: [], until: to }),
  takerFlow: (_, { to }) => Effect.succeed({ rows: [], until: to })
}

for (const [failure, minutes] of [["blocked", 0], ["unreachable", 10]] as const) {
  it.effect(`takes the next venue ${minutes} minutes after a cold start if the first one is ${failure}`, () =>
    Effect.gen(function*() {
      const [records, payments, flow] = perpetualCollectors([failing(failure), serving], { derivativeDays: 1 })
      if (records?._tag !== "series" || payments?._tag !== "series" || flow?._tag !== "series") {
        return assert.fail("the collectors must be series")
      }
      for (let minute = 0; minute < minutes; minute++) {
        assert.strictEqual((yield* Effect.flip(records.subjects)).source, "first")
        yield* TestClock.adjust(minuteMs)
      }
      assert.deepStrictEqual(yield* records.subjects, [{ subject: "BTC", from: 0 }])
      const now = yield* Clock.currentTimeMillis
      const snapshotRows = yield* records.snapshot!.fetch(["BTC"], now)
      assert.deepStrictEqual(snapshotRows.map(({ source, subject }) => [source, subject]), [["second", "BTC"]])
      for (const { backfill } of [records, payments, flow]) {
        assert.strictEqual((yield* backfill!.fetch("BTC", { from: now - minuteMs, to: now })).source, "second")
      }
    }))
}
