import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, ImpliedVolatilities, OptionsVenue, OrderBooks } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import {
  binanceFutures,
  binanceLiquidations,
  binanceSpot,
  deribit,
  deribitHistory,
  makeWireServer
} from "@tapeline/wire"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import { probeSources, trackedCoins } from "../../src/index.ts"
import { allAt } from "../support/sourceUrls.ts"

const now = Date.parse("2026-11-20T12:30:04.000Z")
const ports = SimMarket.portsOf(makeWorld("probe"))
const [prices, derivatives] = [Context.get(ports, CoinPrices), Context.get(ports, CoinDerivatives)]
const [options, volatilities] = [Context.get(ports, OptionsVenue), Context.get(ports, ImpliedVolatilities)]

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
          coins: trackedCoins.filter(({ coin }) => coin === "BTC")
        }),
        (all) => all.filter(({ source }) => source === "binance" || source === "deribit")
      )
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
