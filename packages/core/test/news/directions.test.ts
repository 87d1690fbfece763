import { assert, describe, it } from "@effect/vitest"
import { opposes } from "../../src/news/directions.ts"
import { fitting } from "../../src/news/fitting.ts"

describe("opposite directions of news", () => {
  const says = (title: string, body = "") => ({ title, body })

  it("are told apart in English, Korean and Russian", () => {
    const pairs: ReadonlyArray<readonly [query: string, same: string, opposite: string]> = [
      ["bitcoin ETF inflows", "ETF inflows reach a record", "Spot ETFs see outflows"],
      ["비트코인 급락", "비트코인 10% 하락", "비트코인 10% 상승"],
      ["рост биткоина", "Биткоин вырос", "Биткоин рухнул"],
      ["Fed rate cut", "Fed cuts rates", "Fed hikes rates"],
      ["금리 인상", "기준금리 인상", "기준금리 인하"],
      ["신규 상장", "알트코인 상장", "알트코인 상장폐지"],
      ["ETF approved", "SEC approves the ETF", "SEC rejects the ETF"],
      ["whales are selling", "Whales sold coins", "Whales bought coins"]
    ]
    for (const [query, same, opposite] of pairs) {
      assert.isFalse(opposes(query)(says(same)), same)
      assert.isTrue(opposes(query)(says(opposite)), opposite)
      assert.isTrue(opposes(query)(says("Markets", opposite)), opposite)
    }
  })

  it("do not oppose where a text names both sides or none, and the title decides before the body", () => {
    const isOpposite = opposes("why did bitcoin fall")
    assert.isFalse(isOpposite(says("Bitcoin rises after a fall")))
    assert.isFalse(isOpposite(says("Bitcoin holds")))
    assert.isFalse(isOpposite(says("Bitcoin slides", "It rose the day before.")))
    assert.isTrue(isOpposite(says("Bitcoin climbs", "It fell the day before.")))
    assert.isFalse(opposes("bitcoin news")(says("Bitcoin climbs")))
    assert.isFalse(opposes("")(says("")))
  })
})

describe("articles that answer a question", () => {
  const article = { title: "Ether climbs", body: "", coins: ["ETH"] }

  it("are about one of the coins that it names, by their text or by their source", () => {
    assert.isTrue(fitting(["ethereum price"])(article))
    assert.isTrue(fitting(["이더리움과 솔라나"])(article))
    assert.isTrue(fitting(["SOL"])({ ...article, coins: ["SOL"] }))
    assert.isFalse(fitting(["bitcoin price"])(article))
    assert.isTrue(fitting(["market news"])(article))
  })

  it("are about all of its subjects", () => {
    const mining = { title: "Miners switch off machines", body: "Hashrate fell.", coins: [] }
    assert.isTrue(fitting(["채굴"])(mining))
    assert.isFalse(fitting(["stablecoin mining"])(mining))
    assert.isFalse(fitting(["Bank of Korea"])({ title: "The Fed holds rates", body: "", coins: [] }))
  })
})
