import { expect, it } from "vitest"
import { root } from "../src/manifest.ts"
import { findingsOf, type Rule, untidy } from "../src/tidy.ts"
import { exceptions, judge } from "../src/tidyExceptions.ts"

const rulesOf = (file: string, source: string): ReadonlyArray<readonly [Rule, number]> =>
  findingsOf(file, source).map(({ rule, size }) => [rule, size])

const lines = (count: number, line = "  x()"): string => `${line}\n`.repeat(count)

// In the usual run, `npm run check` checks this.
it.runIf(process.env["TAPELINE_TEST_FULL"] === "1")(
  "the sources are tidy, but for the exceptions, which do not grow",
  () => {
    const { files, found } = untidy(root)
    expect(files).toBeGreaterThan(300)
    expect(judge(found, exceptions).wrong).toEqual([])
  },
  60_000
)

it("every exception says why", () => {
  for (const { reason } of exceptions) expect(reason.length).toBeGreaterThan(20)
})

it.each<readonly [string, string, Rule, number]>([
  ["a line of 121 columns", `// ${"x".repeat(118)}\nexport {}\n`, "line", 1],
  ["a file of 401 lines", lines(401, "export {}"), "file", 401],
  ["a function of 73 lines", `export const f = () => {\n${lines(71)}}\n`, "function", 3],
  ["a method of 72 lines", `export class Other {\n  m() {\n${lines(70)}  }\n}\n`, "function", 2],
  ["any", "export const f = (x: any): Array<any> => x\n", "any", 2],
  ["a cast", "export const x = y as Z\n", "cast", 1],
  ["two casts in one", "export const x = y as unknown as Z\n", "cast", 2],
  ["a cast in angle brackets", "export const x = <Z>y\n", "cast", 1]
])("finds %s", (_, source, rule, size) => {
  expect(rulesOf("packages/core/src/a.ts", source)).toEqual([[rule, size]])
})

it.each([
  ["a line of 120 columns", `// ${"x".repeat(117)}\n`],
  ["a long text on its line", `export const says = "${"x".repeat(130)}"\n`],
  ["a function of 70 lines", `export const f = () => {\n${lines(68)}}\n`],
  ["a suite's body", `describe("a", () => {\n${lines(90)}})\n`],
  ["as const", "export const x = [1, 2] as const\n"],
  ["a cast with its reason beside it", "export const x = y as Z // checked above\n"],
  ["a cast with its reason before it", "// The store writes nothing else.\nexport const x = y as Z\n"]
])("lets pass %s", (_, source) => {
  expect(rulesOf("packages/core/src/a.ts", source)).toEqual([])
})

it.each([
  ["src/Ledger.ts", "export class Ledger {}", true],
  ["src/ledger.ts", "export class Ledger {}", false],
  ["src/Ledger.ts", "export const other = 1", false],
  ["src/SimMarket.ts", "export const layer = 1", true],
  ["src/getPrice.handler.ts", "export const handler = 1", true],
  ["src/get-price.ts", "export {}", false],
  ["src/migrations/0001_access.ts", "export {}", true],
  ["src/0001_access.ts", "export {}", false]
])("judges the name %s of a file with: %s", (file, source, right) => {
  expect(rulesOf(file, `${source}\n`)).toEqual(right ? [] : [["name", 1]])
})

it("an exception may shrink and not grow, and what is not listed is wrong", () => {
  const found = findingsOf("a.ts", "export const f = (x: any): any => x\n")
  const listed = (size: number) => [{ file: "a.ts", rule: "any" as const, size, reason: "" }]
  expect(judge(found, []).wrong).toHaveLength(1)
  expect(judge(found, listed(1)).wrong).toHaveLength(1)
  expect(judge(found, listed(2))).toEqual({ wrong: [], slack: [] })
  expect(judge(found, listed(3)).slack).toHaveLength(1)
  expect(judge([], listed(1)).slack).toHaveLength(1)
})
