import { dictionaries, type Language, languageOf, say } from "@tapeline/core"
import { expect, it } from "vitest"

const languages: ReadonlyArray<Language> = ["en", "ko", "ru"]
const script: Record<Language, RegExp> = { en: /[a-z]/i, ko: /[가-힣]/, ru: /[а-яё]/i }
/** Texts that are the same in every language. */
const universal = new Set(["expected_null"])

it.each(languages)("every message has a text in its own script: %s", (language) => {
  for (const [key, entry] of Object.entries(dictionaries[language])) {
    const params = new Proxy({}, {
      get: (_, name) => name === "count" || name === "left" || name === "limit" ? 3 : "7"
    })
    const text = typeof entry === "function" ? (entry as (p: object) => string)(params) : entry
    expect(text, key).not.toBe("")
    expect(text, key).not.toContain("undefined")
    if (!universal.has(key)) expect(text, key).toMatch(script[language])
  }
})

it.each(["ko", "ru"] as const)("why there is no data is said without an English word: %s", (language) => {
  const reasons = Object.entries(dictionaries[language]).filter(([key]) => key.startsWith("none_"))
  expect(reasons.length).toBeGreaterThan(10)
  for (const [key, entry] of reasons) {
    const text = typeof entry === "function"
      ? (entry as (p: object) => string)(new Proxy({}, { get: () => "7" }))
      : entry
    expect(text.replaceAll("BTC", ""), key).not.toMatch(/[a-z]/i)
  }
})

it("counts as Russian does", () => {
  const over = (price: number) => say({ key: "over_limit", params: { price, left: 0 } }, "ru")
  expect(over(1)).toContain("1 кредит,")
  expect(over(2)).toContain("2 кредита,")
  expect(over(5)).toContain("5 кредитов,")
  expect(over(21)).toContain("21 кредит,")
})

it("takes ko and ru, and English for anything else", () => {
  expect(["ko", "ru", "en", "fr", "KO", "", undefined].map(languageOf)).toEqual([
    "ko",
    "ru",
    "en",
    "en",
    "en",
    "en",
    "en"
  ])
})
