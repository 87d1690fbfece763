import { describe, expect, it } from "vitest"
import { findTickers } from "../../src/market/instrumentMentions.ts"

describe("findTickers", () => {
  it.each([
    ["비트 급등", ["BTC"]],
    ["바이비트 거래소 해킹", []],
    ["업비트 신규 상장", []]
  ])("reads 비트 as bitcoin, but not within names of exchanges: %s", (text, tickers) => {
    expect(findTickers(text)).toEqual(tickers)
  })
})
