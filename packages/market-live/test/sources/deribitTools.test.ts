// Tests that options tools return the same results over Deribit as over the simulated market.
import { assert, it } from "@effect/vitest"
import {
  getIvMetrics,
  getOptionChain,
  getOptionFlow,
  getOptionsPositioning,
  getOptionStrategy,
  getVolSurface
} from "@tapeline/core"
import { CoinDerivatives, ImpliedVolatilities, OptionsVenue } from "@tapeline/core/market"
import { callHandler } from "@tapeline/testing/toolCalls"
import { AutoAdvancingClock, makeDeribit, makeDeribitHistory, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { layerDeribit, layerDeribitHistory, layerDeribitOptions, SourceHealth } from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const market = sharedPorts
const options = Context.get(market, OptionsVenue)

const asked = [
  [getOptionChain, { strikes_around: 10 }],
  [getVolSurface, {}],
  [getOptionsPositioning, {}],
  [getOptionFlow, { hours: 30, min_premium_usd: 100_000, top: 5 }],
  [getIvMetrics, {}],
  [getOptionStrategy, { view: "neutral" }]
] as const

const picked = toolsOf(asked.map(([tool]) => tool))

const wire = Layer.unwrap(Effect.gen(function*() {
  const venue = yield* makeFakeServer(makeDeribit({
    options,
    volatilities: Context.get(market, ImpliedVolatilities),
    derivatives: Context.get(market, CoinDerivatives)
  }))
  const archive = yield* makeFakeServer(makeDeribitHistory(options))
  return Layer.provide(layerDeribitOptions, [
    layerDeribit({ baseUrl: venue.url }),
    layerDeribitHistory({ baseUrl: archive.url })
  ])
}))

const here = Layer.succeedContext(market)
const live = Layer.provideMerge(wire, Layer.merge(here, SourceHealth.layer))

const answers = Effect.fnUntraced(function*(coin: string) {
  const told: Record<string, unknown> = {}
  for (const [tool, args] of asked) told[tool.name] = yield* callHandler(tool, { coin, ...args })
  return told
})

/** Fields whose values differ between venues: sources and instrument names. */
const own = new Set(["source", "sources", "instrument"])

/** Asserts that texts are equal and that numbers are nearly equal, because the venue sends fewer digits. */
const areNear = (told: unknown, right: unknown, place: string): void => {
  if (typeof right === "number" && typeof told === "number") {
    // A difference in the last digit can move a percentile by one day of the year.
    const within = place.endsWith("percentile") ? 0.6 : 0.005 * Math.abs(right) + 0.02
    assert.closeTo(told, right, within, place)
  } else if (typeof right === "object" && right !== null && typeof told === "object" && told !== null) {
    assert.deepStrictEqual(Object.keys(told), Object.keys(right), place)
    for (const [key, one] of Object.entries(right)) {
      if (!own.has(key)) areNear(Reflect.get(told, key), one, `${place}.${key}`)
    }
  } else assert.strictEqual(told, right, place)
}

it.live(
  "returns the same from every options tool over Deribit as over the simulated market",
  () =>
    Effect.gen(function*() {
      // ETH options are priced in the coin, and SOL options in dollars.
      for (const coin of ["ETH", "SOL"]) {
        const right = yield* Effect.provide(answers(coin), Layer.provide(picked, here))
        const told = yield* Effect.provide(answers(coin), Layer.provide(picked, live))
        areNear(told, right, coin)
      }
    }).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000]))),
  60_000
)
