import { assert, it, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import { Effect } from "effect"
import { nearNames } from "../src/analyst/reading/nearNames.ts"
import { unknownNameIn } from "../src/analyst/reading/unknownNames.ts"
import { answersWithoutCalls, ask, play, textOf } from "./support/play.ts"

const price = { coin: "ETH", price: 2_500, change_24h_pct: 1.5, low_24h: 2_400, high_24h: 2_600 }

it("finds the unknown name in a short question", () => {
  for (
    const [question, name] of [
      ["gold price", "gold"],
      ["how much is dogecion today?", "dogecion"],
      ["what is the price of crude oil", "crude oil"],
      ["is unobtainium bullish", "unobtainium"],
      ["alert me when gold goes above 3000", "gold"],
      ["금 시세", "금"],
      ["금시세 알려줘", "금"],
      ["금 3000달러 넘으면 알려줘", "금"],
      ["비트코앤은 지금 얼마야?", "비트코앤"],
      ["цена золота", "золота"],
      ["сколько сейчас стоит нефть?", "нефть"],
      // Questions with no unknown name, or with several.
      ["how is the crypto market today?", null],
      ["is funding stretched anywhere", null],
      ["latest news", null],
      ["treasury yields outlook", null],
      ["should gold miners hedge against falling copper prices", null],
      ["오늘 시장 어때", null],
      ["최신 뉴스 알려줘", null],
      ["что с рынком сегодня", null],
      ["какой прогноз на завтра", null],
      ["what is the implied volatility", null],
      ["내재변동성은?", null],
      ["맥스페인이 뭔데", null],
      ["а какая вероятность роста", null],
      ["", null]
    ] as const
  ) {
    assert.strictEqual(unknownNameIn(question)?.name ?? null, name, question)
  }
})

it("is sure of a name only if a question about a price names its instrument", () => {
  const isSure = (question: string) => unknownNameIn(question)?.isSure ?? false
  for (
    const question of [
      "gold price",
      "what is the gold price today",
      "price of crude oil",
      "how much is dogecion",
      "foobar funding",
      "금 시세",
      "비트코앤 지금 얼마야",
      "цена золота",
      "нефть почем",
      "сколько сейчас стоит нефть"
    ]
  ) {
    assert.isTrue(isSure(question), question)
  }
  for (
    const question of [
      "what price should i set my stop at",
      "is the chart ugly",
      "how much leverage is too much",
      "predict the price",
      "price action summary",
      "chart patterns?",
      "지금 가격 적당해?",
      "얼마까지 갈까?",
      "차트 분석해줘",
      "가격 왜 떨어졌어",
      "какая была цена вчера",
      "сколько процентов за неделю",
      "адекватная цена?"
    ]
  ) {
    assert.isFalse(isSure(question), question)
  }
})

it("suggests known names that are spelt similarly", () => {
  for (
    const [name, near] of [
      ["DOGECION", "DOGE"],
      ["etherium", "ETH"],
      ["비트코앤", "BTC"],
      ["биткоен", "BTC"],
      ["nvidea", "NVIDIA (NVDA)"],
      ["tesle", "Tesla (TSLA)"]
    ] as const
  ) {
    assert.strictEqual(nearNames(name)[0], near, name)
  }
  assert.deepStrictEqual(nearNames("oil"), [], "every name is similar to three letters")
  assert.deepStrictEqual(nearNames("x".repeat(5_000)), [])
})

layer(OfflineAnalyst)("a question about an unknown instrument", (it) => {
  it.effect("names the unrecognised word and makes no call, also after a question about another coin", () =>
    Effect.gen(function*() {
      for (
        const [question, name] of [
          ["gold price", "“gold”"],
          ["금 시세는?", "‘금’"],
          ["цена золота", "«золота»"]
        ] as const
      ) {
        for (const earlier of [[], [{ question: "ETH?", answer: "ETH trades at $2,500." }]]) {
          const { calls, text } = yield* play({ question, earlier, answers: { get_price: price, get_score: {} } })
          assert.deepStrictEqual(calls, [], question)
          assert.include(text, name)
          assert.notMatch(text, /BTC|ETH|\$\d/, question)
        }
      }
    }))

  it.effect("is not answered with the numbers of a coin from the question before", () =>
    Effect.gen(function*() {
      for (
        const [first, question, names] of [
          ["price of BTC", "and for gold?", ["“gold”"]],
          ["funding of BTC", "and gold?", ["“gold”"]],
          ["how is BTC?", "gold?", ["“gold”"]],
          ["price of BTC", "what about gold and silver?", ["“gold”", "“silver”"]],
          ["비트코인 시세", "금은?", ["‘금’"]],
          ["비트코인 펀딩비", "그럼 금은?", ["‘금’"]],
          ["цена биткоина", "а золото?", ["«золото»"]],
          ["какой фандинг у биткоина", "а по нефти?", ["«нефти»"]],
          ["비트코인 시세", "모네로는?", ["‘모네로’"]],
          ["цена биткоина", "а у монеро?", ["«монеро»"]],
          ["비트코인 시세", "카스파는?", ["‘카스파’"]],
          ["비트코인 펀딩비", "그럼 지캐시는?", ["‘지캐시’"]],
          ["цена биткоина", "а каспа?", ["«каспа»"]],
          ["какой фандинг у биткоина", "а у зкэша?", ["«зкэша»"]]
        ] as const
      ) {
        const earlier = [{ question: first, answer: "BTC trades at $95,000." }]
        const tools = ["get_price", "get_score", "get_derivatives", "get_indicators", "get_levels"]
        const { calls, text } = yield* play({ question, earlier, tools })
        assert.deepStrictEqual(calls, [], question)
        for (const name of names) assert.include(text, name, question)
        assert.notMatch(text, /BTC|\$\d/, question)
      }
    }))

  it.effect("is not answered about the coin before if it names a measure", () =>
    Effect.gen(function*() {
      const earlier = [{ question: "How is ETH?", answer: "ETH trades at $2,500." }]
      const tools = ["get_price", "get_score", "get_derivatives", "get_indicators", "get_levels", "get_liquidation_map"]
      for (
        const [question, name] of [
          ["kaspa funding rate", "“kaspa”"],
          ["how is kaspa funding", "“kaspa”"],
          ["liquidation map of foo", "“foo”"],
          ["фандинг каспы", "«каспы»"],
          ["уровни каспы", "«каспы»"],
          ["ликвидации каспы", "«каспы»"],
          ["открытый интерес каспы", "«каспы»"]
        ] as const
      ) {
        const { calls, text } = yield* play({ question, earlier, tools })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, name, question)
        assert.notMatch(text, /ETH|\$\d/, question)
        const followed = yield* play({
          question: "and its open interest?",
          earlier: [...earlier, { question, answer: text }],
          tools
        })
        assert.deepStrictEqual(followed.calls, [], question)
        assert.notMatch(followed.text, /ETH|\$\d/, question)
      }
      const fork = yield* play({ question: "price of bitcoin sv", tools })
      assert.notInclude(JSON.stringify(fork.calls), "BTC")
      for (
        const question of [
          "funding rate",
          "negative funding meaning",
          "what is the funding rate",
          "is the chart ugly",
          "support levels",
          "уровни поддержки",
          "открытый интерес вырос?",
          "ликвидации лонгов"
        ]
      ) {
        const { text } = yield* play({ question, earlier, tools })
        assert.notMatch(text, /I do not know|I did not read|Мне неизвестно|не понял/u, question)
      }
    }))

  it.effect("is not answered with the whole market after a question about that market", () =>
    Effect.gen(function*() {
      const tools = [
        "get_price",
        "get_score",
        "get_econ_calendar",
        "get_regime",
        "get_fear_greed",
        "get_market_overview"
      ]
      for (const first of ["cpi when", "fear and greed", "what is the market's mood?", "us yield curve"]) {
        const earlier = [{ question: first, answer: "It is on Tuesday." }]
        for (const [question, coin] of [["and eth?", "ETH"], ["what about kaspa?", "KASPA"]] as const) {
          const { calls } = yield* play({ question, earlier, tools })
          const label = `${first} ${question}`
          assert.deepStrictEqual(calls.map(({ arguments: args }) => args), [{ coin }, { coin }], label)
        }
      }
      const { text } = yield* play({
        question: "long eth entry 4600 stop 4500 size 2000 usd 5x",
        earlier: [{ question: "cpi when", answer: "It is on Tuesday." }],
        tools
      })
      assert.include(text, "Nothing was recorded")
    }))

  it.effect("is treated as a follow-up with a name, unless the word is a topic", () =>
    Effect.gen(function*() {
      const earlier = [{ question: "price of BTC", answer: "BTC trades at $95,000." }]
      const tools = ["get_price", "get_score"]
      for (
        const [question, coin] of [
          ["and for XMRR?", "XMRR"],
          ["and for monero?", "MONERO"],
          ["and for kaspa?", "KASPA"],
          ["what about kaspa?", "KASPA"],
          ["and berachain?", "BERACHAIN"],
          ["what about dash?", "DASH"]
        ] as const
      ) {
        const { calls } = yield* play({ question, earlier, tools })
        assert.deepStrictEqual(calls.map(({ arguments: args }) => args), [{ coin }, { coin }], question)
      }
      for (
        const question of [
          "and now?",
          "what about tomorrow?",
          "and on bybit?",
          "what about halving?",
          "what about mining?",
          "and for friday?",
          ..."airdrops|delistings|layer2|tariffs|buybacks|accumulation|capitulation|wyckoff|blackrock|gensler|premarket"
            .split("|").map((topic) => `what about ${topic}?`),
          ..."에어드랍|상폐|디파이|난이도|소각|관세|차익거래|박스권|세력|개미|물타기|존버|평단가|눌림목|일목균형표|뉴욕장|간밤"
            .split("|").map((topic) => `${topic}은?`),
          "and for scalping?",
          "and for beginners?",
          "what about the SEC?",
          "what about NFT?",
          "and for HODL?",
          "위험은?",
          "오후는?",
          "생각은?",
          "반감기는?",
          "바이낸스는?",
          "а пятница?",
          "а халвинг?",
          "а смысл?",
          "а бинанс?",
          "이유는?",
          "그럼 내일은?",
          "업비트는?",
          "а завтра?",
          "а почему?",
          "а на неделю?"
        ]
      ) {
        const { calls } = yield* play({ question, earlier, tools })
        assert.isAbove(calls.length, 0, question)
        for (const { arguments: args } of calls) assert.deepInclude(args, { coin: "BTC" }, question)
      }
    }))

  it.effect("names an unknown instrument next to known ones, and answers the rest", () =>
    Effect.gen(function*() {
      for (
        const [question, says] of [
          ["compare BTC and gold", "I do not know “gold”"],
          ["gold or bitcoin?", "I do not know “gold”"],
          ["compare BTC, ETH and silver", "I do not know “silver”"],
          ["price of BTC and gold", "I do not know “gold”"],
          ["BTC vs unobtainium", "I do not know “unobtainium”"],
          ["비트코인과 금 비교해줘", "‘금’은(는) 알지 못해"],
          ["금이랑 비트코인 중 뭐가 나아?", "‘금’은(는) 알지 못해"],
          ["сравни биткоин и золото", "Мне неизвестно: «золото»"],
          ["золото или биткоин?", "Мне неизвестно: «золото»"],
          ["BTC or kaspa?", "I did not read “kaspa”"],
          ["which is stronger, BTC or kaspa", "I did not read “kaspa”"],
          ["BTC against kaspa", "I did not read “kaspa”"],
          ["compare BTC and kaspa funding", "I did not read “kaspa”"],
          ["should I buy kaspa or ETH", "I did not read “kaspa”"],
          ["ETH vs SOL vs kaspa", "I did not read “kaspa”"],
          ["비트코인과 카스파 비교해줘", "‘카스파’은(는) 이해하지 못해"],
          ["биткоин или каспа?", "Я не понял слово «каспа»"]
        ] as const
      ) {
        const funding = { coin: "BTC", funding_rate_pct: 0.01 }
        const answers = {
          get_price: { coin: "BTC", price: 95_000 },
          compare_coins: { rows: [] },
          get_derivatives: funding
        }
        const { calls, text } = yield* play({ question, answers })
        assert.isAbove(calls.length, 0, question)
        assert.include(text, says, question)
      }
      for (
        const question of [
          "compare BTC and ETH performance",
          "compare BTC with last week",
          "is BTC better or worse than last week",
          "compare BTC and tesla",
          "BTC vs altcoins",
          "비트코인과 이더리움 비교해줘",
          "비트코인 금요일 종가",
          "buy btc or wait",
          "should i buy btc or hold",
          "btc or nothing",
          "is btc funding high or low compared to eth",
          "compare BTC with november",
          "покупать биткоин или нет",
          "сравни биткоин с прошлой неделей",
          "작년과 비트코인 비교해줘",
          "비트코인과 관련된 뉴스 비교해줘",
          "비트코인이랑 현금 중 뭐가 나아?",
          "buy btc with euro"
        ]
      ) {
        const { text } = yield* play({ question, tools: ["get_price", "compare_coins", "get_us_stock"] })
        assert.notMatch(text, /I do not know|I did not read|알지 못|이해하지 못|Мне неизвестно|не понял/u, question)
      }
    }))

  it.effect("names an unknown instrument of a correlation, and does not replace it", () =>
    answersWithoutCalls(["get_correlation", "get_price"], [
      ["correlation of BTC and kaspa", "“kaspa”"],
      ["correlation of ETH and kaspa", "“kaspa”"],
      ["correlation of BTC with monero", "“monero”"],
      ["beta of kaspa to BTC", "“kaspa”"],
      ["BTC kaspa correlation", "“kaspa”"],
      ["비트코인과 카스파 상관관계", "‘카스파’"],
      ["корреляция биткоина и каспы", "«каспы»"],
      ["корреляция биткоина с монеро", "«монеро»"]
    ]))

  it.effect("passes a name that may be a ticker to the tools, and reads a misspelt name", () =>
    Effect.gen(function*() {
      const misspelt = yield* play({ question: "how much is dogecion", answers: { get_price: price, get_score: {} } })
      assert.deepStrictEqual(misspelt.calls.map(({ arguments: args }) => args), [{ coin: "DOGE" }, { coin: "DOGE" }])
      assert.include(misspelt.text, "I read “dogecion” as DOGE.")
      const { calls } = yield* play({
        question: "how much is zzqcoin",
        earlier: [{ question: "ETH?", answer: "ETH trades at $2,500." }],
        answers: { get_price: price, get_score: {} }
      })
      assert.deepStrictEqual(calls.map(({ arguments: args }) => args), [{ coin: "ZZQCOIN" }, { coin: "ZZQCOIN" }])
    }))

  it.effect("suggests questions about the name that was probably meant", () =>
    Effect.gen(function*() {
      const question = "비트코앤 시세"
      const parts = yield* ask(makeModelRequest({
        purpose: "suggest",
        brief: { lang: "ko", mode: "analyst", question, coin: null, facts: {}, earlier: [], images: 0, accepted: null },
        turns: [{ _tag: "User", text: question, images: [] }]
      }))
      assert.include(textOf(parts), "BTC")
    }))
})

layer(OfflineAnalyst)("a question that names no instrument", (it) => {
  it.effect("asks for the instrument if the answer needs one", () =>
    answersWithoutCalls(["get_price", "get_score", "get_levels", "make_chart", "create_task"], [
      ["price", "Which instrument do you mean?"],
      ["draw a 4h chart", "Which instrument do you mean?"],
      ["alert me when the price goes above 100000", "Which instrument do you mean?"],
      ["지지선 어디야?", "어떤 종목을 말씀하시나요?"],
      ["где поддержка?", "О каком инструменте речь?"]
    ]))

  it.effect("is answered about the whole market, without results that need an instrument", () =>
    Effect.gen(function*() {
      const tools = ["get_regime", "get_fear_greed", "get_movers", "get_market_overview", "get_price", "get_score"]
      for (const question of ["How is the crypto market today?", "오늘 시장 어때", "что с рынком"]) {
        const { calls } = yield* play({ question, tools })
        assert.includeMembers(calls.map(({ name }) => name), ["get_regime", "get_market_overview"], question)
        assert.notInclude(JSON.stringify(calls), "BTC")
      }
      const indices = { indices: [{ name: "S&P 500", value: 5_000, change_pct: 0.5 }] }
      const both = yield* play({
        question: "지금 s&p랑 빅스 얼마",
        answers: { get_us_market: indices, get_price: price, get_score: {} }
      })
      assert.deepStrictEqual(both.calls.map(({ name }) => name), ["get_us_market"])
      assert.include(both.text, "종목을 말씀하지 않아")
    }))
})
