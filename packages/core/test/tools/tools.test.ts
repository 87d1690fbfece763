import { assert, describe, it } from "@effect/vitest"
import {
  callableEntries,
  DerivedStore,
  hourMs,
  makeCatalogue,
  pickTools,
  readValue,
  specifications,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import * as exported from "@tapeline/core/specifications"
import { getIndicators, getMarketOverview } from "@tapeline/core/specifications"
import { callTool, makePayer } from "@tapeline/testing/toolCalls"
import { Effect, Exit, Schema } from "effect"
import { makeFakeMarket, now } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const withTools = makeRunOnEngine(Toolbox.layer(pickTools(tools, [
  "get_market_overview",
  "get_price_at",
  "get_price_history",
  "get_indicators",
  "get_score_history",
  "get_coil",
  "get_regime",
  "get_fear_greed",
  "get_binary_ev",
  "get_probability",
  "get_kimchi_premium",
  "get_us_stock"
])))

describe("every tool", () => {
  it("is in its area's list if the area exports its specification", () => {
    const ofAreas = Object.values(exported).flatMap((one) =>
      typeof one === "object" && "parameters" in one && "summary" in one ? [one.name] : []
    )
    assert.deepStrictEqual<ReadonlyArray<string>>(specifications.map(({ name }) => name).sort(), ofAreas.sort())
  })

  it("is pure exactly if it costs 1 credit, only reads, and stores no chart", () => {
    for (const { completesWhenAbandoned = false, credits, name, pure = false, scope } of specifications) {
      const isCheapRead = credits === 1 && scope.startsWith("read:") && !completesWhenAbandoned
      assert.strictEqual(pure, isCheapRead && name !== "make_chart", name)
    }
  })

  it("publishes its arguments as an object without additional properties", () => {
    for (const { name, parameters, result } of makeCatalogue(specifications)) {
      assert.strictEqual(parameters["type"], "object", name)
      assert.strictEqual(parameters["additionalProperties"], false, name)
      assert.strictEqual(result["type"], "object", name)
    }
    assert.deepStrictEqual(makeCatalogue([getMarketOverview])[0]!.parameters, {
      type: "object",
      additionalProperties: false,
      properties: {}
    })
  })

  it("publishes schemas that the strict modes of language models accept", () => {
    const checkDescriptions = (schema: unknown, path: string): void => {
      if (typeof schema !== "object" || schema === null) return
      if (Array.isArray(schema)) return schema.forEach((one, i) => checkDescriptions(one, `${path}/${i}`))
      if ("type" in schema && schema.type === "object") {
        assert.property(schema, "properties", path)
        assert.strictEqual("additionalProperties" in schema && schema.additionalProperties, false, path)
      }
      assert.notProperty(schema, "propertyNames", path)
      for (const [key, value] of Object.entries(schema)) {
        assert.notInclude([Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], value, `${path}/${key}`)
        checkDescriptions(value, `${path}/${key}`)
      }
    }
    const catalogue = makeCatalogue(specifications)
    for (const { name, parameters, result } of catalogue) {
      checkDescriptions(parameters, name)
      checkDescriptions(result, name)
    }
  })

  it("publishes calls in at most 512 bytes per tool on average", () => {
    const calls = callableEntries(makeCatalogue(specifications))
    const bytes = new TextEncoder().encode(JSON.stringify(calls)).length
    // A language model reads all specifications before its first call, so all of them must not exceed 50 KB.
    assert.isAtMost(bytes / calls.length, 512)
    const { parameters } = calls.find(({ name }) => name === "run_backtest")!
    assert.include(JSON.stringify(parameters), `"left":{"type":["number","string"]}`)
  })

  it("names similar tools in its summary", () => {
    const summaries = new Map<string, string>(specifications.map(({ name, summary }) => [name, summary]))
    const names: Readonly<Record<string, ReadonlyArray<string>>> = {
      get_options_positioning: ["get_positioning_history"],
      get_positioning_history: ["get_options_positioning"],
      get_options_backtest: ["run_backtest"],
      run_backtest: ["get_options_backtest"],
      search_news: ["get_latest_news"],
      get_latest_news: ["search_news"],
      get_hit_rate: ["get_signal_outcomes"],
      get_signal_outcomes: ["get_hit_rate"],
      get_short_calibration: ["get_hit_rate"],
      get_liquidations: ["get_liquidations_history", "get_liquidation_map"],
      get_liquidations_history: ["get_liquidations"],
      get_liquidation_map: ["get_liquidations_history"],
      get_onchain: ["get_whale_transfers"],
      get_whale_transfers: ["get_onchain"],
      get_option_strategy: ["get_option_structure"],
      get_option_structure: ["get_option_strategy"]
    }
    for (const [one, others] of Object.entries(names)) {
      for (const other of others) assert.match(summaries.get(one)!, new RegExp(`\\b${other}\\b`, "u"), one)
    }
    assert.include(summaries.get("get_movers"), "not US")
    assert.include(summaries.get("get_coil"), "squeeze and breakout")
  })

  it("accepts null for an optional argument", () => {
    const catalogue = new Map(makeCatalogue(specifications).map((entry) => [entry.name, entry.parameters]))
    for (const { example, name, parameters } of specifications) {
      const decode = Schema.decodeUnknownExit(parameters, { onExcessProperty: "error" })
      const entry = catalogue.get(name)!
      const required = new Set<unknown>(Array.isArray(entry["required"]) ? entry["required"] : [])
      const requiredArguments = Object.fromEntries(Object.entries(example).filter(([key]) => required.has(key)))
      const left = Object.keys(parameters.fields).filter((key) => !required.has(key))
      const nulls = Object.fromEntries(left.map((key) => [key, null]))
      assert.deepStrictEqual<unknown>(
        decode({ ...requiredArguments, ...nulls }),
        decode(requiredArguments),
        `${name}: an argument that may be left out is \`optional\` or has a \`withDefault\``
      )
    }
  })
})

describe("a tool", () => {
  it.effect("explains missing data in the caller's language", () =>
    withTools(Effect.gen(function*() {
      const caller = yield* ToolCaller
      const callAsText = Effect.fnUntraced(function*(name: string, args: unknown) {
        const { envelope } = yield* caller.call({
          principal: { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: ["read:market"] },
          name,
          arguments: args,
          language: "ko",
          payer: makePayer()
        })
        return envelope.data
      })
      const message = "USDT은(는) 페그를 따르는 스테이블코인이라 점수와 시그널이 없습니다."
      assert.deepStrictEqual(yield* callAsText("get_coil", { coin: "USDT" }), {
        error: { code: "no_data", message, retryable: false }
      })
    })))

  it.effect("rejects arguments out of bounds", () =>
    withTools(Effect.gen(function*() {
      const caller = yield* ToolCaller
      const rejectedCalls = [
        ["get_price_at", { coin: "BTC", minutes_ago: 43_201 }],
        ["get_price_at", { coin: "BTC", minutes_ago: 1.5 }],
        ["get_price_history", { coin: "BTC", bars: 0 }],
        ["get_price_history", { coin: "BTC", bars: 1_001 }],
        ["get_price_history", { coin: "BTC", tf: "2h" }],
        ["get_indicators", { coin: "BTC", tf: "5m" }],
        ["get_score_history", { coin: "BTC", hours: 721 }],
        ["get_binary_ev", { p_win: 1.01, payout_pct: 80 }],
        ["get_binary_ev", { p_win: 0.5, payout_pct: 0 }],
        ["get_probability", { coin: "BTC", horizon_min: 15 }],
        ["get_probability", { coin: "BTC", horizon_min: 60, target: -1 }],
        ["get_kimchi_premium", { top: 101 }],
        ["get_kimchi_premium", { coin: "NOT A COIN" }],
        ["get_us_stock", {}],
        ["get_regime", { coin: "BTC" }],
        ["get_fear_greed", []]
      ] as const
      for (const [name, args] of rejectedCalls) {
        const exit = yield* Effect.exit(caller.call({
          principal: { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: ["read:market"] },
          name,
          arguments: args,
          payer: makePayer()
        }))
        assert.isTrue(
          Exit.isFailure(exit) && JSON.stringify(exit.cause).includes("InvalidArguments"),
          `${name} ${JSON.stringify(args)}`
        )
      }
    })))

  it.effect("reports missing data of a young coin as null, with notes", () =>
    withTools(Effect.gen(function*() {
      const indicators = yield* callTool(getIndicators, { coin: "BABY", tf: "1h" })
      assert.isNull(indicators.ema["50"])
      assert.isNull(indicators.ema["200"])
      assert.isNotNull(indicators.rsi)
      assert.isAbove(indicators.notes.length, 1)
      const derived = yield* DerivedStore
      const score = yield* readValue(derived.score("BABY"))
      assert.isBelow(score.hour.coverage, 1)
      assert.isAbove(score.hour.coverage, 0)
      assert.include(score.hour.factors, null)
    })))

  it.effect("has no score for a stablecoin", () =>
    withTools(Effect.gen(function*() {
      const overview = yield* callTool(getMarketOverview, {})
      const usdt = overview.coins.find(({ coin }) => coin === "USDT")
      assert.isNull(usdt!.score)
      assert.isNull(usdt!.bias)
      assert.strictEqual(overview.coins.filter(({ score }) => score !== null).length, 7)
    })))
})

describe("the market overview", () => {
  it.effect("reads the raw series once an hour", () =>
    Effect.gen(function*() {
      const market = makeFakeMarket()
      yield* withTools(
        Effect.gen(function*() {
          yield* callTool(getMarketOverview, {})
          const cold = market.callCounts.get("candleRange")!
          yield* callTool(getMarketOverview, {})
          assert.strictEqual(market.callCounts.get("candleRange"), cold)
        }),
        { market, time: Math.floor(now / hourMs) * hourMs + 1 }
      )
    }))
})
