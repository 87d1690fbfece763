import { assert, it } from "@effect/vitest"
import { Compute } from "@tapeline/core/engine"
import { dayMs, hourMs, minuteMs, type OptionChain, OptionsVenue, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  atTheMoneyOf,
  Deribit,
  deribitVolatilityCollectors,
  layerCollectors,
  MarketHealth,
  SourceHealth,
  volatilitySubject
} from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const start = Date.parse("2026-11-20T12:00:00Z")
const market = sharedPorts
const options = Context.get(market, OptionsVenue)
const kind = pointsKinds.impliedVolatilities

class Venue {
  isUnavailable = false
  readonly chains: Array<OptionChain> = []

  #answer<A>(value: Effect.Effect<A>) {
    return Effect.gen({ self: this }, function*() {
      const receivedAt = yield* Clock.currentTimeMillis
      if (this.isUnavailable) {
        return yield* new SourceUnavailable({
          source: "deribit",
          failure: "unreachable",
          reason: "as told",
          retryable: true
        })
      }
      return { value: yield* value, receivedAt, date: receivedAt }
    })
  }

  readonly service: Deribit["Service"] = {
    chain: ({ coin }) =>
      this.#answer(Effect.map(Effect.orDie(options.chain({ coin })), ({ value }) => {
        this.chains.push(value)
        return value
      })),
    futures: () => this.#answer(Effect.succeed([])),
    trades: () => this.#answer(Effect.succeed([])),
    volatilityIndex: ({ from, to }) =>
      this.#answer(
        Effect.map(Clock.currentTimeMillis, (now) =>
          Array.from({ length: Math.ceil((Math.min(to, now - 2 * minuteMs) - from) / hourMs) }, (_, i) => ({
            time: from + i * hourMs,
            ivPct: 50 + i % 7
          })))
      )
  }
}

const index = volatilitySubject("ETH", "index", 30)
const atm = (coin: string, days: number) => volatilitySubject(coin, "atm_interpolated", days)

it.effect("backfills the volatility index, and derives our own series from each hour's chain", () =>
  Effect.gen(function*() {
    const venue = new Venue()
    yield* TestClock.setTime(start - 30 * minuteMs)
    const collectors = yield* Effect.provideService(deribitVolatilityCollectors, Deribit, venue.service)
    yield* Layer.build(
      Layer.provide(layerCollectors(collectors), Layer.provide(MarketHealth.layer, SourceHealth.layer))
    )
    yield* TestClock.adjust(45 * minuteMs)
    venue.isUnavailable = true
    yield* TestClock.adjust(hourMs)
    venue.isUnavailable = false
    yield* TestClock.adjust(2 * hourMs)

    const store = yield* MarketStore
    const day = { from: start - hourMs, to: start + 4 * hourMs }
    const compute = yield* Compute
    const coinPoints = [["BTC", 7], ["SOL", 30]] as const
    const subjects = coinPoints.map(([coin, days]) => atm(coin, days))
    const pointsBySubject = yield* store.points({ kind, subjects, ...day })
    for (const [coin, days] of coinPoints) {
      const chains = venue.chains.filter(({ underlying }) => underlying === coin)
      const expected = yield* Effect.forEach([0, 2, 3], (hour) => {
        const time = start + hour * hourMs
        const chain = chains.find((one) => one.time >= time)!
        assert.isBelow(chain.time - time, minuteMs)
        return Effect.map(atTheMoneyOf(compute, chain, [days]), ([nextOwn]) => [time, nextOwn!.ivPct])
      })
      assert.deepStrictEqual(
        pointsBySubject.get(atm(coin, days))!.points.map(({ ivPct, time }) => [time, ivPct]),
        expected
      )
    }
    // A missed hour of at-the-money volatility is lost, but a missed hour of the index can still be fetched.
    const gaps = yield* store.gaps({ kind, subjects: [...subjects, index], from: start, to: start + 4 * hourMs })
    for (const subject of subjects) {
      assert.deepStrictEqual(gaps.get(subject), {
        missing: [],
        lost: [{ from: start + hourMs, to: start + 2 * hourMs }]
      })
    }
    const missedHours = { from: start + 3 * hourMs, to: start + 4 * hourMs }
    assert.deepStrictEqual(gaps.get(index), { missing: [missedHours], lost: [] })
    const longInterval = { from: start - 700 * dayMs, to: start + 4 * hourMs }
    const { points } = (yield* store.points({ kind, subjects: [index], ...longInterval })).get(index)!
    assert.lengthOf(points, 700 * 24 + 3)
  }).pipe(Effect.provide(MemoryMarketStore)))
