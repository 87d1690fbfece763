import { describe, expect, it } from "vitest"
import { findNames } from "../../src/analysis/news/names.ts"

describe("findNames", () => {
  it.each<readonly [query: string, ...names: ReadonlyArray<string>]>([
    ["Zorblax bridge hack", "zorblax"],
    ["The hack of Zorblax", "zorblax"],
    ["hack of ZORBLAX and zkDrolune", "zorblax", "zkdrolune"],
    // Titles capitalise every word, so capital letters identify no names.
    ["Stablecoin Regulation Framework", "stablecoin"],
    ["bridge hack"],
    ["взлом моста Зорблакс", "зорблакс"],
    ["조르블락스에서 지갑 해킹", "조르블락스에서"],
    // Korean nouns of two syllables, verbs, and words for articles.
    ["거래소 해킹 피해", "거래소"],
    ["규제 알려줘"],
    ["규제 알려주세요"],
    ["해킹 최신뉴스"],
    ["Recent bridge hacks in November"],
    ["Последние взломы"],
    ["GPT4 hack 2026"]
  ])("finds the names in %j", (query, ...names) => {
    expect(findNames(query).map(({ text }) => text)).toEqual(names)
  })
})
