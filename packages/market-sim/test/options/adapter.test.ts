import { assert, it } from "@effect/vitest"
import { dayMs, hourMs, valueOf } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { impliedVolatilities, optionsVenue } from "../../src/ports/options.ts"
import { makeWorld } from "../../src/world.ts"

const now = Date.parse("2026-09-16T09:41:17Z")
const world = makeWorld(3)
const venue = optionsVenue(world)
const volatilities = impliedVolatilities(world)

it.effect("answers at the clock's present and never beyond it", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    assert.deepStrictEqual(yield* valueOf(venue.underlyings), ["BTC", "ETH", "SOL"])
    const chain = yield* valueOf(venue.chain({ coin: "BTC" }))
    assert.strictEqual(chain.time, now)
    const expiryAt = chain.expiries[2]!.expiryAt
    assert.deepStrictEqual((yield* valueOf(venue.chain({ coin: "BTC", expiryAt }))).expiries, [chain.expiries[2]!])
    const trades = yield* valueOf(venue.trades({ coin: "BTC", from: now - dayMs, to: now + dayMs, limit: 30 }))
    assert.lengthOf(trades, 30)
    assert.isAtMost(trades.at(-1)!.time, now)
    for (const maturityDays of [3, 7, 30, 90]) {
      const { method, points } = yield* valueOf(volatilities.history({ coin: "BTC", days: 30, maturityDays }))
      assert.strictEqual(method, "atm_interpolated")
      assert.lengthOf(points, 30)
      assert.isAbove(points.at(-1)!.time, now - hourMs)
    }
  }), 60_000)

it.effect("says what it does not have", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    assert.strictEqual((yield* Effect.flip(venue.chain({ coin: "NOPE" })))._tag, "UnknownSymbol")
    assert.strictEqual((yield* Effect.flip(venue.chain({ coin: "DOGE" })))._tag, "NoData")
    assert.strictEqual((yield* Effect.flip(venue.chain({ coin: "BTC", expiryAt: now + 1 })))._tag, "NoData")
  }), 60_000)
