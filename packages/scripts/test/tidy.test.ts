import { isFullRun } from "@tapeline/testing/fullRun"
import { expect, it } from "vitest"
import { root } from "../src/manifest.ts"
import { checkRepository, checkSource, limits, type Rule } from "../src/tidy.ts"
import { compareWithExceptions, exceptions } from "../src/tidyExceptions.ts"

const rulesOf = (file: string, source: string): ReadonlyArray<readonly [Rule, number]> =>
  checkSource(file, source).map(({ rule, count }) => [rule, count])

const lines = (count: number, line = "  x()"): string => `${line}\n`.repeat(count)

it.runIf(isFullRun)(
  "finds only the listed exceptions in the sources",
  () => {
    const { files, found: violations } = checkRepository(root)
    expect(files).toBeGreaterThan(300)
    expect(compareWithExceptions(violations, exceptions).wrong).toEqual([])
  },
  60_000
)

it("gives a reason for every exception", () => {
  for (const { reason } of exceptions) expect(reason.length).toBeGreaterThan(20)
})

it.each<readonly [string, string, Rule, number]>([
  ["a line of 121 columns", `// ${"x".repeat(118)}\nexport {}\n`, "line", 1],
  ["a file that is a line too long", lines(limits.fileLines + 1, "export {}"), "file", limits.fileLines + 1],
  [
    "a function that is three lines too long",
    `export const f = () => {\n${lines(limits.functionLines + 1)}}\n`,
    "function",
    3
  ],
  [
    "a method that is two lines too long",
    `export class Other {\n  m() {\n${lines(limits.functionLines)}  }\n}\n`,
    "function",
    2
  ],
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
  ["a function of the maximum length", `export const f = () => {\n${lines(limits.functionLines - 2)}}\n`],
  ["a suite's body", `describe("a", () => {\n${lines(90)}})\n`],
  ["as const", "export const x = [1, 2] as const\n"],
  ["a cast with its reason on the same line", "export const x = y as Z // checked above\n"],
  ["a cast with its reason before it", "// The store writes nothing else.\nexport const x = y as Z\n"]
])("accepts %s", (_, source) => {
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
])("checks the file name %s of: %s", (file, source, right) => {
  expect(rulesOf(file, `${source}\n`)).toEqual(right ? [] : [["name", 1]])
})

it("lets an exception shrink but not grow, and rejects an unlisted one", () => {
  const violations = checkSource("a.ts", "export const f = (x: any): any => x\n")
  const listed = (size: number) => [{ file: "a.ts", rule: "any" as const, size, reason: "" }]
  expect(compareWithExceptions(violations, []).wrong).toHaveLength(1)
  expect(compareWithExceptions(violations, listed(1)).wrong).toHaveLength(1)
  expect(compareWithExceptions(violations, listed(2))).toEqual({ wrong: [], loose: [] })
  expect(compareWithExceptions(violations, listed(3)).loose).toHaveLength(1)
  expect(compareWithExceptions([], listed(1)).loose).toHaveLength(1)
})
