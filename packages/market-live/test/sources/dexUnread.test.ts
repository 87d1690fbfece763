// A pair that cannot be read among those that DexScreener tells: the others are told, and no sum over all of them is.
import { assert, it } from "@effect/vitest"
import { CoinPrices, TokenMarkets } from "@tapeline/core/market"
import { getToken } from "@tapeline/core/specifications"
import { dexScreener, geckoTerminal, HurriedClock, makeWireServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { layerDexScreener, layerGeckoTerminal, layerTokenMarkets, SourceHealth } from "../../src/index.ts"
import { callTool, toolsOf } from "../support/callTool.ts"
import { dexWorld } from "../support/dexCoins.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const { all, coinTokens, ports, prices } = dexWorld("dex", ["PEPE"], now)

/** Twelve pairs in place of those that are told, of which one says no chain. */
const withOdd = (text: string): string => {
  const told: unknown = JSON.parse(text)
  const pairs: unknown = Array.isArray(told) ? told : Reflect.get(Object(told), "pairs")
  if (!Array.isArray(pairs)) return text
  const many = Array.from({ length: 12 }, (_, i): object => ({ ...Object(pairs[0]), pairAddress: `0x${i}` }))
  const odd = many.map((one, i) => i === 5 ? { ...one, chainId: 5 } : one)
  return JSON.stringify(Array.isArray(told) ? odd : { pairs: odd })
}

it.live("of pairs of which one cannot be read the others are told, and nothing that all of them make", () =>
  Effect.gen(function*() {
    const gecko = yield* makeWireServer(geckoTerminal(ports))
    const screener = yield* makeWireServer(dexScreener(ports))
    gecko.fail({ _tag: "answer", status: 451, body: "not here" })
    screener.fail({ _tag: "rewritten", rewrite: withOdd })
    const layer = layerTokenMarkets({ tokens: coinTokens, stablecoinFlows: ports.tokens.stablecoinFlows }).pipe(
      Layer.provide([
        layerGeckoTerminal({ baseUrl: gecko.url, limits: [] }),
        layerDexScreener({ baseUrl: screener.url }),
        Layer.succeed(CoinPrices, prices)
      ]),
      Layer.provide(SourceHealth.layer)
    )
    const tokens = Context.get(yield* Layer.build(layer), TokenMarkets)
    const { value: told } = yield* tokens.token({ coin: "PEPE" })
    assert.deepInclude(told, { coin: "PEPE", liquidityUsd: null, unreadPools: 1 })
    assert.isAbove(told.priceUsd, 0)
    assert.include(told.unchecked, "low_liquidity")
    assert.lengthOf((yield* tokens.pools({ coin: "PEPE", limit: 100 })).value, 11)
    const { value: found } = yield* tokens.search({ text: "pepe", limit: 20 })
    assert.deepStrictEqual(found.map(({ coin, liquidityUsd }) => [coin, liquidityUsd]), [["PEPE", null]])
    const toolbox = yield* Layer.build(Layer.provide(
      toolsOf([getToken]),
      Layer.succeedContext(Context.add(all, TokenMarkets, tokens))
    ))
    const { liquidity_usd, notes } = yield* Effect.provideContext(callTool(getToken, { coin: "PEPE" }), toolbox)
    assert.isNull(liquidity_usd)
    assert.include(notes, "liquidity_usd is null: 1 pool that the source tells of could not be read.")
  }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new HurriedClock(now, [10_000, 25_000]))))
