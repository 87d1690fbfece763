import { areas, specifications } from "@tapeline/core"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"
import { questionsDocument } from "../src/questions/document.ts"
import { withoutPlaceholders } from "../src/questions/question.ts"
import { questions } from "../src/questions/questions.ts"
import { withoutFooter } from "../src/site/pageOrder.ts"

const document = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/questions.md"), "utf8")

// The document is compared only in the full run, because its sixty calls take about ten seconds and `npm run
// check:questions` compares it too.
it.runIf(isFullRun)("renders docs/questions.md from the results of its calls", async () => {
  expect(withoutFooter(document), "run `npm run docs`").toBe(
    await Effect.runPromise(questionsDocument)
  )
}, 120_000)

const units: Readonly<Record<string, number>> = { tn: 1e12, bn: 1e9, m: 1e6, k: 1e3 }

/** Returns the numbers of a text, each with its unit and with the maximum difference that rounding can cause. */
const numbersOf = (text: string) =>
  [...text.matchAll(/(\d[\d,]*(?:\.(\d+))?)(?: (tn|bn|m|k|%)(?!\p{L}))?/gu)].map(
    ([token, digits, decimals = "", unit = ""]) => {
      const size = units[unit] ?? 1
      const value = Number(digits!.replaceAll(",", "")) * size
      return { token, value, within: 0.500001 * 10 ** -decimals.length * size, percent: unit === "%" || unit === "" }
    }
  )

it("contains every number of an answer, before rounding, in the table below the answer", () => {
  const sections = document.split(/^## /mu).slice(1)
  expect(sections.length).toBe(questions.length)
  for (const text of sections) {
    const answer = /^> (.*)$/mu.exec(text)![1]!
    const quoted = [...text.matchAll(/^\| get_\w+[^|]*\|[^|]*\| (.*) \|$|^\| run_\w+[^|]*\|[^|]*\| (.*) \|$/gmu)]
      .map(([, ...cells]) => cells.find((cell) => cell !== undefined)!)
    const values = quoted.map(Number).filter(Number.isFinite)
    const texts = quoted.filter((cell) => !Number.isFinite(Number(cell)))
    const numbers = numbersOf(answer)
    expect(numbers.length, answer).toBeGreaterThan(3)
    for (const { percent, token, value, within } of numbers) {
      const near = (x: number) => Math.abs(Math.abs(x) - value) <= within
      const isQuoted = values.some((x) => near(x) || (percent && near(100 * x))) ||
        // In an answer, a time may be quoted by its day, and a text by its words.
        texts.some((cell) => cell.includes(token.split(" ")[0]!.padStart(2, "0")))
      expect(isQuoted, `${token} in: ${answer}`).toBe(true)
    }
  }
})

it("has no number outside placeholders, and a question for every area of the market", () => {
  for (const question of questions) expect(withoutPlaceholders(question), question.question).not.toMatch(/\d/u)
  expect(questions.length).toBeGreaterThanOrEqual(20)
  const areaOf = new Map<string, string>(specifications.map(({ area, name }) => [name, area]))
  const questionAreas = new Set(questions.flatMap(({ calls }) => calls.map(({ tool }) => areaOf.get(tool))))
  // No question covers these tools: a chart has no number to quote, and the journal and the tasks are not about the
  // market.
  const others = new Set<string>(["chart", "journal", "tasks"])
  expect(areas.filter((area) => !questionAreas.has(area) && !others.has(area))).toEqual([])
})
