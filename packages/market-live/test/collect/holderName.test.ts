import { assert, it } from "@effect/vitest"
import { hostname } from "node:os"
import { holderName } from "../../src/collect/holderName.ts"

it("a holder is named by its host and process number, and no two of them alike", () => {
  const [one, other] = [holderName(), holderName()]
  assert.isTrue(one.startsWith(`${hostname().slice(0, 64)} ${process.pid}-`), one)
  assert.notStrictEqual(one, other)
  assert.isAtMost(one.length, 128)
})
