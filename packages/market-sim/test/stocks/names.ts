import { assert, layer as withLayer } from "@effect/vitest"
import { acceptedScopes, hasAnyScope, specifications, ToolCaller } from "@tapeline/core"
import { getKrStock, getUsStock } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { callByName, callExpectingFailure, callTool, makePayer, principal } from "@tapeline/testing/toolCalls"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now } from "../support/markets.ts"

const findToolsWithSymbol = (area: "us" | "korea") =>
  specifications.filter((one) => one.area === area && "symbol" in one.parameters.fields)

const decodeWithNotes = Schema.decodeUnknownSync(
  Schema.StructWithRest(Schema.Struct({ notes: Schema.Array(Schema.String) }), [
    Schema.Record(Schema.String, Schema.Unknown)
  ])
)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("stocks by name", (it) => {
  it.effect("a name in English or Korean gives the result of its ticker, and a note names the stock", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (
        const [area, ticker, names] of [
          ["us", "AAPL", ["apple", " Apple ", "애플"]],
          ["korea", "005930", ["Samsung", "samsung electronics", "삼성전자"]]
        ] as const
      ) {
        for (const { example, name } of findToolsWithSymbol(area)) {
          const byTicker = yield* callByName(name, { ...example, symbol: ticker })
          assert.isNull(byTicker.failure, name)
          for (const symbol of isFullRun ? names : [names[seed % names.length]!]) {
            const { data, failure } = yield* callByName(name, { ...example, symbol })
            assert.isNull(failure, name)
            const { notes, ...rest } = decodeWithNotes(data)
            const { notes: others, ...same } = decodeWithNotes(byTicker.data)
            assert.deepStrictEqual(rest, same, name)
            assert.deepStrictEqual(notes.filter((note) => !note.includes("was read as")), others, name)
            assert.isTrue(notes.some((note) => note.includes(`was read as ${ticker}`)), name)
          }
        }
      }
    }))

  it.effect("an ambiguous name fails with candidates, and each candidate's symbol works", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const { example, name } of findToolsWithSymbol("korea")) {
        const { failure } = yield* callByName(name, { ...example, symbol: "hyundai" })
        assert.deepInclude(failure, { code: "unknown_symbol", retryable: false }, name)
        assert.deepStrictEqual(failure!.candidates?.map(({ symbol }) => symbol), ["005380", "012330", "064350"], name)
        assert.include(failure!.message, "005380 (Hyundai Motor)")
      }
      const { candidates } = yield* callExpectingFailure(getKrStock, { symbol: "hyundai" })
      const failed = yield* Effect.flip(callTool(getKrStock, { symbol: "hyundai" }))
      assert.deepStrictEqual(failed._tag === "CallFailed" ? failed.candidates : null, candidates)
      for (const candidate of candidates!) {
        const { exchange, name, symbol } = yield* callTool(getKrStock, { symbol: candidate.symbol })
        assert.deepStrictEqual({ symbol, name, exchange }, candidate)
      }
    }))

  it.effect("a stock of the other country or a coin fails with the name of the right tool", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const { example, name } of findToolsWithSymbol("us")) {
        for (const symbol of ["005930", "삼성전자"]) {
          const { failure } = yield* callByName(name, { ...example, symbol })
          assert.strictEqual(failure!.code, "no_data", name)
          assert.match(failure!.message, /Samsung Electronics.*KOSPI.*use get_kr_stock/u, name)
        }
      }
      for (const { example, name } of findToolsWithSymbol("korea")) {
        const { failure } = yield* callByName(name, { ...example, symbol: "AAPL" })
        assert.strictEqual(failure!.code, "no_data", name)
        assert.match(failure!.message, /Apple.*NASDAQ.*use get_us_stock/u, name)
      }
      for (const { example, name } of [...findToolsWithSymbol("us"), ...findToolsWithSymbol("korea")]) {
        const { failure } = yield* callByName(name, { ...example, symbol: "BTC" })
        assert.strictEqual(failure!.code, "unknown_symbol", name)
        assert.include(failure!.message, "get_price", name)
      }
      const delisted = yield* callExpectingFailure(getUsStock, { symbol: "Twitter" })
      assert.strictEqual(delisted.code, "no_data")
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("scopes of a country", (it) => {
  it.effect("allow a key of one country only the tools of that country", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const caller = yield* ToolCaller
      for (const [scope, ownArea] of [["read:korea", "korea"], ["read:us", "us"]] as const) {
        // The usual run tests only three tools of each country.
        const ofCountry = specifications.filter(({ area }) => area === ownArea)
        const called = isFullRun ? ofCountry : fc.sample(fc.constantFrom(...ofCountry), { seed, numRuns: 3 })
        for (const { area, example, name } of specifications) {
          const call = caller.call({
            principal: { ...principal, scopes: [scope] },
            name,
            arguments: example,
            payer: makePayer()
          })
          if (called.some((one) => one.name === name)) assert.isNull((yield* call).failure, name)
          else if (area !== ownArea) assert.strictEqual((yield* Effect.flip(call))._tag, "ScopeRequired", name)
        }
      }
    }))

  it("cover all tools of their country and no other tool", () => {
    for (const { area, name, scope } of specifications) {
      const opens = acceptedScopes(scope, area)
      assert.strictEqual(hasAnyScope(["read:korea"], opens), area === "korea", name)
      assert.strictEqual(hasAnyScope(["read:us"], opens), area === "us", name)
      if (scope === "read:market") assert.isTrue(hasAnyScope(["read:market"], opens), name)
    }
  })
})
