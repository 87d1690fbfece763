import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@tapeline/core"
import { Effect } from "effect"
import { fingerprint } from "../../src/engine/call/fingerprint.ts"

describe("fingerprint", () => {
  it.effect("depends on everything except the order of keys", () =>
    Effect.gen(function*() {
      const a = yield* fingerprint("t", { b: [1, { y: null, x: "1" }], a: true, 10: "i", 9: "j" })
      assert.strictEqual(yield* fingerprint("t", { 9: "j", a: true, 10: "i", b: [1, { x: "1", y: null }] }), a)
      for (
        const [operation, args] of [
          ["u", { b: [1, { y: null, x: "1" }], a: true, 10: "i", 9: "j" }],
          ["t", { b: [{ y: null, x: "1" }, 1], a: true, 10: "i", 9: "j" }],
          ["t", { b: [1, { y: null, x: 1 }], a: true, 10: "i", 9: "j" }]
        ] as const
      ) {
        assert.notStrictEqual(yield* fingerprint(operation, args), a)
      }
    }))

  // The expected hash is fixed, because a node of another version may have stored the hash of the first request.
  it.effect("is the SHA-256 digest of the sorted JSON", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        yield* fingerprint("get_price", { coin: "BTC", list: [], none: {}, 2: 0.1, 10: undefined, list2: [undefined] }),
        yield* sha256(`["get_price",{"2":0.1,"coin":"BTC","list":[],"list2":[null],"none":{}}]`)
      )
    }))

  it.effect("accepts deeply nested arguments", () =>
    Effect.gen(function*() {
      const nested = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
      assert.match(yield* fingerprint("t", { nested }), /^[0-9a-f]{64}$/)
    }))
})
