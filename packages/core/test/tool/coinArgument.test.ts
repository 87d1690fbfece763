import { assert, describe, it } from "@effect/vitest"
import { Exit, Schema } from "effect"
import { CoinArgument, coinsBetween } from "../../src/market/arguments.ts"

const decode = Schema.decodeUnknownSync(CoinArgument)

describe("the coin of an argument", () => {
  it("is found by its ticker in any case, or by its name in English, Korean or Russian", () => {
    const acceptedNames: Readonly<Record<string, ReadonlyArray<string>>> = {
      BTC: ["btc", "Btc", "Bitcoin", "bitcoin", "BITCOIN", " bitcoin ", "비트코인", "биткоин", "Биткойн"],
      BCH: ["Bitcoin Cash", "비트코인 캐시"],
      ETH: ["Ethereum", "이더리움", "эфир"],
      ETC: ["Ethereum Classic", "이더리움클래식"],
      SOL: ["Solana", "솔라나", "Солана"],
      DOGE: ["Dogecoin", "도지", "догикоин"],
      XRP: ["xrp", "Ripple"],
      TRX: ["TRON"],
      ATOM: ["Cosmos"],
      FET: ["Fetch.ai"],
      USDC: ["USD Coin"]
    }
    for (const [ticker, texts] of Object.entries(acceptedNames)) {
      for (const text of texts) assert.strictEqual(decode(text), ticker, text)
    }
  })

  it("is a ticker if no coin has that name", () => {
    for (const text of ["link", "OP", "near", "1inch", "constructor", "notacoin"]) {
      assert.strictEqual(decode(text), text.toUpperCase())
    }
  })

  it("is rejected if it is neither a ticker nor a name", () => {
    const texts = [
      "",
      " ",
      "BTC/USDT",
      "not a coin",
      "비트코인 사줘",
      "bitcoin\u0000",
      "b".repeat(41),
      "биткоин".repeat(9_999)
    ]
    for (const text of texts) {
      const exit = Schema.decodeUnknownExit(CoinArgument)(text)
      assert.isTrue(Exit.isFailure(exit) && String(exit.cause).includes("or the name of a coin"), text.slice(0, 20))
    }
  })

  it("counts once in a list under any of its names", () => {
    const list = Schema.decodeUnknownExit(coinsBetween(2, 10, "Tickers"))
    assert.isTrue(Exit.isFailure(list(["BTC", "Bitcoin"])))
    assert.deepStrictEqual(list(["Bitcoin", "eth"]), Exit.succeed(["BTC", "ETH"]))
  })
})
