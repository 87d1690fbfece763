import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { initialLanguage, russianPlural } from "../browser/i18n/language.ts"
import { makeNumbers } from "../browser/i18n/numbers.ts"

describe("The initial language", () => {
  it("is the chosen language, else the browser's first supported one, else English", () => {
    expect(initialLanguage("ru", ["ko-KR"])).toBe("ru")
    expect(initialLanguage(null, ["fr-FR", "ko-KR", "en"])).toBe("ko")
    expect(initialLanguage("klingon", ["RU"])).toBe("ru")
    expect(initialLanguage(null, [])).toBe("en")
  })
})

it("uses the Russian plural form that fits the number", () => {
  const tools = (count: number) => russianPlural(count, "инструмент", "инструмента", "инструментов")
  expect([1, 2, 5, 11, 21, 112].map(tools)).toEqual([
    "инструмент",
    "инструмента",
    "инструментов",
    "инструментов",
    "инструмент",
    "инструментов"
  ])
})

it("chooses the number of digits by the size of a figure, in the reader's language", () => {
  const { percentChange, figure } = makeNumbers("en")
  expect([91_730.058, 1.23456, 0.000012345].map(figure)).toEqual(["91,730.06", "1.2346", "0.00001235"])
  expect([1.5, -0.257, 0].map(percentChange)).toEqual(["+1.50%", "-0.26%", "0.00%"])
  expect(makeNumbers("ru").figure(1234.5)).toMatch(/^1\s234,5$/u)
})

const scripts = { ko: /\p{Script=Hangul}/u, ru: /\p{Script=Cyrillic}/u } as const

/** Matches texts that are the same in all languages. */
const universal = /^(JSON|PnL|x|-\d+~\d+|[A-Z]{2,5}|\{?\d[^a-z]*|\d{4}-.*)$/

const browser = join(import.meta.dirname, "../browser")

describe("A table of texts", () => {
  it.each(globSync("**/*exts.ts", { cwd: browser }).filter((path) => path !== "i18n/texts.ts"))(
    "has a Korean and a Russian text for each English one: %s",
    async (path) => {
      const module: Record<string, unknown> = await import(join(browser, path))
      for (const table of Object.values(module)) {
        // The cast is safe because modules of texts export only tables of texts.
        const { en, ko, ru } = table as Record<string, Record<string, unknown>>
        for (const [language, texts] of Object.entries({ ko: ko!, ru: ru! })) {
          expect(Object.keys(texts).sort()).toEqual(Object.keys(en!).sort())
          const script = scripts[language === "ko" ? "ko" : "ru"]
          const untranslated = Object.entries(texts).filter(([, text]) =>
            typeof text === "string" && !script.test(text) && !universal.test(text)
          )
          expect(untranslated, language).toEqual([])
        }
      }
    }
  )
})

/** The code of the console pages, without the modules that define texts. */
const sourceTexts = globSync("**/*.{ts,tsx}", { cwd: browser })
  .filter((path) => !/(^|[a-z])[tT]exts\.ts$/u.test(path))
  .map((path) => readFileSync(join(browser, path), "utf8"))
  .join("\n")

it("uses every text in a source", async () => {
  for (const path of globSync("**/*exts.ts", { cwd: browser }).filter((path) => path !== "i18n/texts.ts")) {
    const module: Record<string, unknown> = await import(join(browser, path))
    for (const table of Object.values(module)) {
      // The cast is safe because modules of texts export only tables of texts.
      const { en } = table as Record<string, Record<string, unknown>>
      const unusedNames = Object.keys(en!).filter((name) => !new RegExp(`\\b${name}\\b`, "u").test(sourceTexts))
      expect.soft({ path, unusedNames: unusedNames }).toEqual({ path, unusedNames: [] })
    }
  }
})
