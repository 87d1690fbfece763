import { describe, expect, it } from "vitest"
import { makeArticleFilter } from "../../src/analysis/news/articleFilter.ts"

describe("makeArticleFilter", () => {
  const accepts = (query: string, body: string): boolean =>
    makeArticleFilter([query]).accepts({ title: "A wallet maker opens an office", body, coins: [] })
  const opening = "The company hires engineers."

  it("accepts an article that mentions one instrument of the question twice", () => {
    expect(accepts("bitcoin and ether wallets", `${opening} It stores bitcoin. Bitcoin is its main asset.`)).toBe(true)
  })

  it("rejects an article that mentions several instruments of the question only once each", () => {
    expect(accepts("bitcoin and ether wallets", `${opening} It stores bitcoin, ether and solana.`)).toBe(false)
  })
})
