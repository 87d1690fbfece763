import { assert, it } from "@effect/vitest"
import { specifications } from "@tapeline/core"
import { comparedTools, excludedTools } from "./comparedTools.ts"
import { assertSameResult } from "./sameResult.ts"

const priceFrom = (source: string) => ({ result: { price: 1, source } })

it("accepts a collected source in place of the market, and another venue only where it is allowed", () => {
  assertSameResult("get_price", priceFrom("binance"), priceFrom("simulated"))
  assertSameResult("get_price", priceFrom("bybit"), priceFrom("simulated"), ["bybit"])
  assert.throws(() => assertSameResult("get_price", priceFrom("bybit"), priceFrom("simulated")))
  const withNotes = (...notes: ReadonlyArray<string>) => ({ result: { notes } })
  assertSameResult("get_derivatives", withNotes("It compares with payments of binance, bybit."), withNotes(), ["bybit"])
  assert.throws(() =>
    assertSameResult("get_derivatives", withNotes("It compares with payments of binance, bybit."), withNotes())
  )
  assert.throws(() => assertSameResult("get_price", priceFrom("nobody"), priceFrom("simulated"), ["bybit"]))
})

it("comparedTools.ts lists every tool that costs one credit, with its questions or with a reason", () => {
  const named = [...Object.keys(comparedTools), ...Object.keys(excludedTools)]
  assert.deepStrictEqual(named.filter((name, i) => named.indexOf(name) !== i), [])
  const all = specifications.filter(({ credits }) => credits === 1).map(({ name }): string => name)
  assert.deepStrictEqual(named.toSorted(), all.toSorted())
})
