import { assert, it } from "@effect/vitest"
import { makeCoinFinder } from "../../src/mentions/coinFinder.ts"
import { makeStockFinder } from "../../src/mentions/stockFinder.ts"

const findCoins = makeCoinFinder(["BTC", "ETH", "SOL", "BCH", "LINK", "DOT", "NEAR", "XRP", "OP", "FOO"])

const coins: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Bitcoin and ethereum slide; BTC under $100k": ["BTC", "ETH"],
  "$btc $SOL to the moon #ETH": ["BTC", "SOL", "ETH"],
  "the link is near the dot on my op-ed": [],
  "LINK IN BIO, NEAR ME, OP IS RIGHT": [],
  "$LINK and Chainlink, NEAR Protocol": ["LINK", "NEAR"],
  "bitcoin cash is not it": ["BCH"],
  "Ethereum Classic forks": [],
  "She studied at ETH Zürich": [],
  "I paid $100 for a solar panel": [],
  "비트코인이 오르고 이더리움은 내렸다": ["BTC", "ETH"],
  "비트코인캐시와 비트코인 캐시는 같다": ["BCH"],
  "솔라나 급등, 이더리움클래식 제외": ["SOL"],
  "Биткоин вырос, биткоина мало, эфириумом торгуют": ["BTC", "ETH"],
  "Купил солану и рипл": ["SOL", "XRP"],
  "в прямом эфире у трона солдат": [],
  "$FOO is listed, FOO is not": ["FOO"],
  "#bitcoin #Bitcoin": ["BTC"],
  "": []
}

it("finds the coins that a text names in three languages, and ignores ordinary words", () => {
  for (const [text, expected] of Object.entries(coins)) {
    assert.deepStrictEqual([...findCoins(text)], [...expected], text)
  }
})

it("reads only the beginning of a very long text", () => {
  assert.deepStrictEqual([...findCoins(`${"a ".repeat(1_000_000)} bitcoin`)], [])
  assert.deepStrictEqual([...findCoins("$".repeat(100_000) + "\u0000\ud800 bitcoin")], [])
  assert.deepStrictEqual([...findCoins(`bitcoin ${"비트".repeat(1_000)}`)], ["BTC"])
})

const stocks = makeStockFinder([
  { symbol: "AAPL", name: "Apple Inc." },
  { symbol: "TGT", name: "Target Corporation" },
  { symbol: "BRK.B", name: "Berkshire Hathaway Inc. Class B" },
  { symbol: "GOOGL", name: "Alphabet Inc." },
  { symbol: "005930", name: "Samsung Electronics Co., Ltd." },
  { symbol: "000270", name: "기아" },
  { symbol: "035720", name: "카카오" }
])

it("finds the stocks that an article is about by names, listings and tags", () => {
  const findMentioned = (text: string, tags: ReadonlyArray<string> = []) => [...stocks(text, tags)]
  assert.deepStrictEqual(findMentioned("Apple beats as Google slips"), ["AAPL", "GOOGL"])
  assert.deepStrictEqual(findMentioned("The Fed keeps its target rate"), [])
  assert.deepStrictEqual(findMentioned("Retailer (NYSE: TGT) and $AAPL", ["BRK.B"]), ["TGT", "BRK.B", "AAPL"])
  assert.deepStrictEqual(findMentioned("Samsung Electronics, 카카오가 (000270)"), ["000270", "005930", "035720"])
  assert.deepStrictEqual(findMentioned("기아와 빈곤, Samsung"), ["005930"])
  assert.deepStrictEqual(findMentioned("(NASDAQ: NOPE) $NOPE", ["NOPE"]), [])
})
