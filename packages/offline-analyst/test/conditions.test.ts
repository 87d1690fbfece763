import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play, proposed } from "./support/play.ts"

const answered = (...questions: ReadonlyArray<string>) => questions.map((question) => ({ question, answer: "..." }))

layer(OfflineAnalyst)("the conditions of a question", (it) => {
  it.effect("create no alert on a price in another currency, and state the price in dollars", () =>
    Effect.gen(function*() {
      const answers = { create_task: proposed, get_kr_market: { usd_krw: { rate: 1_400 } } }
      for (
        const [question, says] of [
          ["솔라나 7만원 밑으로 떨어지면 알려줘", "$50"],
          ["alert me when SOL is below ₩70000", "$50"],
          ["сообщи, когда биткоин будет выше 7000000 рублей", "другой валюте"],
          ["alert me when BTC goes above 60000 euros", "another currency"],
          ["삼성전자 60달러 넘으면 알려줘", "다른 통화"]
        ] as const
      ) {
        const { calls, text } = yield* play({ question, answers })
        assert.notInclude(calls.map(({ name }) => name), "create_task", question)
        assert.include(text, says, question)
      }
    }))

  it.effect("wait for a price on the other side of the present price if an alert has no direction", () =>
    Effect.gen(function*() {
      const answers = { create_task: proposed, get_price: { coin: "BTC", price: 67_000 } }
      for (const [question, op] of [["alert btc 60k", "lt"], ["alert btc 70k", "gt"], ["алерт биток 60000", "lt"]]) {
        const { calls } = yield* play({ question: question!, answers })
        assert.deepNestedInclude(calls.at(-1)?.arguments, { "spec.op": op }, question)
      }
    }))

  it.effect("create an alert for each price of a request, and for another coin in a follow-up", () =>
    Effect.gen(function*() {
      const answers = { create_task: proposed, get_price: { coin: "ETH", price: 3_000 } }
      const both = yield* play({ question: "алерт если солана пробьет 140 или упадет ниже 110", answers })
      const specs = both.calls.map(({ arguments: args }) => JSON.stringify(args))
      assert.include(specs[0], "\"cross_above\",\"value\":140")
      assert.include(specs[1], "\"lt\",\"value\":110")
      const other = yield* play({ question: "also one for eth at 3400", earlier: answered("alert btc 70k"), answers })
      const spec = { metric: "price", symbol: "ETH", op: "gt", value: 3_400 }
      assert.deepNestedInclude(other.calls.at(-1)?.arguments, { spec })
    }))

  it.effect("delete only a task that the conversation is about", () =>
    Effect.gen(function*() {
      const alert = {
        id: 7,
        title: "ETH alert",
        kind: "watch",
        status: "active",
        spec: { symbol: "ETH", value: 3_000 }
      }
      const daily = { id: 5, title: "summary of btc", kind: "schedule", status: "active", spec: { at: "08:00" } }
      const answers = { get_tasks: { tasks: [alert, daily] }, delete_task: proposed }
      for (
        const [question, earlier, id] of [
          ["delete it", ["alert me when btc goes above 70k"], 5],
          ["delete it", ["alert me when eth goes above 3000"], 7],
          ["stop the daily summary", [], 5]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier: answered(...earlier), answers })
        const deleted = calls.filter(({ name }) => name === "delete_task").map(({ arguments: args }) => args)
        const isOther = question === "delete it" && id === 5
        assert.deepStrictEqual<unknown>(deleted, isOther ? [] : [{ id }], `${earlier.join()}: ${question}`)
      }
    }))

  it.effect("change, close and delete the position of the conversation", () =>
    Effect.gen(function*() {
      const position = { id: 3, coin: "BTC", side: "long", entry: 63_000, stop: 60_000 }
      const answers = {
        get_positions: { positions: [position, { id: 4, coin: "SOL", side: "long" }] },
        get_price: { coin: "BTC", price: 67_000 },
        update_position: proposed,
        close_position: proposed,
        delete_position: proposed
      }
      const earlier = answered("record a long btc position at 63000")
      for (
        const [question, name, args] of [
          ["내 비트 손절 6만1천으로 옮겨", "update_position", { id: 3, stop: 61_000 }],
          ["change the stop to 61000", "update_position", { id: 3, stop: 61_000 }],
          ["перенеси стоп на 61000", "update_position", { id: 3, stop: 61_000 }],
          ["close it at 68000", "close_position", { id: 3, exit: 68_000 }],
          ["그거 닫아줘 6만8천에", "close_position", { id: 3, exit: 68_000 }],
          ["delete it", "delete_position", { id: 3 }],
          ["удали её", "delete_position", { id: 3 }]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier, answers })
        assert.deepStrictEqual<unknown>(calls.at(-1), { name, arguments: args }, question)
      }
      const { calls, text } = yield* play({
        question: "delete it",
        earlier: answered("add position eth long at 3000"),
        answers
      })
      assert.notInclude(calls.map(({ name }) => name), "delete_position")
      assert.include(text, "no recorded position in ETH")
    }))

  it.effect("apply to an alert in per cent, and to the changed number of an alert", () =>
    Effect.gen(function*() {
      const answers = { create_task: proposed, get_tasks: { tasks: [] }, get_price: { coin: "ETH", price: 2_000 } }
      for (
        const [question, earlier, spec] of [
          ["alert: eth -5% from here", [], { op: "lt", value: 1_900 }],
          ["alert me when eth is +10% from here", [], { op: "gt", value: 2_200 }],
          ["ping me if eth drops 200 bucks", [], { op: "lt", value: 1_800 }],
          ["이더 200달러 오르면 알려줘", [], { op: "gt", value: 2_200 }],
          ["and eth 7%", ["alert me if btc drops 5%"], { op: "lt", value: 1_860 }],
          ["do the same for eth at 1500", ["alert me when btc hits 70k"], { op: "lt", value: 1_500 }],
          ["алерт эфир минус 7 процентов", [], { op: "lt", value: 1_860 }],
          ["change it to 1.9", ["alert eth below 2k"], { op: "lt", value: 1_900 }],
          ["actually 2450", ["alert me when eth drops below 2500"], { op: "lt", value: 2_450 }]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier: answered(...earlier), answers })
        const wanted = { spec: { metric: "price", symbol: "ETH", ...spec } }
        assert.deepInclude(calls.at(-1)?.arguments, wanted, question)
      }
    }))

  it.effect("keep the numbers of a Korean position apart", () =>
    Effect.gen(function*() {
      const answers = { set_position: proposed }
      const { calls } = yield* play({ question: "비트 롱 6만3천 진입 손절 6만 1만달러 기록해줘", answers })
      const args = { coin: "BTC", side: "long", entry: 63_000, stop: 60_000, size_usd: 10_000 }
      assert.deepStrictEqual<unknown>(calls.at(-1), { name: "set_position", arguments: args })
    }))

  it.effect("calculate with the numbers and the direction of the question", () =>
    Effect.gen(function*() {
      const answers = { get_price: { coin: "BTC", price: 67_000 }, get_kr_market: { usd_krw: { rate: 1_400 } } }
      for (
        const [question, earlier, says] of [
          ["how much do i lose if btc drops 8% on a 25k long", [], "-$2,000"],
          ["100k usd 5x btc long, how much do i lose if it drops 3%", [], "-$15,000"],
          ["how much will i make if btc goes from 60000 to 90000 with 600 bucks", [], "+$300"],
          ["10x btc short, 500 margin, +4% move, pnl?", [], "-$200"],
          ["how many won is 2 usdt", [], "₩2,800"],
          ["long btc 66000 sl 65000 tp 69000 rr?", [], "is 3.00"],
          ["if i risk 200 bucks on btc with stop at 65000 how many coins can i long", [], "0.1 BTC"],
          ["whats my pnl", ["im long 2 btc from 60000"], "+$14,000"],
          ["and if it goes to 70000?", ["im long 2 btc from 60000", "whats my pnl"], "+$20,000"]
        ] as const
      ) {
        const { text } = yield* play({ question, earlier: answered(...earlier), answers })
        assert.include(text, says, question)
      }
    }))

  it.effect("name the moving average of the question", () =>
    Effect.gen(function*() {
      const ema = { 20: 123, 50: 122, 200: 116 }
      const answers = { get_indicators: { coin: "SOL", tf: "4h", ema }, get_price: { coin: "SOL", price: 126 } }
      for (const [period, mean] of Object.entries(ema)) {
        const { text } = yield* play({ question: `ema ${period} on sol 4h`, answers })
        assert.include(text, `above its ${period}-bar EMA on 4h ($${mean}`)
      }
      const { text } = yield* play({ question: "ema 100 on sol 4h", answers })
      assert.include(text, "“100”")
    }))

  it.effect("create an alert, and delete none, if a word for an alert also means a deletion", () =>
    Effect.gen(function*() {
      const answers = { create_task: proposed, get_tasks: { tasks: [{ id: 1, kind: "watch", status: "active" }] } }
      for (const question of ["alert me if btc drop to 60k", "set a stop loss alert for my btc at 60000"]) {
        const { calls } = yield* play({ question, tools: ["delete_task"], answers })
        assert.notInclude(calls.map(({ name }) => name), "delete_task", question)
      }
    }))

  it.effect("apply to each named instrument, with its own values", () =>
    Effect.gen(function*() {
      const { calls, text } = yield* play({ question: "kimchi premium btc and eth", tools: ["get_kimchi_premium"] })
      assert.deepStrictEqual(calls.map(({ arguments: args }) => args), [{ coin: "BTC" }, { coin: "ETH" }])
      assert.notInclude(text, "did not answer about")
      const days = yield* play({ question: "корреляция битка и эфира за 7 дней", tools: ["get_correlation"] })
      assert.deepStrictEqual<unknown>(days.calls, [
        { name: "get_correlation", arguments: { coins: ["BTC", "ETH"], days: 7 } }
      ])
    }))

  it.effect("hold in follow-ups", () =>
    Effect.gen(function*() {
      const tools = ["get_indicators", "get_derivatives", "get_options_positioning", "get_liquidations_history"]
      for (
        const [earlier, question, call] of [
          [["rsi эфира", "а на дневке"], "это перекупленность?", ["get_indicators", { coin: "ETH", tf: "1d" }]],
          [["sol funding?"], "compare w avax", ["get_derivatives", { coin: "AVAX" }]],
          [["btc liquidations last 12h"], "longs or shorts?", ["get_liquidations_history", { coin: "BTC", hours: 12 }]]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier: answered(...earlier), tools })
        const [name, args] = call
        assert.deepInclude<unknown>(calls, { name, arguments: args }, question)
      }
      const answers = { get_options_positioning: { max_pain: [{ expiry: "2026-11-27", strike: 60_000, oi: 1 }] } }
      const { calls } = yield* play({
        question: "and for btc?",
        earlier: answered("eth max pain this friday"),
        answers
      })
      assert.deepStrictEqual<unknown>(calls.at(-1)?.arguments, { coin: "BTC", expiry: "2026-11-27" })
    }))

  it.effect("name an instrument by its place in the list of an earlier answer", () =>
    Effect.gen(function*() {
      const movers = { gainers: [{ coin: "JUP" }, { coin: "NEAR" }], losers: [], turnover: [] }
      const answers = { get_movers: movers, make_chart: { url: "/v1/charts/a" }, get_price: {}, get_derivatives: {} }
      for (
        const [questions, question, name] of [
          [["top gainers 24h"], "chart the second", "make_chart"],
          [["top gainers 24h", "chart the second"], "whats its funding", "get_derivatives"]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier: answered(...questions), answers })
        assert.deepNestedInclude(calls.find((call) => call.name === name)?.arguments, { coin: "NEAR" }, question)
      }
    }))
})
