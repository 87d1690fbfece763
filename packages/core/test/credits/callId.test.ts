import { formatCallId, parseCallId } from "@tapeline/core/engine"
import fc from "fast-check"
import { assert, describe, it } from "vitest"

describe("The id of a call", () => {
  it("names the month and the entry of its reservation", () => {
    assert.strictEqual(formatCallId({ month: "2026-11", entry: 4711 }), "call_202611_4711")
    assert.deepStrictEqual(parseCallId("call_202611_4711"), { month: "2026-11", entry: 4711 })
  })

  it("is parsed to the call from which it was formatted", () => {
    const month = fc.date({ min: new Date(0), max: new Date("2999-12-31"), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 7))
    fc.assert(fc.property(month, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (month, entry) => {
      assert.deepStrictEqual(parseCallId(formatCallId({ month, entry })), { month, entry })
    }))
  })

  for (
    const text of [
      "",
      "4711",
      "call_202611",
      "call_202611_",
      "call_202611_0",
      "call_202611_04711",
      "call_202611_-1",
      "call_202611_1.5",
      "call_202611_1e3",
      "call_202600_1",
      "call_202613_1",
      "call_2026-11_1",
      "call_02026_1",
      "CALL_202611_1",
      " call_202611_1",
      "call_202611_1\n",
      "call_202611_1_2",
      "call_２０２６11_1",
      "call_202611_9007199254740992",
      "call_202611_99999999999999999999"
    ]
  ) {
    it(`is not ${JSON.stringify(text)}`, () => assert.isNull(parseCallId(text)))
  }
})
