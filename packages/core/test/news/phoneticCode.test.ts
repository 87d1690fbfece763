import { describe, expect, it } from "vitest"
import { makeSoundTest } from "../../src/analysis/news/phoneticCode.ts"
import { splitWords } from "../../src/analysis/news/words.ts"

const hasSoundOf = (name: string, text: string): boolean => makeSoundTest(splitWords(name)[0]!)(splitWords(text))

describe("the sound of a name", () => {
  const names: ReadonlyArray<readonly [english: string, korean: string, russian: string]> = [
    ["Trump", "트럼프", "Трамп"],
    ["Coinbase", "코인베이스", "Коинбейс"],
    ["Bybit", "바이비트", "Байбит"],
    ["Musk", "머스크", "Маск"],
    ["Upbit", "업비트", "Апбит"],
    ["Justin", "저스틴", "Джастин"],
    ["BlackRock", "블랙록", "Блэкрок"]
  ]
  it.each(names)("matches %s, %s and %s with each other", (...spellings) => {
    const pairs = spellings.flatMap((name) => spellings.flatMap((other) => other === name ? [] : [[name, other]]))
    expect(pairs.filter(([name, other]) => !hasSoundOf(name!, `a ${other} b`))).toEqual([])
  })

  it("matches inflected forms in Russian and Korean", () => {
    expect(hasSoundOf("Trump", "с Трампом")).toBe(true)
    expect(hasSoundOf("Trump", "트럼프는")).toBe(true)
  })

  it("does not match another name, a word of the same script, or a short word", () => {
    expect(hasSoundOf("Trump", "코인베이스 Байбит")).toBe(false)
    expect(hasSoundOf("Trump", "tramp")).toBe(false)
    expect(hasSoundOf("Ann", "ана")).toBe(false)
  })
})
