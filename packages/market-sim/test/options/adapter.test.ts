import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "@effect/vitest"
import { dayMs } from "@tapeline/core/market/timeframe"
import { impliedVolatilityPart, optionsVenue } from "../../src/options/adapter.ts"
import { makeWorld } from "../../src/world.ts"

const now = Date.parse("2026-09-16T09:41:17Z")
const world = makeWorld(3)
const venue = optionsVenue(world, "simulated")
const store = impliedVolatilityPart(world)

describe("OptionsVenue", () => {
  it.effect("answers at the clock's present and never beyond it", Effect.fnUntraced(function*() {
    yield* TestClock.setTime(now)
    expect(yield* venue.underlyings).toEqual(["BTC", "ETH", "SOL"])
    const chain = yield* venue.chain({ coin: "BTC" })
    expect(chain.time).toBe(now)
    const expiryAt = chain.expiries[2]!.expiryAt
    expect((yield* venue.chain({ coin: "BTC", expiryAt })).expiries).toEqual([chain.expiries[2]])
    const trades = yield* venue.trades({ coin: "BTC", from: now - dayMs, to: now + dayMs, limit: 30 })
    expect(trades).toHaveLength(30)
    expect(trades.at(-1)!.time).toBeLessThanOrEqual(now)
    const history = yield* store.ivHistory({ coin: "BTC", days: 30 })
    expect(history).toHaveLength(30)
    expect(history.at(-1)!.time).toBeGreaterThan(now - 3_600_000)
  }))

  it.effect("says what it does not have", Effect.fnUntraced(function*() {
    yield* TestClock.setTime(now)
    expect((yield* Effect.flip(venue.chain({ coin: "NOPE" })))._tag).toBe("UnknownSymbol")
    expect((yield* Effect.flip(venue.chain({ coin: "DOGE" })))._tag).toBe("NoData")
    expect((yield* Effect.flip(venue.chain({ coin: "BTC", expiryAt: now + 1 })))._tag).toBe("NoData")
  }))
})
