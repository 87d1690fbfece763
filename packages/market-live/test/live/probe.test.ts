import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  EquityMarkets,
  ImpliedVolatilities,
  MacroCalendar,
  OptionsVenue,
  OrderBooks
} from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import {
  beaSchedule,
  binanceFutures,
  binanceLiquidations,
  binanceSpot,
  blsSchedule,
  deribit,
  deribitHistory,
  ecos,
  fedCalendar,
  makeWireServer,
  openDart,
  treasuryAuctions,
  treasuryYields
} from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { probeSources, SourceHealth, trackedCoins } from "../../src/index.ts"
import { askedOfOffices } from "../../src/live/askedOfOffices.ts"
import { layerOffices } from "../../src/live/offices.ts"
import { allAt } from "../support/sourceUrls.ts"

const now = Date.parse("2026-11-20T12:30:04.000Z")
const ports = SimMarket.portsOf(makeWorld("probe"))
const [prices, derivatives] = [Context.get(ports, CoinPrices), Context.get(ports, CoinDerivatives)]
const [options, volatilities] = [Context.get(ports, OptionsVenue), Context.get(ports, ImpliedVolatilities)]

/** Whoever may ask so often in a second waits for the next one. */
const timePasses = Effect.forever(
  Effect.andThen(
    Effect.forEach(Array.from({ length: 10 }), () => Effect.promise(() => setImmediate()), { discard: true }),
    TestClock.adjust(50)
  )
)

it.effect(
  "asks for all that is asked of each source, and says whose answers are not what they were",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const spot = yield* makeWireServer(binanceSpot(prices, Context.get(ports, OrderBooks)))
      const futures = yield* makeWireServer(binanceFutures({ derivatives, prices }), binanceLiquidations(derivatives))
      const venue = yield* makeWireServer(deribit({ options, volatilities, derivatives }))
      const archive = yield* makeWireServer(deribitHistory(options))
      const probed = Effect.map(
        probeSources({
          urls: {
            ...allAt("http://127.0.0.1:9"),
            binanceSpot: spot.url,
            binanceFutures: futures.url,
            binanceStreams: futures.url.replace("http", "ws"),
            deribit: venue.url,
            deribitHistory: archive.url
          },
          coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
          newsFeeds: [],
          patience: { tries: 1 }
        }),
        (all) => all.filter(({ source }) => source === "binance" || source === "deribit")
      ).pipe(Effect.raceFirst(timePasses))
      const sound = yield* probed
      assert.deepStrictEqual(sound.filter(({ outcome }) => outcome !== "answered"), [])
      assert.deepStrictEqual(sound.filter(({ told }) => told === 0).map(({ what }) => what), [])
      const asked = (server: typeof spot) => new Set(server.requests.map(({ path }) => path.split("?")[0]))
      // Every interface that an adapter has is asked.
      assert.deepStrictEqual([spot, futures, venue, archive].map((server) => asked(server).size), [4, 9, 3, 1])

      spot.fail({ _tag: "rewritten", rewrite: (text) => text.replaceAll(/"(\d+\.\d+)"/gu, "$1") })
      venue.fail({ _tag: "answer", status: 451, body: "not here" })
      const drifted = yield* probed
      const outcomes = (name: string) =>
        new Set(drifted.filter(({ source }) => source === name).map(({ outcome }) => outcome))
      assert.isTrue(outcomes("binance").has("malformed"))
      assert.isTrue(outcomes("binance").has("answered"))
      assert.isTrue(outcomes("deribit").has("blocked"))
      for (const { outcome, reason } of drifted) if (outcome === "malformed") assert.match(reason ?? "", /\S/)
    }).pipe(Effect.scoped),
  60_000
)

it.effect(
  "asks offices as well, and says of which of them somebody has to be told first",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const calendar = Context.get(ports, MacroCalendar)
      const key = "a-key-of-nobody"
      const urls = {
        usTreasury: (yield* makeWireServer(treasuryYields(calendar))).url,
        fiscalData: (yield* makeWireServer(treasuryAuctions(calendar))).url,
        federalReserve: (yield* makeWireServer(fedCalendar(calendar))).url,
        bls: (yield* makeWireServer(blsSchedule(calendar))).url,
        bea: (yield* makeWireServer(beaSchedule(calendar))).url,
        ecos: (yield* makeWireServer(ecos(calendar, key))).url,
        openDart: (yield* makeWireServer(openDart(Context.get(ports, EquityMarkets), key))).url
      }
      const offices = layerOffices({ keys: { ecos: key, openDart: key }, patience: { tries: 1 }, urls })
      const asked = Effect.gen(function*() {
        const probes = yield* askedOfOffices
        return yield* Effect.forEach(probes, ({ ask, source }) =>
          Effect.match(ask, {
            onSuccess: (told) => ({ source, outcome: "answered", told }),
            onFailure: ({ failure }) => ({ source, outcome: failure, told: null })
          }))
      })
      const all = yield* Effect.provide(asked, Layer.provide(offices, SourceHealth.layer))
      const outcomes = (of: ReadonlyArray<string>) =>
        all.filter(({ source }) => of.includes(source)).map(({ outcome, told }) => [outcome, (told ?? 0) > 0])
      const named = ["us_treasury", "federal_reserve", "bls", "bea", "ecos", "opendart"]
      assert.deepStrictEqual(outcomes(named), Array.from({ length: 9 }, () => ["answered", true]))
      assert.deepStrictEqual(outcomes(["edgar"]), Array.from({ length: 4 }, () => ["not_configured", false]))
    }).pipe(Effect.scoped),
  60_000
)
