import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play } from "./support/play.ts"

const tools = ["get_derivatives", "get_funding_comparison", "get_economic_calendar", "get_iv_metrics"]
const earlier = [{ question: "How is ETH?", answer: "ETH trades at $2,500." }]

layer(OfflineAnalyst)("a figure that a question asks for", (it) => {
  it.effect("is that of the coin spoken of before, and a meaning is told without one", () =>
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

layer(OfflineAnalyst)("a release of the economic calendar", (it) => {
  it.effect("is that of the country that is named, else of the United States", () =>
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

  it.effect("is answered with events of the named countries alone", () =>
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
})
