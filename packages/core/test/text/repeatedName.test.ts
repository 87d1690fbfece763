import { assert, it } from "@effect/vitest"
import { findRepeatedName } from "@tapeline/core/engine"
import * as fc from "fast-check"

it("finds a name that occurs twice in one object, in any notation, and no other name", () => {
  const textsWithRepeatedName = [
    [`{"coin":"BTC","coin":"ETH"}`, "coin"],
    [`{"coin":1,"c\\u006fin":2}`, "coin"],
    [`{"a":{"b":[{"c":1, "d":{}, "c" : 2}]}}`, "c"],
    [`{"\\"":1,"\\"":2}`, `"`],
    [`{"":[],"":{}}`, ""],
    [`{"__proto__":1,"__proto__":2}`, "__proto__"]
  ] as const
  for (const [text, name] of textsWithRepeatedName) assert.strictEqual(findRepeatedName(text), name, text)
  const textsWithUniqueNames = [
    `{"a":"a","b":{"a":{"a":1}},"c":[{"a":1},{"a":1}]}`,
    `{"a":"\\"a\\":1,{","b":"}","\\\\":1,"\\\\\\\\":2}`,
    `["a","a"]`,
    `"a"`
  ]
  for (const text of textsWithUniqueNames) assert.isUndefined(findRepeatedName(text), text)
})

it("finds no repeated name in the output of JSON.stringify", () => {
  fc.assert(fc.property(fc.json({ depthSize: "large" }), (text) => assert.isUndefined(findRepeatedName(text))))
})
