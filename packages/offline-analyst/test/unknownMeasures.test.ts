import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play } from "./support/play.ts"

const price = { coin: "ETH", price: 2_500, change_24h_pct: 1.5, low_24h: 2_400, high_24h: 2_600 }

layer(OfflineAnalyst)("a question about an unknown instrument", (it) => {
  it.effect("names the unrecognised word and makes no call if it contains a measure, also after another coin", () =>
    Effect.gen(function*() {
      const earlier = [{ question: "How is ETH?", answer: "ETH trades at $2,500." }]
      const answers = Object.fromEntries(
        "price score derivatives indicators levels liquidations liquidation_map".split(" ")
          .map((name) => [`get_${name}`, price])
      )
      for (
        const [question, name] of [
          ["funding of foo", "“foo”"],
          ["funding of kaspa", "“kaspa”"],
          ["open interest of foo", "“foo”"],
          ["liquidations of foo", "“foo”"],
          ["rsi of foo", "“foo”"],
          ["levels of foo", "“foo”"],
          ["news about foo", "“foo”"],
          ["what is the funding rate of pepe2?", "“pepe2”"],
          ["카스파 펀딩비 얼마야", "‘카스파’"],
          ["카스파 지지선 어디야", "‘카스파’"],
          ["какой фандинг у каспы", "«каспы»"],
          ["новости по каспе", "«каспе»"]
        ] as const
      ) {
        const { calls, text } = yield* play({ question, earlier, answers: { ...answers, search_news: {} } })
        assert.deepStrictEqual(calls, [], question)
        assert.include(text, name)
        assert.notMatch(text, /ETH|\$\d/, question)
      }
      for (
        const question of [
          "liquidations of longs",
          "open interest of perpetuals",
          "funding of the last week",
          "news about the halving",
          "급격한 변동성 왜"
        ]
      ) {
        const { calls } = yield* play({
          question,
          earlier,
          answers: { ...answers, search_news: {}, get_volatility: price }
        })
        assert.include(JSON.stringify(calls), "ETH", question)
      }
    }))

  it.effect("is not answered with a known instrument whose name begins alike", () =>
    Effect.gen(function*() {
      for (
        const [question, coin] of [
          ["pepe2 price", "PEPE2"],
          ["price of pepe2", "PEPE2"],
          ["price of eth classic", "ETC"],
          ["price of ETH classic", "ETC"],
          ["btc cash price", "BCH"],
          ["price of pepe", "PEPE"],
          ["price of eth", "ETH"]
        ] as const
      ) {
        const { calls } = yield* play({ question, answers: { get_price: price } })
        assert.deepStrictEqual(calls.map(({ arguments: args }) => args), [{ coin }], question)
      }
    }))
})
