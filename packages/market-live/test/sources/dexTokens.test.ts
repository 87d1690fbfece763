// Tests that tokens and pools of GeckoTerminal and DexScreener equal those of the simulated market.
import { assert, it } from "@effect/vitest"
import { formatMessage, getWhaleTransfers } from "@tapeline/core"
import { CoinPrices, type MarketError, TokenMarkets } from "@tapeline/core/market"
import { tokenMarketsContract } from "@tapeline/testing/contracts/tokenMarkets"
import { callHandler } from "@tapeline/testing/toolCalls"
import { AutoAdvancingClock, type FakeServer, makeDexScreener, makeFakeServer, makeGeckoTerminal } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  type CoinToken,
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
import { faultSuite } from "../support/faultSuite.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const { all, coinTokens, ports, prices } = dexWorld(["BTC", "ETH", "UNI", "PEPE"], now)
const pepe = coinTokens.find(({ coin }) => coin === "PEPE")!
const tokenQuery = { chain: pepe.chain, address: pepe.address }

/** Fields that the creator of a token can fill with any text. */
const names = ["attributes.name", "attributes.symbol"]
const ofTokens = ["included.", "data."].flatMap((root) => names.map((name) => `${root}${name}`))
const ids = ["included.attributes.coingecko_coin_id", "data.attributes.coingecko_coin_id"]
const unpriced = ["reserve_in_usd", "volume_usd.h24", "price_usd", "fdv_usd", "total_reserve_in_usd"]
  .map((name) => `data.attributes.${name}`)

const gecko = <A, E>(f: (source: GeckoTerminal["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(GeckoTerminal, f)

faultSuite<GeckoTerminal>({
  source: "geckoterminal",
  handleRequest: makeGeckoTerminal(ports),
  now,
  layer: (baseUrl, retryPolicy) => layerGeckoTerminal({ baseUrl, retryPolicy }),
  requests: [
    {
      name: "facts",
      send: gecko((source) => source.facts!(tokenQuery)),
      optionalLeaves: ["holders.count", "mint_authority", "freeze_authority"].map((name) => `data.attributes.${name}`)
    },
    {
      name: "a token",
      send: gecko((source) => source.token(tokenQuery)),
      optionalLeaves: [
        ...ofTokens,
        ...ids,
        ...unpriced,
        "data.attributes.normalized_total_supply",
        "included.attributes.pool_created_at"
      ]
    },
    {
      name: "pools",
      send: gecko((source) => source.pools({ ...tokenQuery, limit: 99 })),
      optionalLeaves: [...ofTokens, ...unpriced],
      skipsMalformed: true
    },
    {
      name: "search",
      send: gecko((source) => source.search("Pepe")),
      optionalLeaves: [...ofTokens, ...ids, ...unpriced]
    }
  ],
  errorsInBody: {
    "too many requests": [
      { status: { error_code: 429, error_message: "You've exceeded the Rate Limit" } },
      "rate_limited"
    ],
    "a failure": [{ errors: [{ status: "503", title: "Unavailable" }] }, "unreachable"],
    "an invalid request": [{ errors: [{ status: "400", title: "Bad Request" }] }, "malformed"]
  }
})

const { pools: [largest] } = Effect.runSync(
  Effect.provideService(
    Effect.map(ports.tokens.pools({ coin: "PEPE", limit: 1 }), ({ value }) => ({ pools: value })),
    Clock.Clock,
    new AutoAdvancingClock(now, [])
  )
)

faultSuite<GeckoTrades>({
  source: "geckoterminal",
  handleRequest: makeGeckoTerminal(ports),
  now,
  layer: (baseUrl, retryPolicy) => layerGeckoTrades({ baseUrl, retryPolicy, limits: [] }),
  requests: [{
    name: "trades",
    send: Effect.flatMap(GeckoTrades, (source) => source.trades({ ...tokenQuery, pool: largest!.address })),
    byClock: "time"
  }],
  errorsInBody: {
    "too many requests": [
      { status: { error_code: 429, error_message: "You've exceeded the Rate Limit" } },
      "rate_limited"
    ]
  }
})

const screener = <A, E>(f: (source: DexScreener["Service"]) => Effect.Effect<A, E>) => Effect.flatMap(DexScreener, f)
const pair = [
  "baseToken.name",
  "baseToken.symbol",
  "quoteToken.name",
  "quoteToken.symbol",
  "labels.0",
  "priceUsd",
  "volume.h24",
  "liquidity.usd",
  "fdv",
  "pairCreatedAt"
]

faultSuite<DexScreener>({
  source: "dexscreener",
  handleRequest: makeDexScreener(ports),
  now,
  layer: (baseUrl, retryPolicy) => layerDexScreener({ baseUrl, retryPolicy }),
  requests: [
    {
      name: "pairs",
      send: screener((source) => source.pools({ ...tokenQuery, limit: 99 })),
      optionalLeaves: pair,
      skipsMalformed: true
    },
    {
      name: "search",
      // The totals are not compared: if one pair is skipped, the liquidity of its tokens is null.
      send: Effect.map(screener((source) => source.search("Pepe")), (answer) => ({
        ...answer,
        value: answer.value.map(({ liquidityUsd: _, ...token }) => token)
          .toSorted((a, b) => a.address < b.address ? -1 : 1)
      })),
      optionalLeaves: pair.map((name) => `pairs.${name}`),
      // A changed pair has no effect, because other pairs contain the same tokens.
      isForeign: true
    }
  ],
  errorsInBody: { "an error object": [{ error: "something" }, "malformed"] }
})

/**
 * Provides `TokenMarkets` with GeckoTerminal and DexScreener. With `first: "fails"`, GeckoTerminal rejects every
 * request.
 */
const served = (first: "answers" | "fails", tokens: ReadonlyArray<CoinToken> = coinTokens) =>
  Layer.unwrap(Effect.gen(function*() {
    const one = yield* makeFakeServer(makeGeckoTerminal(ports))
    const other = yield* makeFakeServer(makeDexScreener(ports))
    if (first === "fails") one.fail({ _tag: "answer", status: 451, body: "not here" })
    return layerTokenMarkets({ tokens, stablecoinFlows: ports.tokens.stablecoinFlows }).pipe(
      Layer.provide([
        layerGeckoTerminal({ baseUrl: one.url, limits: [] }),
        layerDexScreener({ baseUrl: other.url }),
        Layer.succeed(CoinPrices, prices)
      ]),
      Layer.provide(SourceHealth.layer)
    )
  }))

for (const coin of ["PEPE", "ETH"]) {
  // No free source reports which wallets belong to exchanges, so the port provides no whale transfers.
  const options = { optionalMethods: ["whaleTransfers"] } as const
  tokenMarketsContract(`${coin} over GeckoTerminal`, served("answers"), { now, coin }, options)
  tokenMarketsContract(`${coin} over DexScreener`, served("fails"), { now, coin }, options)
}

interface Wire {
  readonly tokens: TokenMarkets["Service"]
  readonly gecko: FakeServer
  readonly screener: FakeServer
}

const overWire = <A>(use: (wire: Wire) => Effect.Effect<A, MarketError, Scope.Scope>) =>
  Effect.scoped(Effect.gen(function*() {
    const gecko = yield* makeFakeServer(makeGeckoTerminal(ports))
    const screener = yield* makeFakeServer(makeDexScreener(ports))
    const layer = layerTokenMarkets({ tokens: coinTokens, stablecoinFlows: ports.tokens.stablecoinFlows }).pipe(
      Layer.provide([
        layerGeckoTerminal({ baseUrl: gecko.url, limits: [] }),
        layerDexScreener({ baseUrl: screener.url }),
        Layer.succeed(CoinPrices, prices)
      ]),
      Layer.provide(SourceHealth.layer)
    )
    return yield* use({ tokens: Context.get(yield* Layer.build(layer), TokenMarkets), gecko, screener })
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

/** Removes the flag `concentrated`, which no source reports. */
const concentrated = (flags: ReadonlyArray<string>) => flags.filter((flag) => flag !== "concentrated")

it.live("returns tokens and pools as the simulated market has them, and missing data as null", () =>
  overWire(({ tokens }) =>
    Effect.gen(function*() {
      for (const coin of ["PEPE", "BTC"]) {
        const { sources, value } = yield* tokens.token({ coin })
        const { value: right } = yield* ports.tokens.token({ coin })
        const isNative = right.address === "native"
        assert.deepStrictEqual(sources, ["geckoterminal", "simulated"])
        const { fdvUsd, liquidityUsd, time, ...rest } = value
        assert.deepStrictEqual(rest, {
          symbol: right.symbol,
          coin,
          name: right.name,
          chain: right.chain,
          address: right.address,
          priceUsd: right.priceUsd,
          circulatingSupply: right.circulatingSupply,
          totalSupply: isNative ? null : right.totalSupply,
          maxSupply: right.maxSupply,
          holders: isNative ? null : right.holders,
          top10SharePct: null,
          flags: concentrated(right.flags),
          unchecked: ["concentrated"]
        })
        assert.closeTo(fdvUsd!, right.fdvUsd!, 1 + 1e-9 * right.fdvUsd!)
        assert.strictEqual(liquidityUsd, right.liquidityUsd)
        assert.isAtMost(time, now)
        const { value: pools } = yield* tokens.pools({ coin, limit: 100 })
        assert.deepStrictEqual(
          pools.slice(0, 4),
          (yield* ports.tokens.pools({ coin, limit: 4 })).value
        )
      }
    }).pipe(Effect.orDie)
  ))

it.live("finds impostors in addition to the coin whose name they use, and flags them", () =>
  overWire(({ tokens }) =>
    Effect.gen(function*() {
      const { value: matches } = yield* tokens.search({ text: "pepe", limit: 20 })
      const { value: right } = yield* ports.tokens.search({ text: "pepe", limit: 20 })
      assert.deepStrictEqual(
        matches.map(({ address, coin }) => ({ address, coin })),
        right.map(({ address, coin }) => ({ address, coin }))
      )
      assert.deepStrictEqual(matches.filter(({ coin }) => coin !== null).map(({ coin }) => coin), ["PEPE"])
      const { address, chain } = right.find(({ coin, symbol }) => coin === null && symbol === "PEPE")!
      const impostor = { address, chain }
      const { value } = yield* tokens.token(impostor)
      const { value: known } = yield* ports.tokens.token(impostor)
      assert.deepStrictEqual(value.flags, concentrated(known.flags))
      assert.include(value.flags, "impostor")
      assert.deepInclude(value, {
        coin: null,
        circulatingSupply: null,
        priceUsd: known.priceUsd,
        holders: known.holders
      })
    }).pipe(Effect.orDie)
  ))

it.live("does not flag an impostor if the source cannot identify a coin's own token", () =>
  overWire(({ gecko, tokens }) =>
    Effect.gen(function*() {
      gecko.fail({ _tag: "answer", status: 503, body: "" })
      const { value: right } = yield* ports.tokens.search({ text: "pepe", limit: 20 })
      const { address, chain } = right.find(({ coin, symbol }) => coin === null && symbol === "PEPE")!
      const { sources, value: less } = yield* tokens.token({ address, chain })
      assert.deepStrictEqual(sources, ["dexscreener"])
      assert.deepStrictEqual(less.unchecked, ["mintable", "freezable", "concentrated", "impostor"])
      assert.notInclude(less.flags, "impostor")
    }).pipe(Effect.orDie)
  ))

const rewriteResponses = (server: FakeServer, rewrite: (text: string) => string) => {
  server.fail({ _tag: "rewritten", rewrite })
}

it.live("leaves out only a dead pool, and returns an impossible amount as null", () =>
  overWire(({ gecko, tokens }) =>
    Effect.gen(function*() {
      const { value: right } = yield* ports.tokens.pools({ coin: "PEPE", limit: 100 })
      const [first, second, third] = right
      const amount = (pool: typeof first) => `"reserve_in_usd":"${pool!.liquidityUsd}"`
      rewriteResponses(gecko, (text) => {
        const changedText = text.replace(amount(first), `"reserve_in_usd":"${"9".repeat(60)}"`)
          .replace(amount(second), `"reserve_in_usd":null`)
          .replace(amount(third), `"reserve_in_usd":"0.0"`)
        return changedText.replace(`"h24":"${third!.volume24hUsd}"`, `"h24":"0.0"`)
      })
      const { value } = yield* tokens.pools({ coin: "PEPE", limit: 100 })
      assert.lengthOf(value, right.length - 1)
      assert.notInclude(value.map(({ address }) => address), third!.address)
      assert.deepStrictEqual(value.slice(-2).map(({ liquidityUsd }) => liquidityUsd), [null, null])
      gecko.heal()
    }).pipe(Effect.orDie)
  ))

it.live("leaves out only a token whose symbol is missing or invalid", () =>
  Effect.forEach(
    [`""`, "null", `"a\\u0000b"`, `"${"a".repeat(5_000)}"`],
    (name) =>
      overWire(({ gecko, tokens }) =>
        Effect.gen(function*() {
          const impostor = /("address":"(\w+)","name":"[^"]*","symbol":)"PEPE"/gu
          let replacedText = ""
          rewriteResponses(gecko, (text) =>
            text.replace(impostor, (match, before: string, address: string) => {
              if (address === pepe.address || replacedText !== "") return match
              replacedText = address
              return `${before}${name}`
            }))
          const { value: found } = yield* tokens.search({ text: "pepe", limit: 20 })
          const { value: right } = yield* ports.tokens.search({ text: "pepe", limit: 20 })
          assert.notStrictEqual(replacedText, "")
          assert.deepStrictEqual(
            found.map(({ address }) => address),
            right.map(({ address }) => address).filter((address) => address !== replacedText)
          )
        }).pipe(Effect.orDie)
      )
  ))

it.live("leaves out trades of other tokens, and fails if no trade has the requested token", () =>
  Effect.gen(function*() {
    const server = yield* makeFakeServer(makeGeckoTerminal(ports))
    const layer = layerGeckoTrades({ baseUrl: server.url, limits: [] })
    const readPools = Effect.gen(function*() {
      const source = Context.get(yield* Layer.build(Layer.provide(layer, SourceHealth.layer)), GeckoTrades)
      return (yield* source.trades({ ...tokenQuery, pool: largest!.address })).value
    })
    const fullPools = yield* readPools
    const [addressPattern, other] = [new RegExp(`"${tokenQuery.address}"`, "giu"), `"0xother"`]
    rewriteResponses(server, (text) => text.replace(new RegExp(addressPattern.source, "iu"), other))
    const { since, trades } = yield* readPools
    assert.deepStrictEqual([trades.length, since], [fullPools.trades.length - 1, fullPools.since])
    rewriteResponses(server, (text) => text.replace(addressPattern, other))
    assert.strictEqual((yield* Effect.flip(readPools)).failure, "malformed")
  }).pipe(Effect.scoped, Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000]))))

it.live("rejects an amount that is not a valid number of its type", () =>
  overWire(({ gecko, screener, tokens }) =>
    Effect.forEach(
      [`"NaN"`, `"1e40"`, `"-1"`, `"0x10"`, `""`, "12", "true", "{}"],
      (invalidAddress) =>
        Effect.gen(function*() {
          rewriteResponses(
            gecko,
            (text) => text.replace(/"(reserve_in_usd|price_usd)":"[\d.]+"/gu, `"$1":${invalidAddress}`)
          )
          const number = invalidAddress === "12" ? `"12"` : invalidAddress
          rewriteResponses(screener, (text) => text.replaceAll(/"usd":[\d.]+/gu, `"usd":${number}`))
          const failed = yield* Effect.flip(tokens.pools({ coin: "PEPE", limit: 9 }))
          assert.deepInclude(
            failed,
            { _tag: "SourceUnavailable", source: "dexscreener", failure: "malformed" },
            invalidAddress
          )
        }),
      { discard: true }
    ).pipe(Effect.orDie)
  ))

it.live("reads no fee from a token's name", () =>
  overWire(({ gecko, tokens }) =>
    Effect.gen(function*() {
      rewriteResponses(
        gecko,
        (text) => text.replaceAll(/"name":"PEPE \/ (\w+) [\d.]+%"/gu, `"name":"PEPE / $1 / X 99%"`)
      )
      const { value } = yield* tokens.pools({ coin: "PEPE", limit: 100 })
      assert.isAbove(value.length, 0)
      assert.isTrue(value.every(({ feePct }) => feePct === null))
    }).pipe(Effect.orDie)
  ))

it.live("reports no token and no pools for a coin without a contract", () =>
  overWire(({ tokens }) =>
    Effect.gen(function*() {
      assert.strictEqual((yield* Effect.flip(tokens.pools({ coin: "XRP", limit: 3 })))._tag, "NoData")
      assert.strictEqual((yield* Effect.flip(tokens.token({ coin: "XRP" })))._tag, "NoData")
    }).pipe(Effect.orDie)
  ))

for (const [language, words] of [["en", "labelled transfers"], ["ko", "유료 라이선스"], ["ru", "метками"]] as const) {
  it.effect(`explains in ${language} what large transfers need, and that no setting adds it`, () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const failed = yield* Effect.flip(callHandler(getWhaleTransfers, { coin: "BTC" }, language))
      assert.deepInclude(failed, { _tag: "ToolFailure", code: "source_unavailable", retryable: false })
      if (failed._tag !== "ToolFailure" || typeof failed.callerMessage === "string") {
        assert.fail("it has no own message")
      }
      assert.include(formatMessage(failed.callerMessage, language), words)
    }).pipe(
      Effect.provide(
        Layer.provide(toolsOf([getWhaleTransfers]), Layer.provideMerge(served("answers"), Layer.succeedContext(all)))
      )
    ))
}
