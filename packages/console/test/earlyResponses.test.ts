import { expect, it } from "vitest"
import { earlyQueries } from "../browser/pages/earlyQueries.ts"
import { EarlyResponses } from "../browser/requests/EarlyResponses.ts"

it("returns an early response once for its key, and never the response of another key", async () => {
  const responses = new EarlyResponses()
  responses.add(["tool", "get_price", { coin: "BTC" }], Promise.resolve(1))
  responses.add(["usage"], Promise.reject(new Error("away")))
  expect(responses.take(["tool", "get_price", { coin: "ETH" }])).toBeUndefined()
  expect(await responses.take(["tool", "get_price", { coin: "BTC" }])).toBe(1)
  expect(responses.take(["tool", "get_price", { coin: "BTC" }])).toBeUndefined()
  await responses.settled()
  await expect(responses.take(["usage"])).rejects.toThrow("away")
})

it("requests only the tools that the opened page calls by itself", () => {
  const toolsOf = (path: string, query = "") =>
    earlyQueries(path, new URLSearchParams(query)).map(({ args, tool }) => [tool, args])
  expect(toolsOf("/market")).toEqual([["get_market_overview", {}]])
  expect(toolsOf("/market/btc", "tf=4h")).toEqual([
    ["get_price", { coin: "BTC" }],
    ["get_price_history", { coin: "BTC", tf: "4h", bars: 500 }]
  ])
  for (const path of ["/market/~", "/tools", "/analyst", "/", "/market/BTC/x"]) expect(toolsOf(path)).toEqual([])
})
