import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play, proposed } from "./support/play.ts"

const answers = {
  create_task: proposed,
  get_price: { coin: "SOL", price: 132.24 },
  get_us_stock: { symbol: "NVDA", price: 160 },
  get_kr_stock: { symbol: "005930", price_krw: 70_000 }
}
const price = (symbol: string, op: string, value: number, market?: string) => ({
  metric: "price",
  symbol,
  ...(market === undefined ? {} : { market }),
  op,
  value
})

layer(OfflineAnalyst)("an alert on a percentage", (it) => {
  it.effect("is proposed as a price at that distance from the current or the named price if it has a direction", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, spec] of [
          ["en", "alert me when SOL is 10% below", price("SOL", "lt", 119.016)],
          ["en", "alert SOL 10% below", price("SOL", "lt", 119.016)],
          ["en", "alert me if SOL drops 10% from here", price("SOL", "lt", 119.016)],
          ["en", "alert me when SOL is 10% above the current price", price("SOL", "gt", 145.464)],
          ["en", "alert me if SOL falls 10% below 200", price("SOL", "lt", 180)],
          ["en", "alert me if NVDA drops 10%", price("NVDA", "lt", 144, "us")],
          ["ko", "솔라나 10% 떨어지면 알려줘", price("SOL", "lt", 119.016)],
          ["ko", "삼성전자 5% 오르면 알려줘", price("005930", "gt", 73_500, "kr")],
          ["ru", "сообщи, если солана упадет на 10%", price("SOL", "lt", 119.016)],
          ["ru", "сообщи, когда солана вырастет на 10% от текущей цены", price("SOL", "gt", 145.464)]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        const proposal = calls.find(({ name }) => name === "create_task")
        assert.deepNestedInclude(proposal?.arguments, { spec }, question)
        assert.notMatch(text, /60 minutes|60분|60 минут/, question)
      }
    }))

  it.effect("is not created for one direction within an hour, and the offered alternatives work", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, op] of [
          ["en", "tell me when BTC rises 3% in an hour", "gt"],
          ["en", "tell me when BTC falls 3% in an hour", "lt"],
          ["en", "alert me when BTC is up 3% within 60 minutes", "gt"],
          ["ko", "비트코인 한 시간 안에 3% 오르면 알려줘", "gt"],
          ["ko", "비트코인 1시간 내 3% 급락하면 알려줘", "lt"],
          ["ru", "сообщи, когда биткоин вырастет на 3% за час", "gt"],
          ["ru", "сообщи, когда биткоин упадет на 3% за час", "lt"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        assert.deepStrictEqual(calls, [], question)
        const [either = "", level = ""] = Array.from(
          text.matchAll(/[“«]([^”»]+)[”»]/gu),
          ([, offered]) => offered ?? ""
        )
        const moved = yield* play({ lang, question: either, answers })
        assert.deepInclude(moved.calls[0]?.arguments, { spec: { metric: "gap", symbol: "BTC", value: 3 } }, either)
        const passed = yield* play({ lang, question: level, answers })
        const proposal = passed.calls.find(({ name }) => name === "create_task")
        assert.deepNestedInclude(proposal?.arguments, { "spec.op": op, "spec.symbol": "BTC" }, level)
      }
      for (
        const [lang, question] of [
          ["en", "alert me when any coin drops 3% in an hour"],
          ["ko", "아무 코인이나 한 시간 안에 3% 떨어지면 알려줘"],
          ["ru", "сообщи, когда любая монета упадет на 3% за час"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        assert.deepStrictEqual(calls, [], question)
        assert.notInclude(text, "BTC", question)
        const [, either = ""] = /[“«]([^”»]+)[”»]/u.exec(text) ?? []
        const moved = yield* play({ lang, question: either, answers })
        assert.deepInclude(moved.calls[0]?.arguments, { spec: { metric: "gap", symbol: "*", value: 3 } }, either)
      }
      for (
        const [lang, question, says] of [
          ["en", "alert me when it drops 3% in an hour", "Which instrument do you mean?"],
          ["ko", "한 시간 안에 3% 떨어지면 알려줘", "어떤 종목을 말씀하시나요?"],
          ["ru", "сообщи, когда упадет на 3% за час", "О каком инструменте речь?"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, says, question)
      }
      for (
        const question of [
          "alert me when SOL moves over 5% in an hour",
          "set up an alert when SOL moves 5% in an hour",
          "set me up an alert when SOL moves 5% in an hour",
          "set it up: alert me when SOL moves 5% in an hour",
          "alert me when SOL rises or falls 5% in an hour"
        ]
      ) {
        const { calls } = yield* play({ question, answers })
        assert.deepInclude(calls[0]?.arguments, { spec: { metric: "gap", symbol: "SOL", value: 5 } }, question)
      }
    }))

  it.effect("is created for a move in either direction, and not for a level that is not a price", () =>
    Effect.gen(function*() {
      const gap = { metric: "gap", symbol: "SOL", value: 5 }
      const moved = yield* play({ question: "alert me when SOL moves 5% in an hour", answers })
      assert.deepInclude(moved.calls[0]?.arguments, { spec: gap })
      assert.include(moved.text, "whichever way")
      for (const question of ["alert me when BTC dominance falls 5%", "alert me if SOL is 10% below its 7d high"]) {
        const { calls, text } = yield* play({ question, answers })
        assert.deepStrictEqual(calls, [], question)
        assert.match(text, /cannot watch|count down/, question)
      }
    }))
})

layer(OfflineAnalyst)("a time of day", (it) => {
  it.effect("is in the zone that the question names, in each language", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, spec, prompt] of [
          ["en", "every day at 9am kst send me an overview of BTC", ["09:00", 9], "send me an overview of BTC"],
          ["en", "9am KST every day overview of BTC", ["09:00", 9], "overview of BTC"],
          ["en", "every day at 21:00 utc-5 send me an overview of BTC", ["21:00", -5], "send me an overview of BTC"],
          ["en", "every morning at 7:30 msk tell me about ETH", ["07:30", 3], "tell me about ETH"],
          ["ko", "매일 아침 9시 모스크바 시간으로 비트코인 시황 알려줘", ["09:00", 3], "비트코인 시황 알려줘"],
          ["ko", "매일 아침 9시에 비트코인 시황 알려줘", ["09:00", 9], "비트코인 시황 알려줘"],
          ["ru", "каждый день в 9:00 по Сеулу присылай обзор BTC", ["09:00", 9], "присылай обзор BTC"],
          ["ru", "каждый день в 9:00 присылай обзор BTC", ["09:00", 3], "присылай обзор BTC"]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, answers })
        const [at, zone] = spec
        assert.deepInclude(calls[0]?.arguments, { spec: { at, tz_offset_hours: zone }, prompt }, question)
      }
      const once = yield* play({ question: "remind me tomorrow at 9am kst to check my positions", answers })
      assert.deepNestedInclude(once.calls[0]?.arguments, {
        "spec": { at: "09:00", tz_offset_hours: 9 },
        "prompt": "check my positions"
      })
      assert.include(once.text, "09:00 (UTC+9)")
    }))

  it.effect("creates nothing in a zone without a fixed offset, and asks for the offset", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, says] of [
          ["en", "every day at 9am new york time send me BTC news", "UTC-5"],
          ["en", "every day at 9am ET send me BTC news", "UTC-5"],
          ["ko", "매일 9시 뉴욕 시간으로 비트코인 시황 알려줘", "UTC-5"],
          ["ru", "каждый день в 9:00 по Нью-Йорку присылай обзор BTC", "UTC-5"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, says, question)
      }
    }))
})
