import * as quant from "@tapeline/quant"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { listDocumented } from "../scripts/doc.ts"
import { renderReference } from "../scripts/reference.ts"

const all = listDocumented()
const isPublic = (name: string): boolean => Object.hasOwn(quant, name)
const functions = all.filter(({ kind, name }) => kind === "function" && isPublic(name))

const isSeries = (value: unknown): value is Float64Array => ArrayBuffer.isView(value)

/** Compares values, and compares numbers only to the digits that the expected number shows. */
function agree(actual: unknown, expected: unknown): boolean {
  if (typeof actual === "number" && typeof expected === "number") {
    if (Object.is(actual, expected) || actual === expected) return true
    const digits = /\.(\d+)$/.exec(String(expected))?.[1]?.length ?? 0
    return Math.abs(actual - expected) <= (digits === 0 ? 1e-9 * Math.max(1, Math.abs(expected)) : 0.51 * 10 ** -digits)
  }
  if (isSeries(actual) && Array.isArray(expected)) return agree(Array.from(actual), expected)
  if (Array.isArray(actual) && Array.isArray(expected)) {
    return actual.length === expected.length && actual.every((value, i) => agree(value, expected[i]))
  }
  if (typeof actual === "object" && actual !== null && typeof expected === "object" && expected !== null) {
    const keys = Object.keys(expected)
    return keys.length === Object.keys(actual).length &&
      keys.every((key) => agree(Reflect.get(actual, key), Reflect.get(expected, key)))
  }
  return Object.is(actual, expected)
}

const stripTypes = (code: string): string => code.replace(/ as const/g, "").replace(/: number/g, "")

function run(example: string): number {
  let stated = 0
  const state = (actual: unknown, expected: unknown, line: string): void => {
    stated++
    if (!agree(actual, expected)) {
      const actualValue = isSeries(actual) ? Array.from(actual) : actual
      throw new Error(`${line}\n  gave ${JSON.stringify(actualValue)}`)
    }
  }
  const code = example.split("\n").map((line) => {
    const imported = /^import \{ (.*) \} from "@tapeline\/quant"$/.exec(line)
    if (imported !== null) return `const { ${imported[1]} } = quant`
    const [expression, value] = line.split(" // => ")
    return value === undefined
      ? stripTypes(line)
      : `state((${stripTypes(expression!)}), (${value}), ${JSON.stringify(line)})`
  }).join("\n")
  // oxlint-disable-next-line typescript/no-implied-eval -- the examples are our own, and running them is the test
  new Function("quant", "state", `"use strict"\n${code}`)(quant, state)
  return stated
}

describe("examples of the doc comments", () => {
  for (const { name, file, example } of functions) {
    it(`${file}: ${name}`, () => {
      if (example === undefined) throw new Error(`${name} has no @example`)
      expect(run(example)).toBeGreaterThan(0)
    })
  }
})

describe("doc comments", () => {
  it("cover every public function with formula or method, unit and source", () => {
    const functionsWithoutSource = functions.filter(({ text }) =>
      !/^(Formula|Method|Rule|Conventions):/m.test(text) && !/ (Formula|Method|Rule): /.test(text)
    ).map(({ name }) => name)
    expect(functionsWithoutSource).toEqual([])
    expect(functions.filter(({ text }) => !/^Source:/m.test(text)).map(({ name }) => name)).toEqual([])
  })

  it("contain no sentence twice", () => {
    const repeated = all.flatMap(({ name, text }) => {
      const sentences = text.split(/(?<=[.;:])\s+/).filter((sentence) => sentence.length > 30)
      return sentences.flatMap((sentence, i) =>
        sentences.some((other, j) => j !== i && other.includes(sentence)) ? [`${name}: ${sentence}`] : []
      )
    })
    expect(repeated).toEqual([])
  })

  it("leave no public value undocumented", () => {
    const named = new Set(all.map(({ name }) => name))
    const values = Object.entries(quant).filter(([, value]) => typeof value === "function").map(([name]) => name)
    expect(values.filter((name) => !named.has(name))).toEqual([])
  })
})

describe("the reference", () => {
  it("equals docs/reference/quant.md, which `npm run docs` writes", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/reference/quant.md"), "utf8")
    expect(page.startsWith(renderReference().trimEnd()), "run `npm run docs`").toBe(true)
  })

  it("contains every documented function with its example", () => {
    const page = renderReference()
    for (const { name } of functions) expect(page).toContain(`### ${name}\n`)
    expect(page.match(/^```ts unchecked: /gm)?.length ?? 0).toBeGreaterThanOrEqual(functions.length)
  })
})
