import { assert, it } from "@effect/vitest"
import { dayMs, hourMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { impliedVolatilityPart, optionsVenue } from "../../src/ports/options.ts"
import { makeWorld } from "../../src/world.ts"

const now = Date.parse("2026-09-16T09:41:17Z")
const world = makeWorld(3)
const venue = optionsVenue(world, "simulated")
const store = impliedVolatilityPart(world)

it.effect("answers at the clock's present and never beyond it", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    assert.deepStrictEqual(yield* venue.underlyings, ["BTC", "ETH", "SOL"])
    const chain = yield* venue.chain({ coin: "BTC" })
    assert.strictEqual(chain.time, now)
    const expiryAt = chain.expiries[2]!.expiryAt
    assert.deepStrictEqual((yield* venue.chain({ coin: "BTC", expiryAt })).expiries, [chain.expiries[2]!])
    const trades = yield* venue.trades({ coin: "BTC", from: now - dayMs, to: now + dayMs, limit: 30 })
    assert.lengthOf(trades, 30)
    assert.isAtMost(trades.at(-1)!.time, now)
    const history = yield* store.ivHistory({ coin: "BTC", days: 30 })
    assert.lengthOf(history, 30)
    assert.isAbove(history.at(-1)!.time, now - hourMs)
  }), 60_000)

it.effect("says what it does not have", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    assert.strictEqual((yield* Effect.flip(venue.chain({ coin: "NOPE" })))._tag, "UnknownSymbol")
    assert.strictEqual((yield* Effect.flip(venue.chain({ coin: "DOGE" })))._tag, "NoData")
    assert.strictEqual((yield* Effect.flip(venue.chain({ coin: "BTC", expiryAt: now + 1 })))._tag, "NoData")
  }), 60_000)
