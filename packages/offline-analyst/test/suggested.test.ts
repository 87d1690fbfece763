import { assert, it } from "@effect/vitest"
import type { Brief } from "@tapeline/core/agent"
import { readFileSync } from "node:fs"
import type { Intent } from "../src/analyst/intent.ts"
import { intents, intentsOf, readingsFor } from "../src/analyst/intents.ts"
import { nothingToAccept } from "../src/analyst/intents/accepted.ts"
import { fill } from "../src/analyst/writing/text.ts"

const languages = ["en", "ko", "ru"] as const

const kindsOf = (lang: Brief["lang"], question: string): ReadonlyArray<string> =>
  intentsOf(
    readingsFor({ lang, mode: "analyst", question, coin: null, facts: {}, earlier: [], images: 0, accepted: null })
  ).map(({ name }) => name)

/** Returns the subject of a suggestion: a stock if the intent is about stocks, or else a coin. */
const subjects = ({ name }: Intent): Readonly<Record<Brief["lang"], string>> =>
  /^us|^stock/.test(name)
    ? { en: "Apple", ko: "애플", ru: "Apple" }
    : /^kr(?!Listings)/.test(name)
    ? { en: "Samsung Electronics", ko: "삼성전자", ru: "Samsung" }
    : { en: "ETH", ko: "ETH", ru: "ETH" }

/** The suggestions in English, with a placeholder for the name, and the only intent that answers each. */
const answers: Readonly<Record<string, string>> = {
  "How is the crypto market today?": "overview",
  "What is the outlook for BTC today?": "trend",
  "What moved most today?": "movers",
  "Show my open positions": "positions",
  "How is my trading journal?": "journal",
  "What is the outlook for {name} today?": "trend",
  "Where are {name}'s support and resistance?": "levels",
  "Show my alerts": "tasks",
  "How good are the signals?": "hitRate",
  "Which signals are open now?": "signals",
  "How is BTC's funding now?": "funding",
  "What can you do?": "help",
  "Show my last trades": "trades",
  "What moves {name}'s score?": "score",
  "What do {name}'s indicators say?": "indicators",
  "Alert me when {name} breaks its resistance": "watch",
  "How did {name} move over the last week?": "price",
  "Draw a daily chart of {name}": "chart",
  "How is {name}'s funding?": "funding",
  "What is the probability that {name} is higher tomorrow?": "probability",
  "Draw a 4h chart of {name} with levels": "chart",
  "How many liquidations were there in {name}?": "liquidations",
  "Where would liquidations of {name} cluster?": "liquidations",
  "What is the outlook for {name} this week?": "trend",
  "How is {name}'s open interest moving?": "openInterest",
  "What is the basis of {name} futures?": "basis",
  "And its funding?": "funding",
  "How is {name}'s implied volatility?": "impliedVolatility",
  "Draw a chart of {name} with liquidations": "chart",
  "Which option strategy fits {name} now?": "optionStrategy",
  "Where is {name}'s max pain?": "optionsPositioning",
  "How volatile was {name} lately?": "volatility",
  "Which coins were newly listed in Korea?": "krListings",
  "How is the Korean stock market today?": "krMarket",
  "What is the kimchi premium of BTC?": "kimchi",
  "What is trending on social media?": "trending",
  "What do foreigners buy in Korea?": "krFlows",
  "How is Samsung Electronics?": "krStock",
  "Who is buying {name}: foreigners or retail?": "krFlows",
  "Any recent filings of {name}?": "krFilings",
  "How correlated are BTC and ETH?": "correlation",
  "How is the US stock market today?": "usMarket",
  "How is Apple's share?": "usStock",
  "What is on the economic calendar this week?": "calendar",
  "How steep is the US yield curve?": "yields",
  "When does {name} report earnings?": "usEarnings",
  "What do analysts say about {name}?": "usRatings",
  "Did insiders of {name} buy or sell?": "usInsiders",
  "What do options of {name} imply?": "usOptions",
  "How is {name}'s share?": "usStock",
  "Any news on {name}?": "news",
  "How is the market's mood?": "overview",
  "How did the supply of stablecoins change?": "stablecoins",
  "What is said about {name} on social media?": "social",
  "Who holds {name}: supply and holders?": "token",
  "Is the talk about {name} organic?": "social",
  "What is the news on {name}?": "news",
  "Why did {name} move today?": "cause",
  "Backtest EMA 20/50 crossover on {name}": "backtest",
  "How correlated are they?": "correlation",
  "Which coins have RSI below 30?": "screen"
}

const trends: Readonly<Record<string, string>> = { Apple: "usStock", "Samsung Electronics": "krStock" }

it("answers each suggested question with exactly one intent, the same in each language", () => {
  const suggested = [...intents, nothingToAccept].flatMap((intent) =>
    intent.next.map((next) => ({ next, subject: subjects(intent) }))
  )
  for (const { next, subject } of suggested) {
    for (const lang of languages) {
      const question = fill(lang, next, { name: subject[lang] }) ?? ""
      const kind = answers[next.en] ?? ""
      assert.deepStrictEqual(kindsOf(lang, question), [kind === "trend" ? trends[subject.en] ?? kind : kind], question)
    }
  }
  assert.sameMembers(Object.keys(answers), [...new Set(suggested.map(({ next }) => next.en))])
})

/** The intents that answer the questions of docs/questions.md, in order. */
const documented: ReadonlyArray<ReadonlyArray<string>> = [
  ["funding"],
  ["krFlows"],
  ["onchain", "social"],
  ["liquidations"],
  ["orderBook"],
  ["vwap", "levels"],
  ["binary"],
  ["onchain", "stablecoins"],
  ["overview"],
  ["hitRate"],
  ["impliedVolatility"],
  ["optionStrategy"],
  ["optionsPositioning"],
  ["optionFlow"],
  ["backtest"],
  ["correlation"],
  ["kimchi"],
  ["krMarket"],
  ["usStock"],
  ["usOptions"],
  ["calendar", "fearGreed"]
]

it("understands every question in the documentation", () => {
  const text = readFileSync(new URL("../../../docs/questions.md", import.meta.url), "utf8")
  const asked = Array.from(text.matchAll(/^## \d+\. (.*)$/gm), ([, question]) => question ?? "")
  assert.deepStrictEqual(asked.map((question) => kindsOf("en", question)), documented)
})
