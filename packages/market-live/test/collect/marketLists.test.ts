import { assert, it } from "@effect/vitest"
import { dayMs, hourMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { mayBeUnreadable, rememberMarkets } from "../../src/collect/marketLists.ts"

const findUnreadable = (row: string, coins: ReadonlyArray<string>) =>
  coins.filter((coin) => mayBeUnreadable({ unreadable: [row] }, coin))

it("matches an unreadable row with the coin in its name, and with no coin inside that name", () => {
  const coins = ["BTC", "OP", "TOP", "U", "S", "D", "T", "PEPE", "SHIB", "1INCH", "1000SATS", "SATS"]
  assert.deepStrictEqual(findUnreadable("TOPUSDT", coins), ["TOP"])
  assert.deepStrictEqual(findUnreadable("TOP-USDT-SWAP", coins), ["TOP"])
  assert.deepStrictEqual(findUnreadable("UUSDT", coins), ["U"])
  assert.deepStrictEqual(findUnreadable("BTC-USDT", coins), ["BTC"])
  assert.deepStrictEqual(findUnreadable("1000PEPEUSDT", coins), ["PEPE"])
  assert.deepStrictEqual(findUnreadable("SHIB1000USDT", coins), ["SHIB"])
  assert.deepStrictEqual(findUnreadable("1INCHUSDT", coins), ["1INCH"])
  assert.deepStrictEqual(findUnreadable("1000SATSUSDT", coins), ["1000SATS", "SATS"])
  for (const other of ["BTCUSDC", "BTCUSDT_261225", "BTC-USD-SWAP", "USDT"]) {
    assert.deepStrictEqual(findUnreadable(other, coins), [])
  }
  assert.deepStrictEqual(findUnreadable("17", coins), coins)
})

it.effect("keeps absent markets listed for at most a day because of a nameless unreadable row", () =>
  Effect.gen(function*() {
    let [symbols, skippedRows]: ReadonlyArray<ReadonlyArray<string>> = [["BTCUSDT", "OLDUSDT", "ODDUSDT"], []]
    const ask = rememberMarkets(Effect.sync(() => (
      { value: symbols!.map((symbol) => ({ symbol })), skippedRows: skippedRows!, receivedAt: 0, date: null }
    )))
    const readSymbols = Effect.map(ask, ({ rows, unreadable }) => [rows.map(({ symbol }) => symbol), unreadable])
    yield* readSymbols
    symbols = ["BTCUSDT"]
    skippedRows = ["3", "ODDUSDT"]
    assert.deepStrictEqual(yield* readSymbols, [["BTCUSDT", "OLDUSDT", "ODDUSDT"], ["3"]])
    yield* TestClock.adjust(dayMs - hourMs)
    assert.deepStrictEqual(yield* readSymbols, [["BTCUSDT", "OLDUSDT", "ODDUSDT"], ["3"]])
    yield* TestClock.adjust(hourMs)
    // A market with an unreadable row stays listed while the row contains the market's name.
    assert.deepStrictEqual(yield* readSymbols, [["BTCUSDT", "ODDUSDT"], []])
    skippedRows = ["ODDUSDT"]
    assert.deepStrictEqual(yield* readSymbols, [["BTCUSDT", "ODDUSDT"], []])
    skippedRows = ["3", "ODDUSDT"]
    symbols = []
    assert.deepStrictEqual(yield* readSymbols, [["BTCUSDT", "ODDUSDT"], ["3"]])
  }))
