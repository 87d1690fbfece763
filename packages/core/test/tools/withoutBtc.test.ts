import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  mapReading,
  type MarketRead,
  pickTools,
  SocialFeed,
  Toolbox,
  tools,
  UnknownSymbol,
  type WatermarkRead
} from "@tapeline/core"
import { getActiveSignals, getCorrelation, getFearGreed, getRegime, getScore } from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Context, Effect, Layer } from "effect"
import { type FakeMarket, makeFakeMarket } from "./fakeMarket.ts"
import { makeRunOnEngine } from "./runOnEngine.ts"

const isBtc = ({ coin }: { readonly coin: string }) => coin === "BTC"

const unlisted =
  <Query extends { readonly coin: string }, A>(read: (query: Query) => MarketRead<A>) =>
  (query: Query): MarketRead<A> => isBtc(query) ? Effect.fail(new UnknownSymbol({ symbol: "BTC" })) : read(query)

const others = (readRecorded: WatermarkRead): WatermarkRead => (coins) =>
  readRecorded(coins.filter((coin) => coin !== "BTC"))

/** The market of an embedder that has several coins, but not BTC. */
const market: FakeMarket = (() => {
  const fullMarket = makeFakeMarket()
  const marketWithoutBtc = Layer.effectContext(
    Effect.map(Effect.context<CoinPrices | CoinDerivatives | SocialFeed>(), (all) => {
      const [prices, derivatives, social] = [
        Context.get(all, CoinPrices),
        Context.get(all, CoinDerivatives),
        Context.get(all, SocialFeed)
      ]
      return Context.make(CoinPrices, {
        ...prices,
        coins: Effect.map(prices.coins, (read) => mapReading(read, (coins) => coins.filter((one) => !isBtc(one)))),
        coin: (coin) => unlisted((query: { readonly coin: string }) => prices.coin(query.coin))({ coin }),
        candles: unlisted(prices.candles),
        candleRange: unlisted(prices.candleRange),
        priceAt: unlisted(prices.priceAt),
        tickers: Effect.map(prices.tickers, (read) => mapReading(read, (coins) => coins.filter((one) => !isBtc(one)))),
        watermarks: others(prices.watermarks)
      }).pipe(
        Context.add(CoinDerivatives, {
          ...derivatives,
          fundingPayments: unlisted(derivatives.fundingPayments),
          perpetualHistory: unlisted(derivatives.perpetualHistory),
          watermarks: others(derivatives.watermarks)
        }),
        Context.add(SocialFeed, {
          ...social,
          activity: unlisted(social.activity),
          watermarks: others(social.watermarks)
        })
      )
    })
  )
  return { callCounts: fullMarket.callCounts, layer: Layer.provideMerge(marketWithoutBtc, fullMarket.layer) }
})()

const names = ["get_score", "get_regime", "get_fear_greed", "get_active_signals", "get_correlation"] as const
const run = makeRunOnEngine(Toolbox.layer(pickTools(tools, names)))

it.effect("returns coin results without BTC, and fails market-wide tools with no_data", () =>
  run(
    Effect.gen(function*() {
      assert.strictEqual((yield* callTool(getScore, { coin: "ETH" })).coin, "ETH")
      const { signals } = yield* callTool(getActiveSignals, {})
      assert.isTrue(signals.every(({ coin }) => coin !== "BTC"))
      const { beta_to_btc, matrix, notes } = yield* callTool(getCorrelation, { coins: ["ETH", "SOL"], days: 14 })
      assert.deepStrictEqual(beta_to_btc.map(({ beta }) => beta), [null, null])
      assert.isNumber(matrix[0]![1])
      assert.include(notes.join(), "too few candles of BTC are recorded")
      for (const specification of [getRegime, getFearGreed]) {
        assert.strictEqual((yield* callExpectingFailure(specification, {})).code, "no_data", specification.name)
      }
      assert.strictEqual(
        (yield* callExpectingFailure(getCorrelation, { coins: ["ETH", "BTC"] })).code,
        "unknown_symbol"
      )
    }),
    { market }
  ))
