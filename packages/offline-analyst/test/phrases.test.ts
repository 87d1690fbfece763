import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play, proposed } from "./support/play.ts"

const price = (now: number) => ({
  price: now,
  change_24h_pct: 0.4,
  low_24h: now * 0.99,
  high_24h: now * 1.01,
  as_of: "2026-11-20T15:33:00.000Z"
})

type Spec = Readonly<Record<string, unknown>>

/** Requests for alerts at a present price of 2,600 dollars, and the spec of the proposed watch. */
const alerts: ReadonlyArray<readonly [question: string, spec: Spec]> = [
  ["alert me if eth dumps under 2400", { op: "lt", value: 2_400 }],
  ["ping if eth tanks below 2400", { op: "lt", value: 2_400 }],
  ["set a stop loss alert on my eth at 2450", { op: "lt", value: 2_450 }],
  ["alert me when eth rips above 3k", { op: "gt", value: 3_000 }],
  ["이더 2400 밑으로 빠지면 알람", { op: "lt", value: 2_400 }],
  ["이더 10프로 빠지면 알려줘", { op: "lt", value: 2_340 }],
  ["разбуди если эфир упадет на 10%", { op: "lt", value: 2_340 }],
  ["пингани если эфир 3000", { op: "gt", value: 3_000 }]
]

layer(OfflineAnalyst)("a request for an alert", (it) => {
  it.effect("is read in words of traders", () =>
    Effect.gen(function*() {
      for (const [question, spec] of alerts) {
        const { calls } = yield* play({ question, answers: { get_price: price(2_600), create_task: proposed } })
        const made = calls.find(({ name }) => name === "create_task")
        assert.deepInclude(made?.arguments, { kind: "watch" }, question)
        assert.deepNestedInclude(made?.arguments, { spec: { metric: "price", symbol: "ETH", ...spec } }, question)
      }
    }))

  it.effect("is not read as a price after a question about another figure, and names the figure", () =>
    Effect.gen(function*() {
      for (
        const [before, question, figure] of [
          ["kimchi premium of eth", "alert me above 3%", "premium"],
          ["rsi eth", "alert me below 30", "rsi"],
          ["이더 펀딩비", "0.05% 넘으면 알려줘", "펀딩"],
          ["let me know when eth volume spikes", "", "volume"]
        ] as const
      ) {
        const { calls, text } = yield* play({
          question: question === "" ? before : question,
          earlier: question === "" ? [] : [{ question: before, answer: "" }],
          answers: { get_price: price(2_600), create_task: proposed }
        })
        assert.notInclude(calls.map(({ name }) => name), "create_task", before)
        assert.match(text, new RegExp(`(?:the|60분마다 ETH) ${figure}`), before)
      }
    }))

  it.effect("at a time of day without a day is a reminder that runs once", () =>
    Effect.gen(function*() {
      const { calls } = yield* play({
        question: "remind me at 8pm to check eth funding",
        answers: { create_task: proposed }
      })
      assert.deepInclude(calls[0]?.arguments, { kind: "schedule", prompt: "check eth funding", max_runs: 1 })
    }))
})

/** The last question of a conversation, and the calls that its answer begins with. */
const followUps: ReadonlyArray<
  readonly [messages: ReadonlyArray<string>, calls: ReadonlyArray<readonly [string, Spec]>]
> = [
  [["price of sol", "and avax?", "which one did better this week?"], [
    ["compare_coins", { coins: ["SOL", "AVAX"] }]
  ]],
  [["비트 펀딩비", "그럼 이더는?", "어디가 더 높아?"], [
    ["get_derivatives", { coin: "BTC" }],
    ["get_derivatives", { coin: "ETH" }]
  ]],
  [["rsi btc 4h", "and daily?", "eth?", "which is more overbought"], [
    ["get_indicators", { coin: "BTC", tf: "1d" }],
    ["get_indicators", { coin: "ETH", tf: "1d" }]
  ]],
  [["eth levels", "whats the nearest one"], [["get_levels", { coin: "ETH", tf: "4h" }]]],
  [["how many ada for 500 bucks", "and doge?"], [["get_price", { coin: "DOGE" }]]],
  [["what did btc do yesterday", "what about last week?"], [
    ["get_price", { coin: "BTC" }],
    ["get_score", { coin: "BTC" }],
    ["get_price_at", { coin: "BTC", minutes_ago: 10_080 }]
  ]],
  [["tsla price", "vs nvda"], [["get_us_stock", { symbol: "TSLA" }], ["get_us_stock", { symbol: "NVDA" }]]],
  [["новости", "а по эфиру?"], [["get_latest_news", { coin: "ETH", top: 4 }]]],
  [["открытый интерес btc", "растет?"], [["get_derivatives", { coin: "BTC" }]]],
  [["top gainers today", "why is it up"], [["get_movers", { market: "crypto", top: 5 }], ["get_price", {
    coin: "JUP"
  }]]]
]

layer(OfflineAnalyst)("a follow-up", (it) => {
  it.effect("keeps the figure, the frame and the instruments of the earlier questions", () =>
    Effect.gen(function*() {
      for (const [messages, expected] of followUps) {
        const { calls } = yield* play({
          question: messages.at(-1) ?? "",
          earlier: messages.slice(0, -1).map((question) => ({ question, answer: "" })),
          tools: [...new Set(expected.map(([name]) => name))],
          answers: { get_movers: { gainers: [{ coin: "JUP", change_pct: 4 }], losers: [] } }
        })
        const made = calls.filter(({ name }) => expected.some(([one]) => one === name))
        assert.sameDeepMembers(
          made,
          expected.map(([name, args]) => ({ name, arguments: args })),
          messages.join(" | ")
        )
      }
    }))
})

/** Questions with a calculation for a present price of 100 dollars, and a part of the answer. */
const calculations: ReadonlyArray<readonly [messages: ReadonlyArray<string>, part: string]> = [
  [["if sol drops 8% where does it land"], "$92.00"],
  [["솔라나 8퍼 오르면 얼마야"], "$108"],
  [["how far is sol from 150"], "+50.0%"],
  [["shorted 2 sol at 110 stop 120", "how much do i lose if stopped"], "you lose $20.00"],
  [["im short 500 link from 110, pnl?"], "+$5,000"],
  [["10k usd in sol at 50 what is it worth now"], "+$10,000"]
]

layer(OfflineAnalyst)("a calculation", (it) => {
  it.effect("uses the numbers of the conversation", () =>
    Effect.gen(function*() {
      for (const [messages, part] of calculations) {
        const { text } = yield* play({
          question: messages.at(-1) ?? "",
          earlier: messages.slice(0, -1).map((question) => ({ question, answer: "" })),
          answers: { get_price: price(100) }
        })
        assert.include(text, part, messages.join(" | "))
      }
    }))
})

layer(OfflineAnalyst)("a question without an instrument", (it) => {
  it.effect("about liquidations is answered for the largest coins, and the answer states that", () =>
    Effect.gen(function*() {
      for (
        const [question, said] of [
          ["any big liqs last hour", "this is about BTC, ETH"],
          ["сколько ликвиднуло лонгов за сутки", "это о BTC, ETH"]
        ] as const
      ) {
        const { calls, text } = yield* play({
          question,
          answers: { get_liquidations: { long_usd: 5, short_usd: 6, skew: 0.1 } }
        })
        assert.deepStrictEqual(calls.map(({ arguments: args }) => args), [{ coin: "BTC" }, { coin: "ETH" }], question)
        assert.include(text, said)
      }
    }))

  it.effect("about a subject without data states that", () =>
    Effect.gen(function*() {
      for (
        const [question, said] of [
          ["any unlocks coming up", "token unlocks"],
          ["비트 현물 etf 자금 유입", "ETF 자금 흐름"],
          ["is coinbase premium positive", "the Coinbase premium"]
        ] as const
      ) {
        const { calls, text } = yield* play({ question, tools: ["get_price", "get_onchain", "get_kimchi_premium"] })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, said)
      }
    }))

  it.effect("lists as many coins as it asks for", () =>
    Effect.gen(function*() {
      for (const question of ["top 5 coins by funding", "펀딩비 젤 높은 코인 5개", "топ 5 монет по фандингу"]) {
        const { calls } = yield* play({ question, tools: ["screen_coins"] })
        assert.deepInclude(calls[0]?.arguments, { top: 5 }, question)
      }
    }))
})
