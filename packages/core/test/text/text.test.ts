import { assert, describe, it } from "@effect/vitest"
import { checkTexts, findNearestName, Name, specifications, Text } from "@tapeline/core"
import { Schema } from "effect"

describe("text", () => {
  it("accepts the characters that every store can keep", () => {
    const accepts = Schema.is(Text)
    for (const text of ["", "plain", "두 줄\nи ещё", "😀"]) assert.isTrue(accepts(text), JSON.stringify(text))
    for (const text of ["a\0b", "\ud800", "x\udc00y"]) assert.isFalse(accepts(text), JSON.stringify(text))
  })

  it("accepts one non-blank line as a name", () => {
    const accepts = Schema.is(Name)
    for (const name of ["a", "회사 (주)", "x".repeat(100)]) assert.isTrue(accepts(name), name)
    for (const name of ["", "   ", "two\nlines", "\u0007", "a\u0085b", "\0", "\ud800", "x".repeat(101)]) {
      assert.isFalse(accepts(name), JSON.stringify(name))
    }
  })

  it("suggests the nearest name for a misspelt one, and null for any other text", () => {
    const names = specifications.map(({ name }) => name)
    for (
      const [query, expected] of [
        ["get_prise", "get_price"],
        ["get_pirce", "get_price"],
        ["getPrice", "get_price"],
        ["GET-PRICE", "get_price"],
        ["get_postions", "get_positions"],
        ["set_positions", "set_position"],
        ["get_weather", null],
        ["", null],
        ["__proto__", null],
        ["가격", null],
        ["a".repeat(5_000), null],
        ["get_price".repeat(7), null]
      ] as const
    ) assert.strictEqual(findNearestName(query, names), expected, query.slice(0, 40))
    for (const name of names) assert.strictEqual(findNearestName(`${name}x`, names), name)
  })

  it("reports invalid characters anywhere in a value, including keys", () => {
    const value = { fine: "x", list: ["a", { deep: "b\0" }], ["key\0"]: 1, lone: "\ud800" }
    const report = checkTexts(value, 10)
    assert.strictEqual(report._tag, "Read")
    if (report._tag !== "Read") return
    assert.deepStrictEqual(
      [...report.faults].sort((a, b) => String(a.path) < String(b.path) ? -1 : 1),
      [
        { path: ["key\0"], in: "key" },
        { path: ["list", 1, "deep"], in: "value" },
        { path: ["lone"], in: "value" }
      ]
    )
  })

  it("rejects values nested too deep, at any depth", () => {
    const nested = (depth: number) => JSON.parse(`${"[".repeat(depth)}1${"]".repeat(depth)}`)
    assert.strictEqual(checkTexts(nested(10), 10)._tag, "Read")
    assert.strictEqual(checkTexts(nested(11), 10)._tag, "TooDeep")
    assert.strictEqual(checkTexts(nested(20_000), 10)._tag, "TooDeep")
  })
})
