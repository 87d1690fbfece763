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

it("reads documents without code, quotations and labels", () => {
  const page =
    "# A title\n\nThe server returns a price.\n\n```ts\n// nobody stands behind it here\n```\n\n> He told us of late."
  expect(textLines("docs/a.md", page)).toEqual([
    { kind: "documents", line: 3, text: "The server returns a price." }
  ])
})
