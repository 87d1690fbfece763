import { assert, it } from "@effect/vitest"
import type { Brief } from "@tapeline/core/agent"
import { makeModelRequest } from "@tapeline/testing/agent/modelRequest"
import * as fc from "fast-check"
import { understood } from "../src/analyst/answer.ts"
import { unreadWords } from "../src/analyst/reading/coverage.ts"

const read = (...questions: ReadonlyArray<string>) => {
  const question = questions.at(-1) ?? ""
  const lang: Brief["lang"] = /[가-힣]/u.test(question) ? "ko" : /[а-я]/iu.test(question) ? "ru" : "en"
  const earlier = questions.slice(0, -1).map((question) => ({ question, answer: "" }))
  const brief: Brief = {
    lang,
    mode: "analyst",
    question,
    coin: null,
    facts: {},
    earlier,
    images: 0,
    accepted: null
  }
  const { intents, reading } = understood(makeModelRequest({ brief }))
  return {
    intents: intents.map(({ name }) => name).join("+"),
    coins: reading.coins.join(),
    assumed: reading.assumed.map(({ meant, typed }) => `${typed}=${meant}`).join(),
    unread: unreadWords(reading, intents).join()
  }
}

it("reports each condition of a question that its answer does not use", () => {
  for (
    const [question, intents, unread] of [
      ["btc price", "price", ""],
      ["gas fees eth", "noData", ""],
      ["btc orderbook depth at binance", "orderBook", "binance"],
      ["coins with rsi above 70 on 4h", "screen", "on 4h"],
      ["funding of btc yesterday", "funding", "yesterday"],
      ["when bitcoin 200k", "trend", "200k"],
      ["이더 해시레이트", "noData", ""],
      ["комиссии эфира", "trend", "комиссии"]
    ] as const
  ) {
    const answer = read(question)
    assert.deepStrictEqual([answer.intents, answer.unread], [intents, unread], question)
  }
})

it("reads or reports each word, wherever a question contains it", () => {
  const questions = ["btc price", "eth funding", "sol levels 4h", "doge rsi", "btc open interest", "eth max pain"]
  const words = ["hashrate", "airdrop", "tvl", "binance", "insurance", "validators", "halving", "treasury"]
  fc.assert(
    fc.property(fc.constantFrom(...questions), fc.constantFrom(...words), fc.boolean(), (question, word, isFirst) => {
      const whole = isFirst ? `${word} ${question}` : `${question} ${word}`
      const { intents, unread } = read(whole)
      const other = read(question).intents
      // Another intent may read the word; the same intent may not drop it.
      assert.isTrue(intents !== other || unread.split(",").includes(word), `${whole}: ${intents}, ${unread}`)
    }),
    { numRuns: 60 }
  )
})

const asked: ReadonlyArray<string> = [
  "btc price",
  "eth funding",
  "sol levels 4h",
  "btc open interest",
  "eth max pain",
  "btc liquidations",
  "compare sol and avax",
  "correlation sol eth",
  "how much is 2 eth in won",
  "liq price for 10x short eth from 3150",
  "my positions",
  "show my alerts",
  "why is xrp down",
  "hedge eth with options",
  "tsla price",
  "samsung foreigners",
  "top gainers",
  "btc dominance",
  "rsi of nvda",
  "kimchi premium btc",
  "eth news",
  "is btc above 60k",
  "most volatile coin",
  "backtest rsi 30 btc"
]
const conditions: ReadonlyArray<string> = [
  "hashrate",
  "treasury",
  "governance",
  "excluding doge",
  "since january",
  "insurance",
  "airdrop",
  "validators"
]

it("reads or reports each inserted condition, for every kind of answer", () => {
  const known = new Map(asked.map((question) => [question, read(question).intents] as const))
  fc.assert(
    fc.property(fc.constantFrom(...asked), fc.constantFrom(...conditions), (question, condition) => {
      const { intents, unread } = read(`${question} ${condition}`)
      const isRead = condition === "excluding doge" && /ranking/u.test(intents)
      // Another kind of answer may be about the condition; the same kind may not drop the condition.
      assert.isTrue(
        isRead || intents !== known.get(question) || unread.includes(condition.split(" ").at(-1) ?? ""),
        `${question} ${condition}: ${intents}, ${unread}`
      )
    }),
    { numRuns: 80 }
  )
})

it("reports a span of time that its answer does not use, and no other span", () => {
  for (
    const [question, unread] of [
      ["backtest buying btc when rsi under 30 daily since january", "since january"],
      ["what happened to xrp yesterday around 3pm utc", "yesterday,3pm,utc"],
      ["what was eth high last week", ""],
      ["eth max pain this friday", ""],
      ["открытый интерес по солане за неделю", ""],
      ["에이다 3개월 수익률", "3개월"],
      ["비트코인 10배 롱 6만5천에 진입하면 청산가", ""],
      ["리플 뉴스 최근 이틀치", ""],
      ["how much btc is 5000 usd", ""],
      ["삼성전자 목표주가", "목표주가"],
      ["how thick is the bid on xrp within 2%", "2%,thick,within"],
      ["btc price in krw on upbit", ""]
    ] as const
  ) assert.strictEqual(read(question).unread, unread, question)
})

it("reads misspelt names, and states how", () => {
  for (
    const [question, assumed, coins] of [
      ["bitcion price", "bitcion=BTC", "BTC"],
      ["etherium funding", "etherium=ETH", "ETH"],
      ["비트코이 가격", "비트코이=BTC", "BTC"],
      ["솔리나 전망", "솔리나=SOL", "SOL"],
      ["биткоен цена", "биткоен=BTC", "BTC"],
      ["xrp resistence", "resistence=resistance", "XRP"],
      ["what do analysts say about btc", "", "BTC"],
      ["теперь цена эфира", "", "ETH"],
      ["other coins than ether", "", "ETH"],
      ["이더리움 클레식 가격", "", "ETC"]
    ] as const
  ) {
    const answer = read(question)
    assert.deepStrictEqual([answer.assumed, answer.coins], [assumed, coins], question)
  }
})

it("resolves follow-ups from the earlier questions", () => {
  for (
    const [questions, intents, coins] of [
      [["hows btc?", "and its funding?", "and eth?", "which one is more stretched?"], "ranking", "BTC,ETH"],
      [["compare sol and avax", "which has lower vol?"], "ranking", "SOL,AVAX"],
      [["리플 펀딩비 알려줘", "이더는?", "둘 중 뭐가 더 높아"], "ranking", "XRP,ETH"],
      [["фандинг битка и эфира", "где выше"], "ranking", "BTC,ETH"],
      [["price of sol", "why?"], "price+cause", "SOL"],
      [["alert me if btc goes below 90k", "delete it"], "recordFollowUp", "BTC"],
      [["alert if sol drops to 120", "make it 115"], "recordFollowUp", "SOL"],
      [["поставь алерт на эфир выше 3300", "убери его"], "recordFollowUp", "ETH"],
      [["draw eth 4h", "now with rsi", "daily", "and sol"], "chart", "SOL"],
      [["is eth a buy here", "and if it loses 3150?"], "levels", "ETH"],
      [["hows btc?", "which one is higher?"], "outside", "BTC"]
    ] as const
  ) {
    const answer = read(...questions)
    assert.deepStrictEqual([answer.intents, answer.coins], [intents, coins], questions.join(" / "))
  }
})

it("calculates from the numbers of a question, and compares figures with a number", () => {
  for (
    const [question, intents] of [
      ["how much btc is 5000 usd", "calculator"],
      ["2 eth in won", "calculator"],
      ["100만원이면 비트 몇개", "calculator"],
      ["сколько битка на 1000 долларов", "calculator"],
      ["liq price of 10x long btc from 90000", "calculator"],
      ["r:r entry 92000 stop 90000 target 98000", "calculator"],
      ["if btc goes to 120k how much do i make with 0.3 btc", "calculator"],
      ["какое плечо взять", "calculator"],
      ["cheapest way to hedge 2 btc for a month", "optionStrategy"],
      ["is btc above 100k", "threshold"],
      ["did btc drop today", "threshold"],
      ["비트 rsi over 70?", "threshold"],
      ["is leverage building up in eth futures?", "openInterest"],
      ["eth dec 3000 put price", "optionQuote"],
      ["is usdt depegging", "peg"],
      ["most volatile coin today", "ranking"],
      ["gainers this week", "ranking"]
    ] as const
  ) assert.strictEqual(read(question).intents, intents, question)
})
