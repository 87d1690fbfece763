import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { Effect } from "effect"
import { ask, play, proposed, textOf } from "./support/play.ts"

const price = { coin: "BTC", price: 95_000, change_24h_pct: 1.5, low_24h: 94_000, high_24h: 96_000 }

layer(OfflineAnalyst)("questions of traders", (it) => {
  it.effect("are answered with the hint that the service may not offer a missing tool", () =>
    Effect.gen(function*() {
      for (const question of ["Alert me when BTC goes above 100k", "Show my positions"]) {
        const { text } = yield* play({ question, tools: [] })
        assert.match(text, /service (?:does not offer|that offers) it/, question)
      }
    }))

  it.effect("create no watch for a measure that is not a price, and explain what a watch can do", () =>
    Effect.gen(function*() {
      const tools = ["create_task", "get_price", "get_levels"]
      for (
        const [lang, question, says] of [
          ["en", "Alert me when BTC RSI goes above 70", "cannot watch"],
          ["en", "Alert me if ETH funding goes negative", "cannot watch"],
          ["ko", "김프 5 넘으면 알려줘", "감시할 수 없습니다"],
          ["ru", "Сообщи, когда фандинг эфира станет выше 0,05", "следить не могу"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, says, question)
      }
    }))

  it.effect("create each watch that is possible, and explain what a watch cannot do", () =>
    Effect.gen(function*() {
      const tools = ["create_task", "get_price", "get_levels"]
      const price = (symbol: string, op: string, value: number, market?: string) => ({
        metric: "price",
        symbol,
        ...(market === undefined ? {} : { market }),
        op,
        value
      })
      const gap = { metric: "gap", symbol: "ETH", value: 5 }
      for (
        const [lang, question, specs, says] of [
          ["en", "tell me when BTC RSI on 4h drops under 30", [], "cannot watch"],
          ["en", "alert me when BTC 4h RSI > 70", [], "cannot watch"],
          ["en", "alert me when BTC mentions are above 5000", [], "cannot watch"],
          ["en", "alert me when BTC closes above 70000", [], "cannot watch"],
          ["en", "alert me when ETH/BTC breaks 0.04", [], "cannot watch"],
          ["en", "alert me when BTC volume doubles", [], "cannot watch"],
          ["en", "alert me when BTC is above 90k for 2 hours", [], "count down"],
          ["en", "alert me when ETH moves 5% in a day", [], "count down|cannot watch"],
          ["en", "alert me when ETH is up 5% in an hour", [], "whichever way"],
          ["en", "alert me when ETH moves 5% in an hour", [gap], "whichever way"],
          [
            "en",
            "alert me when BTC is above 90k and ETH above 3k",
            [price("BTC", "gt", 90_000), price("ETH", "gt", 3_000)],
            "conditions of their own"
          ],
          ["en", "alert me if NVDA falls below 150", [price("NVDA", "lt", 150, "us")], ""],
          ["ko", "삼성전자 6만원 밑으로 가면 알려줘", [price("005930", "lt", 60_000, "kr")], ""],
          ["ko", "이더 RSI 30 아래로 가면 알림", [], "감시할 수 없습니다"],
          ["ko", "비트 펀비 마이너스 되면 알려줘", [], "감시할 수 없습니다"],
          ["ru", "сообщи когда доминация упадет ниже 50", [], "следить не могу"],
          ["ru", "алерт: эфир 3000 вниз", [price("ETH", "lt", 3_000)], ""],
          ["ru", "напомни через час проверить эфир", [], "Отсчитывать время"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools, answers: { create_task: proposed } })
        const made = calls.flatMap(({ arguments: args, name }) => name.startsWith("get_") ? [] : [JSON.stringify(args)])
        assert.lengthOf(made, specs.length, question)
        specs.forEach((spec, i) => assert.include(made[i], JSON.stringify(spec), question))
        assert.match(text, new RegExp(says), question)
      }
      const question = "remind me tomorrow at 9am to check my positions"
      const { calls, text } = yield* play({ question, tools, answers: { create_task: proposed } })
      assert.deepStrictEqual(calls, [{
        name: "create_task",
        arguments: {
          title: question,
          kind: "schedule",
          spec: { at: "09:00", tz_offset_hours: 0 },
          prompt: "check my positions",
          max_runs: 1
        }
      }])
      assert.include(text, "at the next 09:00 (UTC+0)")
    }))

  it.effect("record all stated values of a position and of a risk profile", () =>
    Effect.gen(function*() {
      const of = (coin: string, side: string, rest: object) => ["set_position", { coin, side, ...rest }] as const
      const btc = of("BTC", "long", { entry: 60_000, stop: 58_000 })
      for (
        const [lang, question, [name, args]] of [
          ["ko", "BTC 롱 60000에 진입, 스탑 58000, 기록해줘", btc],
          ["en", "record a BTC long at 60000 with a stop at 58000", btc],
          ["en", "open long BTC 60000 stop 58000", btc],
          ["ru", "запиши лонг BTC по 60000 со стопом 58000", btc],
          [
            "en",
            "log BTC long 60000 stop 58000 size 500",
            of("BTC", "long", { entry: 60_000, stop: 58_000, size_usd: 500 })
          ],
          [
            "en",
            "log my ETH long at 3000 with stop 2900, size 500",
            of("ETH", "long", { entry: 3_000, stop: 2_900, size_usd: 500 })
          ],
          [
            "ko",
            "비트 롱 9만에 진입, 스탑 8만 8천, 1000달러, 기록해줘",
            of("BTC", "long", { entry: 90_000, stop: 88_000, size_usd: 1_000 })
          ],
          [
            "en",
            "open a long on ETH at 3000 stop 2900 with $500",
            of("ETH", "long", { entry: 3_000, stop: 2_900, size_usd: 500 })
          ],
          [
            "en",
            "I'm long SOL from 130, stop 124, 1000 dollars. Please record it",
            of("SOL", "long", { entry: 130, stop: 124, size_usd: 1_000 })
          ],
          [
            "en",
            "log a short on XRP at 2.2, stop 2.35, target 1.8, size 2000 usd, 5x",
            of("XRP", "short", { entry: 2.2, stop: 2.35, takes: [1.8], size_usd: 2_000, leverage: 5 })
          ],
          [
            "ru",
            "Запиши шорт по XRP от 2,2 стоп 2,35 на 300 баксов",
            of("XRP", "short", { entry: 2.2, stop: 2.35, size_usd: 300 })
          ],
          ["en", "BTC long at 60000, stop 58000, record it", btc],
          [
            "en",
            "log this: long eth 2600 sl 2500 10x",
            of("ETH", "long", { entry: 2_600, stop: 2_500, leverage: 10 })
          ],
          [
            "en",
            "set my account size to 20000 and risk per trade 1%",
            ["set_risk_profile", { account_usd: 20_000, risk_pct: 1 }]
          ],
          [
            "en",
            "set my risk profile: account 20000 usd, max 1% per trade",
            ["set_risk_profile", { account_usd: 20_000, risk_pct: 1 }]
          ]
        ] as const
      ) {
        const tools = ["set_position", "set_risk_profile", "get_price"]
        const { calls } = yield* play({ lang, question, tools })
        assert.deepStrictEqual(calls, [{ name, arguments: args }], question)
      }
    }))

  it.effect("make each of several writes, and report each write that was not made", () =>
    Effect.gen(function*() {
      const answers = { update_watchlist: { coins: [] }, delete_position: { id: 17 }, add_journal_note: { note: {} } }
      for (
        const [lang, question, calls, says] of [
          ["en", "remove DOGE and add PEPE to my watchlist", [{ remove: ["DOGE"] }, { add: ["PEPE"] }], /Done.*Done/s],
          ["ko", "관심종목에서 도지 빼고 페페 추가해줘", [{ remove: ["DOGE"] }, { add: ["PEPE"] }], /완료.*완료/s],
          ["ru", "Убери DOGE из вотчлиста и добавь PEPE", [{ remove: ["DOGE"] }, { add: ["PEPE"] }], /Готово.*Готово/s],
          ["en", "Delete position 17 and close 18 at 3000", [{ id: 17 }], /Done.*Not done: “close 18 at 3000”/s],
          ["ko", "17번 포지션 삭제하고 18번은 3000에 청산해줘", [{ id: 17 }], /완료.*하지 않은 것: “18번은 3000에/s],
          ["ru", "Удали позицию 17 и закрой 18 по 3000", [{ id: 17 }], /Готово.*Не сделано: «закрой 18 по 3000»/s],
          ["en", "Add a note on BTC: too early", [{ text: "too early", coin: "BTC" }], /Done/],
          ["ko", "비트코인 메모해줘: 너무 빨랐다", [{ text: "너무 빨랐다", coin: "BTC" }], /완료/],
          ["ru", "Добавь заметку по BTC: рано вошёл", [{ text: "рано вошёл", coin: "BTC" }], /Готово/]
        ] as const
      ) {
        const played = yield* play({ lang, question, answers })
        assert.deepStrictEqual<unknown>(played.calls.map((call) => call.arguments), calls, question)
        assert.match(played.text, says, question)
      }
    }))

  it.effect("says what a write lacks that is not stated in full, and the scope that a key lacks for it", () =>
    Effect.gen(function*() {
      for (
        const [lang, question] of [
          ["en", "move my stop"],
          ["ko", "내 손절 옮겨줘"],
          ["ru", "подвинь мой стоп"],
          ["en", "add a note on BTC"],
          ["ko", "비트코인 메모 추가해줘"],
          ["ru", "Добавь заметку по BTC"]
        ] as const
      ) {
        const reader = yield* play({ lang, question, answers: { get_price: price, get_positions: { positions: [] } } })
        assert.deepStrictEqual(reader.calls, [], question)
        assert.include(reader.text, "write:personal", question)
        assert.include(reader.text, question)
        const writer = yield* play({ lang, question, tools: ["update_position", "add_journal_note"] })
        assert.notInclude(writer.text, "write:personal", question)
        assert.include(writer.text, question)
      }
      const stop = { question: "move my stop to 58000", answers: { get_positions: { positions: [] } } }
      assert.include(
        (yield* play(stop)).text,
        "write:personal",
        "the position is unknown, and the key cannot change it"
      )
    }))

  it.effect("list tasks by their numbers", () =>
    Effect.gen(function*() {
      const tasks = [{ id: 12, title: "BTC above 100000", status: "active" }]
      const { text } = yield* play({ question: "Show my alerts", answers: { get_tasks: { tasks } } })
      assert.include(text, "Your tasks: 1.")
      assert.include(text, "Task 12, BTC above 100000")
    }))

  it.effect("return the price of a coin on a date, and say if the date is too long ago", () =>
    Effect.gen(function*() {
      const answers = {
        get_price: { ...price, as_of: "2026-11-22T06:00:40.000Z" },
        get_price_at: { coin: "BTC", price: 88_000, time: "2026-11-01T00:00:00.000Z", change_pct: 7.95 }
      }
      const first = { question: "Where was BTC on 1 November?", answer: "..." }
      for (
        const [lang, question] of [
          ["en", first.question],
          ["en", "What did bitcoin cost on November 1st, 2026? price please"],
          ["en", "BTC close on 2026-11-01?"],
          ["ko", "비트코인 11월 1일 가격 얼마였어?"],
          ["ru", "Сколько стоил биток 1 ноября?"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, answers })
        assert.deepInclude(calls, { name: "get_price_at", arguments: { coin: "BTC", minutes_ago: 30_600 } }, question)
        assert.match(text, /^[^\n]*88[, \u00a0\u202f]000/u, question)
      }
      const later = yield* play({ question: "and on 5 November?", answers, earlier: [first] })
      assert.deepInclude(later.calls, { name: "get_price_at", arguments: { coin: "BTC", minutes_ago: 24_840 } })
      const other = yield* play({
        question: "and ETH?",
        answers: { get_price: { ...answers.get_price, coin: "ETH" }, get_price_at: {} },
        earlier: [first]
      })
      assert.deepInclude(other.calls, { name: "get_price_at", arguments: { coin: "ETH", minutes_ago: 30_600 } })
      for (const question of ["Where was BTC on 1 September?", "BTC price on 2027-01-01?"]) {
        const { calls, text } = yield* play({ question, answers })
        assert.deepStrictEqual(calls.map(({ name }) => name), ["get_price"], question)
        assert.include(text, "no number for it", question)
      }
      const option = yield* play({ question: "Where is max pain of BTC on 27 November?", answers })
      assert.notInclude(option.calls.map(({ name }) => name), "get_price_at")
    }))

  it.effect("accept Russian names of coins in each case", () =>
    Effect.gen(function*() {
      for (
        const [question, coin] of [["а у солы?", "SOL"], ["а по соле?", "SOL"], ["а на доге?", "DOGE"]] as const
      ) {
        const { calls } = yield* play({
          lang: "ru",
          question,
          tools: ["get_derivatives"],
          earlier: [{ question: "Какой фандинг у эфира?", answer: "..." }]
        })
        assert.deepStrictEqual(calls, [{ name: "get_derivatives", arguments: { coin } }], question)
      }
    }))

  it.effect("lead to no suggestion about an unknown ticker", () =>
    Effect.gen(function*() {
      const unknown =
        "I do not know “FLOOPCOIN”: Tapeline tracks no such ticker, so I have no numbers for it and make none " +
        "up. Check the spelling or name another."
      const request = makeModelRequest({
        purpose: "suggest",
        turns: [{ _tag: "Assistant", text: unknown, calls: [] }],
        brief: {
          lang: "en",
          mode: "analyst",
          question: "What's the price of FLOOPCOIN?",
          coin: null,
          facts: {},
          earlier: [],
          images: 0,
          accepted: null
        }
      })
      const text = textOf(yield* ask(request))
      assert.notInclude(text, "FLOOPCOIN")
      assert.include(text, "BTC")
    }))

  it.effect("size a position from the stated entry, stop and account, in any wording", () =>
    Effect.gen(function*() {
      const stated = { entry: 92_000, stop: 90_000, account_usd: 10_000, risk_pct: 1 }
      for (
        const [lang, question] of [
          ["en", "Size a long BTC at 92000 with stop 90000, risk 1% of 10000 USD"],
          ["ko", "비트코인 92000 롱, 손절 90000, 계좌 10000달러 1% 위험이면 얼마나?"],
          ["ru", "Размер лонга BTC по 92000, стоп 90000, риск 1% от 10000?"]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, answers: { get_risk_sizing: {}, get_price: price } })
        assert.deepEqual(calls.map(({ name }) => name), ["get_risk_sizing"], question)
        assert.deepInclude(calls[0]?.arguments, stated, question)
      }
      const market = yield* play({
        question: "Risk of a long BTC, stop 90000, account 10000?",
        answers: { get_risk_sizing: {}, get_price: price }
      })
      assert.deepEqual(market.calls.map(({ name }) => name), ["get_price", "get_risk_sizing"])
    }))
})
