// Tests that unreadable pairs and pools are skipped, and that sums over all pairs or pools become null.
import { assert, it } from "@effect/vitest"
import { CoinPrices, TokenMarkets } from "@tapeline/core/market"
import { getToken } from "@tapeline/core/specifications"
import { callHandler } from "@tapeline/testing/toolCalls"
import { AutoAdvancingClock, makeDexScreener, makeFakeServer, makeGeckoTerminal } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import {
  DexScreener,
  GeckoTerminal,
  GeckoTrades,
  layerDexScreener,
  layerGeckoTerminal,
  layerGeckoTrades,
  layerTokenMarkets,
  SourceHealth
} from "../../src/index.ts"
import { dexWorld } from "../support/dexCoins.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const { all, coinTokens, ports, prices } = dexWorld(["PEPE"], now)

/** Replaces the pairs by `count` pairs, one of which has an invalid chain. */
const withOdd = (count: number) => (text: string): string => {
  const parsedPairs: unknown = JSON.parse(text)
  const pairs: unknown = Array.isArray(parsedPairs) ? parsedPairs : Reflect.get(Object(parsedPairs), "pairs")
  if (!Array.isArray(pairs)) return text
  const manyPairs = Array.from({ length: count }, (_, i): object => ({ ...Object(pairs[0]), pairAddress: `0x${i}` }))
  const pairsWithMalformed = manyPairs.map((one, i) => i === count >> 1 ? { ...one, chainId: 5 } : one)
  return JSON.stringify(Array.isArray(parsedPairs) ? pairsWithMalformed : { pairs: pairsWithMalformed })
}

it.live("returns the other pairs if one is unreadable, but no totals over all of them", () =>
  Effect.gen(function*() {
    const gecko = yield* makeFakeServer(makeGeckoTerminal(ports))
    const screener = yield* makeFakeServer(makeDexScreener(ports))
    gecko.fail({ _tag: "answer", status: 451, body: "not here" })
    screener.fail({ _tag: "rewritten", rewrite: withOdd(12) })
    const layer = layerTokenMarkets({ tokens: coinTokens, stablecoinFlows: ports.tokens.stablecoinFlows }).pipe(
      Layer.provide([
        layerGeckoTerminal({ baseUrl: gecko.url, limits: [] }),
        layerDexScreener({ baseUrl: screener.url }),
        Layer.succeed(CoinPrices, prices)
      ]),
      Layer.provide(SourceHealth.layer)
    )
    const tokens = Context.get(yield* Layer.build(layer), TokenMarkets)
    const { value } = yield* tokens.token({ coin: "PEPE" })
    assert.deepInclude(value, { coin: "PEPE", liquidityUsd: null, unreadPools: 1 })
    assert.isAbove(value.priceUsd, 0)
    assert.include(value.unchecked, "low_liquidity")
    assert.lengthOf((yield* tokens.pools({ coin: "PEPE", limit: 100 })).value, 11)
    const { value: found } = yield* tokens.search({ text: "pepe", limit: 20 })
    assert.deepStrictEqual(found.map(({ coin, liquidityUsd }) => [coin, liquidityUsd]), [["PEPE", null]])
    const toolbox = yield* Layer.build(Layer.provide(
      toolsOf([getToken]),
      Layer.succeedContext(Context.add(all, TokenMarkets, tokens))
    ))
    const { liquidity_usd, notes } = yield* Effect.provideContext(callHandler(getToken, { coin: "PEPE" }), toolbox)
    assert.isNull(liquidity_usd)
    assert.include(notes, "liquidity_usd is null: 1 pool of the source could not be read.")
  }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000]))))

it.live("skips an unreadable pair of a short list, but fails a search or a list of no other pair", () =>
  Effect.gen(function*() {
    const screener = yield* makeFakeServer(makeDexScreener(ports))
    const layer = Layer.provide(layerDexScreener({ baseUrl: screener.url }), SourceHealth.layer)
    const tokenQuery = { chain: "ethereum", address: coinTokens.find(({ coin }) => coin === "PEPE")!.address }
    for (const [count, expectedCount] of [[2, 1], [9, 8], [1, "malformed"]] as const) {
      screener.fail({ _tag: "rewritten", rewrite: withOdd(count) })
      const source = Context.get(yield* Layer.build(Layer.fresh(layer)), DexScreener)
      const pools = Effect.map(source.pools({ ...tokenQuery, limit: 100 }), ({ value }) => value?.length)
      assert.strictEqual(yield* Effect.catch(pools, ({ failure }) => Effect.succeed(failure)), expectedCount)
      assert.strictEqual((yield* Effect.flip(source.search("PEPE"))).failure, "malformed")
    }
  }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000]))))

const decodePage = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Struct({
  data: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)),
  included: Schema.Unknown
})))

it.live("skips an unreadable GeckoTerminal pool, and reads the pages after it", () =>
  Effect.gen(function*() {
    const gecko = yield* makeFakeServer(makeGeckoTerminal(ports))
    const layers = Layer.mergeAll(
      layerGeckoTerminal({ baseUrl: gecko.url, limits: [] }),
      layerGeckoTrades({ baseUrl: gecko.url, limits: [] })
    ).pipe(Layer.provide(SourceHealth.layer))
    const tokenQuery = {
      chain: "ethereum",
      address: coinTokens.find(({ coin }) => coin === "PEPE")!.address,
      limit: 40
    }
    const context = yield* Layer.build(layers)
    const [malformedIndex, full] = [7, 20]
    const requestedUrls: Array<string> = []
    gecko.fail({
      _tag: "rewritten",
      rewrite: (text) => {
        requestedUrls.push(text)
        const { data, included } = decodePage(requestedUrls[0]!)
        const page = Array.from({ length: full }, (_, i) => i === malformedIndex ? { ...data[0], id: 5 } : data[0])
        return JSON.stringify({ data: page, included })
      }
    })
    const { value: pools } = yield* Context.get(context, GeckoTerminal).pools(tokenQuery)
    assert.lengthOf(pools ?? [], 2 * (full - 1))
    // The collected sums require all of the largest pools, so an unreadable pool is an error.
    const { failure } = yield* Effect.flip(Context.get(context, GeckoTrades).pools(tokenQuery))
    assert.strictEqual(failure, "malformed")
  }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000]))))
