import { assert, it } from "@effect/vitest"
import { hostname } from "node:os"
import { makeHolderName } from "../../src/collect/leaderElection.ts"

it("names each holder uniquely by host and process number", () => {
  const [one, other] = [makeHolderName(), makeHolderName()]
  assert.isTrue(one.startsWith(`${hostname().slice(0, 64)} ${process.pid}-`), one)
  assert.notStrictEqual(one, other)
  assert.isAtMost(one.length, 128)
})
