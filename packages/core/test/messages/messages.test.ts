import {
  dictionaries,
  findTextIssues,
  formatIssues,
  formatMessage,
  type Issue,
  type Language,
  languages,
  type Message,
  parseLanguage,
  toInvalidArguments
} from "@tapeline/core"
import { optional, topArgument, withDefault } from "@tapeline/core/engine"
import { CoinArgument } from "@tapeline/core/market"
import { Schema } from "effect"
import { expect, it } from "vitest"

const script: Record<Language, RegExp> = { en: /[a-z]/i, ko: /[가-힣]/, ru: /[а-яё]/i }
const universal = new Set(["expected_null"])

it.each(languages)("has a text in its own script for every message: %s", (language) => {
  for (const [key, entry] of Object.entries(dictionaries[language])) {
    const params = new Proxy({}, {
      get: (_, name) => name === "count" || name === "left" || name === "limit" ? 3 : "7"
    })
    // The proxy returns a value for every parameter that a message may use.
    const text = typeof entry === "function" ? (entry as (p: object) => string)(params) : entry
    expect(text, key).not.toBe("")
    expect(text, key).not.toContain("undefined")
    if (!universal.has(key)) expect(text, key).toMatch(script[language])
  }
})

it.each(languages.filter((language) => language !== "en"))(
  "explains missing data without English words: %s",
  (language) => {
    const reasons = Object.entries(dictionaries[language]).filter(([key]) => key.startsWith("none_"))
    expect(reasons.length).toBeGreaterThan(10)
    for (const [key, entry] of reasons) {
      const text = typeof entry === "function"
        // The proxy returns a value for every parameter that a message may use.
        ? (entry as (p: object) => string)(new Proxy({}, { get: () => "7" }))
        : entry
      expect(text.replaceAll("BTC", ""), key).not.toMatch(/[a-z]/i)
    }
  }
)

it("uses English plural forms", () => {
  const over = (price: number, left: number) => formatMessage({ key: "over_limit", params: { price, left } }, "en")
  expect(over(1, 0)).toContain("costs 1 credit, and this month has 0 left")
  expect(over(20, 1)).toContain("costs 20 credits, and this month has 1 left")
  expect(formatMessage({ key: "key_limit", params: { limit: 1 } }, "en")).toContain("allows 1 active key;")
})

it("uses Russian plural forms", () => {
  const over = (price: number) => formatMessage({ key: "over_limit", params: { price, left: 0 } }, "ru")
  expect(over(1)).toContain("1 кредит,")
  expect(over(2)).toContain("2 кредита,")
  expect(over(5)).toContain("5 кредитов,")
  expect(over(21)).toContain("21 кредит,")
})

it("accepts ko and ru, and falls back to English", () => {
  expect(["ko", "ru", "en", "fr", "KO", "", undefined].map(parseLanguage)).toEqual([
    "ko",
    "ru",
    "en",
    "en",
    "en",
    "en",
    "en"
  ])
})

it.each(languages)("states the accepted values of an argument for every kind of wrong value: %s", (language) => {
  const Arguments = Schema.Struct({
    mode: optional(Schema.Literals(["fast", "slow"])),
    side: Schema.Literals(["long", "short"]),
    top: topArgument,
    coin: optional(CoinArgument),
    all: withDefault(Schema.Boolean, false)
  })
  const messagesFor = (input: unknown) => {
    const decoded = Schema.decodeUnknownResult(Arguments, { errors: "all", onExcessProperty: "error" })(input)
    if (decoded._tag === "Success") throw new Error("the input was accepted")
    return formatIssues(decoded.failure.issue, language).map(({ message }) => message)
  }
  const expected = (message: Message) =>
    formatMessage({ key: "issue_expected", params: { expected: formatMessage(message, language) } }, language)
  const oneOf = (options: string) => expected({ key: "expected_one_of", params: { options } })
  expect(messagesFor({ mode: "middling", side: "up", top: 101, coin: "?", all: 1 })).toEqual([
    oneOf(`"fast", "slow"`),
    oneOf(`"long", "short"`),
    expected({ key: "expected_between", params: { minimum: "1", maximum: "100" } }),
    expected({ key: "expected_ticker" }),
    expected({ key: "expected_boolean" })
  ])
  expect(messagesFor({ mode: 1, side: null, top: "2", coin: [] })).toEqual([
    oneOf(`"fast", "slow"`),
    oneOf(`"long", "short"`),
    expected({ key: "expected_integer" }),
    expected({ key: "expected_string" })
  ])
  const unknown = formatMessage({ key: "issue_unexpected", params: { known: "mode, side, top, coin, all" } }, language)
  expect(messagesFor({ side: "long", coins: "BTC" })).toEqual([unknown])
})

it("shortens names and values of the request in messages and in paths of issues", () => {
  const long = "😀".repeat(100_000)
  const shortenedText = `${"😀".repeat(50)}…`
  expect(formatMessage({ key: "unknown_tool", params: { tool: long, nearest: null } }, "en")).toContain(
    `named \`${shortenedText}\`;`
  )
  expect(formatMessage({ key: "unknown_plan", params: { plan: `x${long}`, known: "free, pro" } }, "en").length)
    .toBeLessThan(250)
  expect(formatMessage({ key: "unknown_symbol", params: { symbol: long } }, "ko").length).toBeLessThan(250)
  expect(formatMessage({ key: "unknown_plan", params: { plan: "gold", known: long } }, "en")).toContain(long)

  const Arguments = Schema.Struct({ top: topArgument })
  const decoded = Schema.decodeUnknownResult(Arguments, { errors: "all", onExcessProperty: "error" })({
    top: 1,
    [long]: 1,
    ["n".repeat(100)]: 1
  })
  if (decoded._tag === "Success") throw new Error("it was accepted")
  const pathsOf = (issues: ReadonlyArray<Issue>) => toInvalidArguments(issues, "en").issues.map(({ path }) => path)
  expect(pathsOf(formatIssues(decoded.failure.issue, "en"))).toEqual([[shortenedText], [
    "n".repeat(100)
  ]])
  expect(pathsOf(findTextIssues({ [long]: ["\0"] }, "en") ?? [])).toEqual([[shortenedText, 0]])
})
