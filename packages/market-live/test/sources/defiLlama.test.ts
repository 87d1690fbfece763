import { assert, it } from "@effect/vitest"
import { dayMs, TokenMarkets } from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeDefiLlama, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { DefiLlama, layerDefiLlama, SourceHealth } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T12:33:21.000Z")
const tokens = Context.get(sharedPorts, TokenMarkets)

faultSuite<DefiLlama>({
  source: "defillama",
  handleRequest: makeDefiLlama({
    ...tokens,
    // With an empty history of supplies, the adapter requests only the list.
    stablecoinFlows: () => Effect.map(tokens.stablecoinFlows(1), (read) => ({ ...read, value: [] }))
  }),
  now,
  layer: (baseUrl, retryPolicy) => layerDefiLlama({ baseUrl, retryPolicy }),
  requests: [{
    name: "stablecoins",
    send: Effect.flatMap(
      DefiLlama,
      ({ stablecoinFlows }) => Effect.map(stablecoinFlows(7), ({ value }) => ({ value, receivedAt: now, date: now }))
    ).pipe(
      Effect.catchTags({ NoData: Effect.die, UnknownSymbol: Effect.die })
    ),
    optionalLeaves: ["peggedAssets.circulating"]
  }],
  errorsInBody: { "an error": [{ message: "no such thing" }, "malformed"] }
})

const overWire = <A, E>(use: (llama: DefiLlama["Service"], server: FakeServer) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeDefiLlama(tokens))
    const layer = Layer.provide(layerDefiLlama({ baseUrl: server.url }), SourceHealth.layer)
    const llama = Context.get(yield* Layer.build(layer), DefiLlama)
    return yield* use(llama, server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

const supplyAt = (coin: string, time: number) =>
  Effect.map(
    Effect.provideService(tokens.stablecoinFlows(1), Clock.Clock, new AutoAdvancingClock(time, [])),
    ({ value }) => value.find((one) => one.coin === coin)!.supplyUsd
  )

it.live("returns supplies and their changes as the simulated market has them, largest first", () =>
  overWire((llama) =>
    Effect.gen(function*() {
      for (const days of [1, 7, 90]) {
        const flows = yield* llama.stablecoinFlows(days)
        const { value } = yield* tokens.stablecoinFlows(days)
        assert.deepStrictEqual(flows.value.map(({ coin }) => coin), value.map(({ coin }) => coin))
        // The requested past time is between two midnights, so the supply at that time is interpolated.
        const startTime = now - days * dayMs
        const midnight = Math.floor(startTime / dayMs) * dayMs
        for (const [i, { changeUsd, coin, exchangeNetUsd, supplyUsd }] of flows.value.entries()) {
          assert.strictEqual(supplyUsd, value[i]!.supplyUsd)
          const [before, after] = [yield* supplyAt(coin, midnight), yield* supplyAt(coin, midnight + dayMs)]
          const between = before + (after - before) * (startTime - midnight) / dayMs
          assert.closeTo(changeUsd, supplyUsd - between, 1e-9 * supplyUsd, `${coin} ${days}`)
          assert.isNull(exchangeNetUsd)
        }
        assert.deepStrictEqual([flows.sources, flows.asOf], [["defillama"], now])
      }
    })
  ))

it.live("returns the largest stablecoins even if the row of another one is malformed", () =>
  overWire((llama, server) =>
    Effect.gen(function*() {
      const { value: right } = yield* llama.stablecoinFlows(7)
      const malformedCoin = `{"id":"97","symbol":"ODD","pegType":"peggedUSD","circulating":{"peggedUSD":-5}},`
      server.fail({
        _tag: "rewritten",
        rewrite: (text) => text.replace(`"peggedAssets":[`, `"peggedAssets":[${malformedCoin}`)
      })
      const layer = Layer.provide(layerDefiLlama({ baseUrl: server.url }), SourceHealth.layer)
      const { value } = yield* Context.get(yield* Layer.build(layer), DefiLlama).stablecoinFlows(7)
      assert.deepStrictEqual(value, right)
    }).pipe(Effect.scoped)
  ))

it.live("rejects an invalid past supply", () =>
  Effect.gen(function*() {
    for (const invalidAmount of [`"1"`, "-1", "null", "{}", "1e999"]) {
      const error = yield* overWire((llama, server) => {
        // The replacement changes only the histories, because the list uses other field names.
        const rewrite = (text: string) =>
          text.replaceAll(/"totalCirculating":\{[^}]+\}/gu, `"totalCirculating":{"peggedUSD":${invalidAmount}}`)
        server.fail({ _tag: "rewritten", rewrite })
        return Effect.flip(llama.stablecoinFlows(7))
      })
      assert.deepInclude(error, { _tag: "SourceUnavailable", failure: "malformed" }, invalidAmount)
    }
  }))
