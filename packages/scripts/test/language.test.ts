import { expect, it } from "vitest"
import { isAvoided, textLines } from "../src/language.ts"

it.each([
  ["The ledger returns the credits of the month.", false],
  ["The ledger tells the credits of the month.", true],
  ["What is left of the month is returned.", true],
  ["What is left of the month?", false],
  ["Nobody but the store contains it.", true]
])("finds avoided constructions only where there are any: %s", (text, expected) => {
  expect(isAvoided(text)).toBe(expected)
})

it("reads comments and test names of sources", () => {
  const source =
    "// Keeps what `told` returned here.\nconst told = 1\nit(\"returns 402 without any credits\", () => {})"
  expect(textLines("packages/core/src/a.ts", source)).toEqual([
    { kind: "comments", line: 1, text: "Keeps what X returned here." },
    { kind: "test names", line: 3, text: "returns 402 without any credits" }
  ])
})

it("reads names of tests and suites in any place of their calls", () => {
  const source =
    "describe(\n  \"a store of many keys\",\n  () => {}\n)\nit.effect.each([1, 2])(\n  `reads ${n} keys of a store`, run)"
  expect(textLines("packages/core/test/a.test.ts", source)).toEqual([
    { kind: "test names", line: 2, text: "a store of many keys" },
    { kind: "test names", line: 6, text: "reads X keys of a store" }
  ])
})

it("reads messages of published packages, joined and without inserted values, queries and other languages", () => {
  const source = [
    "const reason = `the store ${name} is ` +",
    "  \"not available now\"",
    "const query = sql`select one of the many rows`",
    "const update = \"update keys set name = $1 where id = $2\"",
    "const russian = \"ключ выпущен и больше не показывается\""
  ].join("\n")
  const message = { kind: "messages", line: 1, text: "the store X is not available now" }
  expect(textLines("packages/core/src/a.ts", source)).toEqual([message])
  expect(textLines("packages/core/src/agent/writeIntent/a.ts", source)).toEqual([])
  expect(textLines("packages/core/test/a.ts", source)).toEqual([])
})

it("reads documents without code, quotations and labels", () => {
  const page =
    "# A title\n\nThe server returns a price.\n\n```ts\n// nobody stands behind it here\n```\n\n> He told us of late."
  expect(textLines("docs/a.md", page)).toEqual([
    { kind: "documents", line: 3, text: "The server returns a price." }
  ])
})
