import { assert, it } from "@effect/vitest"
import { EquityMarkets, type MarketError, readValue } from "@tapeline/core/market"
import { getKrDisclosures, getUsFundamentals, getUsInsiderTrades } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { callHandler } from "@tapeline/testing/toolCalls"
import { makeEdgar, makeFakeServer, makeOpenDart } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, type LiveSettings } from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T15:33:20Z")
const sim = Context.get(sharedPorts, EquityMarkets)
const key = "a-key-of-nobody"

const liveWith = Effect.fnUntraced(function*(keys: Readonly<Record<string, string>>, settings: LiveSettings = {}) {
  const us = yield* makeFakeServer(makeEdgar(sim))
  const kr = yield* makeFakeServer(makeOpenDart(sim, key))
  return yield* Layer.build(layerLiveMarket({
    urls: { ...allUrlsAt("http://127.0.0.1:9"), edgar: us.url, edgarData: us.url, openDart: kr.url },
    keys,
    coins: [],
    ...settings
  }))
})

const marketWith = (keys: Readonly<Record<string, string>>) =>
  Effect.map(liveWith(keys), (live) => Context.get(live, EquityMarkets))

it.effect("returns regulators' data without a source of prices", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const port = yield* marketWith({ edgarContact: "Ann Lee ann@example.com", openDart: key })
    const { quarters } = yield* readValue(port.fundamentals("AAPL"))
    const right = yield* readValue(sim.fundamentals("AAPL"))
    assert.deepStrictEqual(quarters.map(({ revenue }) => revenue), right.quarters.map(({ revenue }) => revenue))
    assert.strictEqual((yield* readValue(port.stock("BRK.B"))).exchange, "NYSE")
    const filings = yield* readValue(port.filings({ symbol: "005930", limit: 5 }))
    const expectedFilings = yield* readValue(sim.filings({ symbol: "005930", limit: 5 }))
    assert.deepStrictEqual(filings.map(({ title }) => title), expectedFilings.map(({ title }) => title))
    assert.strictEqual((yield* readValue(port.stock("005930"))).koreanName, "삼성전자")
    assert.strictEqual((yield* Effect.flip(port.filings({ symbol: "AAPL", limit: 5 })))._tag, "NoData")
    const missingQuote = yield* Effect.flip(port.quote("AAPL"))
    assert.deepInclude(missingQuote, { failure: "not_configured", variable: "TAPELINE_YAHOO" })
  }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped))

it.effect("names the missing setting of each part without keys", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const port = yield* marketWith({})
    const variableOf = (read: Effect.Effect<unknown, MarketError>) =>
      Effect.map(Effect.flip(read), (error) => error._tag === "SourceUnavailable" ? error.variable : error._tag)
    assert.strictEqual(yield* variableOf(port.filings({ limit: 5 })), "TAPELINE_OPENDART_KEY")
    assert.strictEqual(yield* variableOf(port.fundamentals("AAPL")), "TAPELINE_EDGAR_CONTACT")
    assert.strictEqual(yield* variableOf(port.insiderTrades({ symbol: "AAPL", days: 9 })), "TAPELINE_EDGAR_CONTACT")
  }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped))

const filed = [
  [getKrDisclosures, "opendart", "005930", "TAPELINE_OPENDART_KEY"],
  [getUsFundamentals, "edgar", "AAPL", "TAPELINE_EDGAR_CONTACT"],
  [getUsInsiderTrades, "edgar", "AAPL", "TAPELINE_EDGAR_CONTACT"]
] as const
const toolbox = toolsOf(filed.map(([tool]) => tool))

it.effect("returns filings while the source of prices is unreachable", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const keys = { edgarContact: "Ann Lee ann@example.com", openDart: key }
    const live = yield* liveWith(keys, { yahoo: "personal", retryPolicy: { maxTries: 1 } })
    const called = (tool: typeof filed[number][0], symbol: string) =>
      callHandler(tool, { symbol }).pipe(Effect.provide(toolbox), Effect.provideContext(live))
    for (const [tool, source, symbol] of filed) {
      assert.deepInclude(yield* called(tool, symbol), { source, symbol }, tool.name)
    }
    const port = Context.get(live, EquityMarkets)
    assert.deepInclude(yield* Effect.flip(port.quote("AAPL")), { source: "yahoo", failure: "unreachable" })
    // A regulator lists no funds, so a symbol that is missing in its list may still exist.
    assert.deepInclude(yield* Effect.flip(port.stock("NOSUCH")), { source: "yahoo", failure: "unreachable" })
  }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped))

it.effect("names the setting that filings need, not the one for prices", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const live = yield* liveWith({})
    for (const [tool, source, ticker, variable] of filed) {
      for (const symbol of [ticker, "some company"]) {
        const read = callHandler(tool, { symbol }).pipe(Effect.provide(toolbox), Effect.provideContext(live))
        const failure = yield* Effect.flip(read)
        const callerMessage = failure._tag === "ToolFailure" ? failure.callerMessage : undefined
        assert.deepStrictEqual(callerMessage, { key: "source_needs_setting", params: { source, variable } }, tool.name)
      }
    }
  }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped))
