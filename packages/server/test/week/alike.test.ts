import { assert, it } from "@effect/vitest"
import { assertAlike } from "./alike.ts"

const told = (source: string) => ({ result: { price: 1, source } })

it("who is collected of may tell what the market tells, and another venue where it stands in alone", () => {
  assertAlike("get_price", told("binance"), told("simulated"))
  assertAlike("get_price", told("bybit"), told("simulated"), ["bybit"])
  assert.throws(() => assertAlike("get_price", told("bybit"), told("simulated")))
  assert.throws(() => assertAlike("get_price", told("nobody"), told("simulated"), ["bybit"]))
})
