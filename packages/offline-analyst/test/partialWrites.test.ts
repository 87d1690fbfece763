import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play, proposed } from "./support/play.ts"

const tools = ["set_position", "add_journal_note", "update_watchlist", "create_task", "get_price"]

layer(OfflineAnalyst)("a write that was understood only in part", (it) => {
  it.effect("is neither made nor proposed, and the answer names the unknown part and the understood values", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, word, shown] of [
          ["en", "open a btc short 3 at 92500 stop 93500 target 90000 5x", "“3”", "leverage `5`"],
          ["ko", "BTC 숏 3 92500 진입, 손절 93500, 목표 90000, 5배 기록해줘", "“3”", "손절가 `93500`"],
          ["ru", "запиши шорт BTC 3 по 92500 стоп 93500 цель 90000 5х", "«3»", "вход `92500`"],
          ["en", "add a note on BTC and ETH: entered too early", "“BTC, ETH”", "entered too early"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, word)
        assert.include(text, shown)
        assert.notMatch(text, /Done|완료|Готово/)
      }
    }))

  it.effect("is neither made nor proposed if the size is in another currency or in words", () =>
    Effect.gen(function*() {
      for (
        const [question, word] of [
          ["record btc long at 92500 size 500 eur", "“500 eur”"],
          ["record a btc short at 92500 half a coin", "“half”"],
          ["record eth long at 3000 size 2", "“2”"],
          ["change the size of position 17 to 0.5 btc", "“0.5”"]
        ] as const
      ) {
        const { calls, text } = yield* play({ question, tools: [...tools, "update_position"] })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, word)
        assert.match(text, /500 (?:USD|долларов)|500달러/)
      }
      const stated = yield* play({ question: "btc long entry 92500 half a coin", tools })
      assert.notInclude(stated.calls.map(({ name }) => name), "set_position")
    }))

  it.effect("is reported as not done if other words make it unclear", () =>
    Effect.gen(function*() {
      for (
        const question of ["log BTC long at 60000 0.2btc stop 58000", "open a btc short at 92500 stop 93500 thx dude"]
      ) {
        const { calls, text } = yield* play({ question, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, `Not done: “${question}”`)
      }
    }))
})

layer(OfflineAnalyst)("a position that is stated without a request", (it) => {
  it.effect("is proposed, not recorded, and the answer explains how to record it", () =>
    Effect.gen(function*() {
      const eth = { coin: "ETH", side: "long", entry: 3_100, stop: 3_000, size_usd: 1_000 }
      for (
        const [lang, question, args, says] of [
          ["en", "long eth 1000 usd entry 3100 stop 3000", eth, "Nothing was recorded"],
          ["en", "long eth 1000 usd entry 3100 stop 3000", eth, "“record long eth 1000 usd entry 3100 stop 3000”"],
          [
            "en",
            "short btc 500 usd entry 65000 stop 66000 target 60000",
            { coin: "BTC", side: "short", entry: 65_000, stop: 66_000, takes: [60_000], size_usd: 500 },
            "Nothing was recorded"
          ],
          ["en", "long btc at 65000", { coin: "BTC", side: "long", entry: 65_000 }, "Nothing was recorded"],
          [
            "en",
            "btc long 65000 stop under 63000",
            { coin: "BTC", side: "long", entry: 65_000, stop: 63_000 },
            "Nothing was recorded"
          ],
          ["ko", "이더 롱 1000달러 진입 3100 손절 3000", eth, "기록하지 않았습니다"],
          ["ko", "이더 롱 1000달러 진입 3100 손절 3000", eth, "“이더 롱 1000달러 진입 3100 손절 3000 기록해줘”"],
          ["ru", "лонг эфир 1000 долларов вход 3100 стоп 3000", eth, "Ничего не записано"],
          ["ru", "лонг эфир 1000 долларов вход 3100 стоп 3000", eth, "«запиши лонг эфир 1000 долларов"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers: { set_position: proposed } })
        assert.deepStrictEqual<unknown>(calls, [{
          name: "set_position",
          arguments: args
        }], question)
        assert.include(text, says, question)
        const [, example = ""] = /[“«](.+?)[”»]/u.exec(text) ?? []
        const recorded = yield* play({ lang, question: example, tools })
        assert.deepStrictEqual<unknown>(recorded.calls, [{ name: "set_position", arguments: args }], example)
      }
      const part = yield* play({ question: "long eth 3 entry 3100", tools })
      assert.deepStrictEqual(part.calls, [{ name: "get_price", arguments: { coin: "ETH" } }])
      assert.include(part.text, "“3”")
    }))

  it.effect("is not proposed for a question, an exit, an intention, a condition, a size plan or a measure", () =>
    Effect.gen(function*() {
      for (
        const question of [
          "sold my btc at 65000",
          "sell btc at 65000",
          "closed btc long at 65000",
          "take profit on btc long at 70000",
          "long btc above 65000",
          "I want to long btc at 65000",
          "btc long target 70000",
          "비트코인 숏 65000 정리",
          "비트코인 롱 65000 하고 싶어",
          "вышел из лонга биткоина на 65000",
          "продал биткоин по 65000",
          "хочу лонг btc по 65000",
          "should i long btc at 65000?",
          "long btc at 65000 good idea",
          "BTC long/short ratio 2",
          "long btc entry 66k sl 64.5k acc 5k risk 0.5%",
          "btc long liquidations 5000"
        ]
      ) {
        const { calls, text } = yield* play({ question, tools })
        assert.notInclude(calls.map(({ name }) => name), "set_position", question)
        assert.notInclude(text, "Nothing was recorded", question)
      }
    }))
})

/** Questions that record a position of a size in coins, and the worth of the size in dollars. */
const sizesInCoins: ReadonlyArray<readonly [question: string, entry: number, size: number]> = [
  ["record btc long at 92500 size 0.2 btc", 92_500, 18_500],
  ["record eth long at 3000 size 2 eth 2x", 3_000, 6_000],
  ["open a btc short 0.2 at 92500 stop 93500", 92_500, 18_500],
  ["add short eth 3150 sl 3230 size 2 eth", 3_150, 6_300],
  ["add short eth 2450 sl 2500 0.5 eth", 2_450, 1_225],
  ["long btc 0.3 66800 stop 65500 log it", 66_800, 20_040],
  ["bought 1.5 eth at 3050 log it", 3_050, 4_575],
  ["log a short on 1000 doge at 0.16 stop 0.17", 0.16, 160],
  ["BTC 롱 92500 진입 규모 0.2개 기록해줘", 92_500, 18_500],
  ["비트 0.3개 67000에 롱 잡았어 기록해줘 손절 65800", 67_000, 20_100],
  ["0.5 이더 숏 3100에 들어감 손절 3180 기록", 3_100, 1_550],
  ["запиши лонг BTC по 92500 размер 0,2 биткоина", 92_500, 18_500],
  ["купил 2 соланы по 128 запиши", 128, 256]
]

layer(OfflineAnalyst)("a size in coins", (it) => {
  it.effect("is recorded as its worth in dollars at the entry, and the answer shows the calculation", () =>
    Effect.gen(function*() {
      for (const [question, entry, size] of sizesInCoins) {
        const { calls, text } = yield* play({ question, answers: { set_position: proposed } })
        assert.deepInclude(calls[0]?.arguments, { entry, size_usd: size }, question)
        assert.match(text, /The journal keeps sizes|일지는 규모를|Журнал хранит размер/, question)
      }
    }))

  it.effect("is not assumed for a whole number without a unit", () =>
    Effect.gen(function*() {
      const { calls } = yield* play({ question: "log BTC long 60000 stop 58000 size 500", tools })
      assert.deepInclude(calls[0]?.arguments, { entry: 60_000, size_usd: 500 })
    }))
})

/** Conversations about one position, and the call of their last message. */
const positionFollowUps: ReadonlyArray<readonly [messages: ReadonlyArray<string>, call: string, fields: object]> = [
  [["bought 1.5 eth at 3050 log it", "stop at 2950"], "set_position", { entry: 3_050, size_usd: 4_575, stop: 2_950 }],
  [["long btc 66000 stop 65000", "make the stop 64500", "tp 70k"], "set_position", { stop: 64_500, takes: [70_000] }],
  [["shorted 0.2 btc at 67500 stop 68500", "log it"], "set_position", { side: "short", stop: 68_500 }],
  [["비트 롱 0.1개 66000 손절 65000", "손절 64500으로"], "set_position", { entry: 66_000, stop: 64_500 }],
  [["купил 2 соланы по 128 запиши", "стоп 120"], "set_position", { coin: "SOL", stop: 120 }]
]

layer(OfflineAnalyst)("a follow-up about a position of the conversation", (it) => {
  it.effect("proposes the whole position with the change", () =>
    Effect.gen(function*() {
      for (const [messages, name, fields] of positionFollowUps) {
        const earlier = messages.slice(0, -1).map((question) => ({ question, answer: "" }))
        const { calls } = yield* play({
          question: messages.at(-1) ?? "",
          earlier,
          answers: { get_positions: { positions: [] }, set_position: proposed }
        })
        assert.deepStrictEqual(calls.map((call) => call.name), ["get_positions", name], messages.join(" | "))
        assert.deepInclude(calls[1]?.arguments, fields, messages.join(" | "))
      }
    }))

  it.effect("changes the record if the journal has the position", () =>
    Effect.gen(function*() {
      const { calls } = yield* play({
        question: "stop at 2950",
        earlier: [{ question: "bought 1.5 eth at 3050 log it", answer: "" }],
        answers: {
          get_positions: { positions: [{ id: 7, coin: "ETH", side: "long", entry: 3_050 }] },
          update_position: proposed
        }
      })
      assert.deepStrictEqual(calls[1], { name: "update_position", arguments: { id: 7, stop: 2_950 } })
    }))

  it.effect("proposes nothing for a question, an alert or another coin", () =>
    Effect.gen(function*() {
      for (const question of ["손익비는 68000 목표면", "where is the stop?", "alert me at 2950", "stop of sol 120"]) {
        const { calls } = yield* play({
          question,
          earlier: [{ question: "bought 1.5 eth at 3050 log it", answer: "" }],
          answers: { get_positions: { positions: [] }, set_position: proposed }
        })
        assert.notInclude(calls.map(({ name }) => name), "set_position", question)
      }
    }))
})

layer(OfflineAnalyst)("a question with a number", (it) => {
  it.effect("is not reported as an unclear write", () =>
    Effect.gen(function*() {
      const question = "is btc above its 200 ema on the daily"
      const { text } = yield* play({ question, answers: { get_indicators: { coin: "BTC", rsi: 50 } } })
      assert.notInclude(text, "Not done")
    }))
})

layer(OfflineAnalyst)("a completed write", (it) => {
  it.effect("is shown completely, as the tool stored it", () =>
    Effect.gen(function*() {
      const position = {
        id: 17,
        coin: "BTC",
        side: "short",
        entry: 92_500,
        stop: 93_500,
        takes: [],
        size_usd: null,
        leverage: 5,
        notes: null,
        updated_at: "2026-11-20T15:33:00.000Z"
      }
      const { text } = yield* play({
        question: "open a btc short at 92500 stop 93500 5x",
        answers: { set_position: { position, notes: [] } }
      })
      assert.include(
        text,
        "number `17`, coin `BTC`, side `short`, entry `92500`, stop `93500`, targets none, size in USD none, " +
          "leverage `5`, notes none."
      )
      const spec = { metric: "price", market: "coin", symbol: "BTC", op: "gt", value: 100_000 }
      const task = {
        id: 5,
        title: "BTC price gt 100000",
        kind: "watch",
        spec,
        prompt: null,
        status: "active",
        max_runs: 1
      }
      for (
        const [lang, question, shown] of [
          [
            "en",
            "Alert me when BTC goes above 100k",
            /Stored: .*number `5`.*market `coin`.*value `100000`.*maximum runs `1`/
          ],
          ["ko", "비트코인 10만 달러 넘으면 알려줘", /저장한 내용: .*번호 `5`.*값 `100000`.*최대 실행 횟수 `1`/],
          ["ru", "Сообщи, когда биткоин поднимется выше 100к", /Сохранено: .*номер `5`.*значение `100000`/]
        ] as const
      ) {
        const made = yield* play({ lang, question, answers: { create_task: { task } } })
        assert.match(made.text, shown)
      }
      const accepted = yield* play({
        question: "yes",
        accepted: {
          tool: "update_watchlist",
          arguments: { add: ["ETH"] },
          summary: "",
          ok: true,
          result: { data: { coins: ["BTC", "ETH"] } }
        }
      })
      assert.include(accepted.text, "coins to add `ETH`, watchlist `BTC`, `ETH`.")
    }))
})
