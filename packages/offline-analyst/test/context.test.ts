import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play } from "./support/play.ts"

const tools = ["get_derivatives", "get_funding_comparison", "get_economic_calendar", "get_iv_metrics"]
const earlier = [{ question: "How is ETH?", answer: "ETH trades at $2,500." }]

layer(OfflineAnalyst)("a figure that a question requests", (it) => {
  it.effect("belongs to the coin of the conversation; without a coin, the term is explained", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, isFigure] of [
          ["en", "what is the funding rate", true],
          ["en", "what's the funding?", true],
          ["en", "what is the implied volatility", true],
          ["ko", "펀딩비는?", true],
          ["ko", "펀딩비 얼마야?", true],
          ["ru", "какой фандинг", true],
          ["en", "what is funding", false],
          ["en", "what is a funding rate", false],
          ["en", "what is the meaning of funding", false],
          ["ko", "펀딩비가 뭐야?", false],
          ["ru", "что такое фандинг", false]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, earlier, tools })
        assert.strictEqual(calls.length > 0, isFigure, question)
        for (const { arguments: args } of calls) assert.deepStrictEqual(args, { coin: "ETH" }, question)
      }
      const { calls, text } = yield* play({ question: "what is the funding rate", tools })
      assert.deepStrictEqual(calls, [])
      assert.include(text, "longs pay shorts")
    }))
})

layer(OfflineAnalyst)("a chart", (it) => {
  it.effect("has the panels that its question or the question before it names, which a follow-up keeps", () =>
    Effect.gen(function*() {
      const funding = { question: "what is the funding rate of ETH?", answer: "Funding of ETH is 0.01 %." }
      const price = { question: "price of ETH", answer: "ETH trades at 3000." }
      const drawn = { question: "draw it with rsi", answer: "Here is the chart." }
      for (
        const [question, before, panels] of [
          ["draw a 4h chart of it", [funding], ["funding"]],
          ["draw a 4h chart of it", [price], []],
          ["draw a 4h chart of it with macd", [funding, drawn], ["macd"]],
          ["and on 4h?", [funding, drawn], ["rsi"]]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier: before, tools: ["make_chart"] })
        const args = { coin: "ETH", tf: "4h" }
        assert.deepStrictEqual<unknown>(calls, [
          { name: "make_chart", arguments: panels.length === 0 ? args : { ...args, panels } }
        ], question)
      }
    }))
})

layer(OfflineAnalyst)("a release of the economic calendar", (it) => {
  it.effect("belongs to the named country, or else to the United States; a rate decision may be of any country", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, country] of [
          ["en", "cpi when", "US"],
          ["ko", "cpi언제", "US"],
          ["ru", "cpi когда", "US"],
          ["en", "when is uk cpi", "GB"],
          ["ko", "영국 cpi 언제", "GB"],
          ["ru", "когда инфляция в британии", "GB"],
          ["en", "next euro area gdp", "EU"],
          ["en", "korea cpi", "KR"],
          ["en", "when is the next rate decision", "US"],
          ["en", "when is the next boe rate decision", "GB"],
          ["ko", "다음 금리 결정 언제야", "US"],
          ["ru", "когда следующее решение по ставке", "US"],
          ["en", "us and uk cpi", undefined],
          ["en", "what's on the economic calendar this week?", undefined]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, tools })
        const [call] = calls
        assert.strictEqual(call?.name, "get_economic_calendar", question)
        const days = /calendar/.test(question) ? 7 : 30
        assert.deepStrictEqual(call?.arguments, country === undefined ? { days } : { days, country }, question)
      }
      const cpi = [{ question: "when is cpi", answer: "The next release is CPI YoY (US)." }]
      const { calls } = yield* play({ question: "and in korea?", earlier: cpi, tools })
      assert.deepStrictEqual(calls[0]?.arguments, { days: 30, country: "KR" })
    }))

  it.effect("is answered with events of the named countries only", () =>
    Effect.gen(function*() {
      const event = (country: string, time: string) => ({
        country,
        time,
        name: "CPI YoY",
        importance: "high",
        actual: null,
        forecast: 2,
        previous: 1
      })
      const events = [
        event("KR", "2026-12-01T23:00:00.000Z"),
        event("GB", "2026-12-16T07:00:00.000Z"),
        event("US", "2026-12-20T13:30:00.000Z")
      ]
      const answers = { get_economic_calendar: { events, next_high: null } }
      const both = yield* play({ question: "us and uk cpi", answers })
      assert.include(both.text, "The next release is CPI YoY (UK)")
      assert.notInclude(both.text, "Korea")
      const own = yield* play({ question: "cpi when", answers })
      assert.include(own.text, "The next release is CPI YoY (US)")
    }))

  it.effect("is reported as not due only if no such event is ahead", () =>
    Effect.gen(function*() {
      const event = (country: string, name: string, actual: number | null) => ({
        country,
        time: null,
        date: "2026-12-09",
        name,
        importance: "medium",
        actual,
        forecast: null,
        previous: null
      })
      const ahead = [event("KR", "BoK Base Rate Decision", null), event("US", "FOMC Meeting", null)]
      for (
        const [question, events, verdict] of [
          ["when is the next rate decision", ahead, "The next release is BoK Base Rate Decision (Korea), 2026-12-09."],
          [
            "when is the next rate decision",
            [event("US", "FOMC Meeting", 4)],
            "No such release is due within 30 days."
          ],
          ["what's on the economic calendar?", ahead, "The next release is BoK Base Rate Decision (Korea), 2026-12-09."]
        ] as const
      ) {
        const { text } = yield* play({ question, answers: { get_economic_calendar: { events, next_high: null } } })
        assert.strictEqual(text.split("\n")[0], verdict, question)
      }
    }))

  it.effect("starts with the headline index, and with the core index only if the question names it", () =>
    Effect.gen(function*() {
      const event = (name: string) => ({
        country: "US",
        time: "2026-12-10T13:30:00.000Z",
        name,
        importance: "high",
        actual: null,
        forecast: 2,
        previous: 1
      })
      const events = [
        event("Core CPI m/m"),
        event("CPI m/m"),
        event("CPI y/y"),
        event("Core PCE m/m"),
        event("PCE m/m")
      ]
      const answers = { get_economic_calendar: { events, next_high: null } }
      for (
        const [lang, question, first, then] of [
          ["en", "cpi when", "The next release is CPI m/m (US)", "Core CPI m/m"],
          ["ko", "cpi 언제", "CPI m/m", "Core CPI m/m"],
          ["ru", "cpi когда", "CPI m/m", "Core CPI m/m"],
          ["en", "when is pce", "The next release is PCE m/m (US)", "Core PCE m/m"],
          ["en", "when is core cpi", "The next release is Core CPI m/m (US)", "CPI y/y"]
        ] as const
      ) {
        const { text } = yield* play({ lang, question, answers })
        const [verdict = "", ...lines] = text.split("\n")
        assert.include(verdict, first, question)
        if (!/core/.test(question)) assert.notInclude(verdict, "Core", question)
        assert.include(lines.join("\n"), then, question)
      }
    }))
})

layer(OfflineAnalyst)("a list of positions", (it) => {
  it.effect("shows the known values of each position", () =>
    Effect.gen(function*() {
      const known = { id: 1, side: "long", entry: null, stop: null, size_usd: null, leverage: null, mark: null }
      const positions = [
        { ...known, coin: "BTC", entry: 60_000, mark: 66_000, unrealised_usd: 100, unrealised_pct: 10 },
        { ...known, coin: "ETH", size_usd: 500, leverage: 3, mark: 2_500 },
        { ...known, coin: "SOL", side: "short", stop: 150 },
        { ...known, coin: "XRP" },
        { ...known, coin: "DOGE", entry: 0.2 }
      ]
      for (
        const [lang, question, lines] of [
          ["en", "my positions", [
            "BTC long: entry $60,000, mark $66,000, +$100.00 (+10.0%).",
            "ETH long: no entry recorded, size $500, leverage 3x, mark $2,500.",
            "SOL short: no entry recorded, no size recorded, stop $150.",
            "XRP long: no entry recorded, no size recorded.",
            "DOGE long: entry $0.2000, no size recorded."
          ]],
          ["ko", "내 포지션 보여줘", ["ETH 롱: 진입가 기록 없음, 규모 $500", "XRP 롱: 진입가 기록 없음"]],
          ["ru", "мои позиции", ["ETH лонг: вход не записан", "XRP лонг: вход не записан"]]
        ] as const
      ) {
        const { text } = yield* play({ lang, question, answers: { get_positions: { positions } } })
        for (const line of lines) assert.include(text, line, question)
      }
      const many = Array.from({ length: 9 }, (_, i) => ({ ...known, coin: `C${i}` }))
      const { text } = yield* play({ question: "my positions", answers: { get_positions: { positions: many } } })
      assert.include(text, "3 more positions are not shown")
    }))
})

layer(OfflineAnalyst)("new listings", (it) => {
  it.effect("are limited to the named exchange", () =>
    Effect.gen(function*() {
      const listing = (coin: string, exchange: string, hours: number) => ({
        coin,
        exchange,
        listed_at: "2026-11-20T00:00:00.000Z",
        hours_since: hours,
        premium_now_pct: null
      })
      const listings = [listing("AAA", "bithumb", 2), listing("BBB", "upbit", 5), listing("CCC", "upbit", 30)]
      const answers = { get_kr_listings: { listings } }
      for (
        const [lang, question, exchange, shown] of [
          ["en", "new upbit listings", "upbit", "BBB"],
          ["ko", "업비트 신규 상장", "upbit", "BBB"],
          ["ru", "новые листинги на апбит", "upbit", "BBB"],
          ["en", "newest bithumb listings", "bithumb", "AAA"],
          ["en", "new listings in korea", undefined, "AAA"],
          ["en", "new listings on upbit and bithumb", undefined, "AAA"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        assert.deepStrictEqual<unknown>(calls, [{
          name: "get_kr_listings",
          arguments: exchange === undefined ? {} : { exchange }
        }], question)
        assert.include(text.split("\n")[0], shown, question)
        assert.strictEqual(text.includes("AAA"), exchange !== "upbit", question)
      }
      const none = yield* play({ question: "new upbit listings", answers: { get_kr_listings: { listings: [] } } })
      assert.include(none.text, "No won market has opened on Upbit within 14 days.")
    }))
})
