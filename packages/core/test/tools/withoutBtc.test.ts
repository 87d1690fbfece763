import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  mapReading,
  type MarketRead,
  pickTools,
  type RecordedRead,
  SocialFeed,
  Toolbox,
  tools,
  UnknownSymbol
} from "@tapeline/core"
import { getActiveSignals, getCorrelation, getFearGreed, getRegime, getScore } from "@tapeline/core/specifications"
import { Context, Effect, Layer } from "effect"
import { call, engineOf, failure } from "./call.ts"
import { type FakeMarket, fakeMarket } from "./market.ts"

const isBtc = ({ coin }: { readonly coin: string }) => coin === "BTC"

/** A method with a coin as argument. It does not know BTC. */
const unlisted =
  <Query extends { readonly coin: string }, A>(read: (query: Query) => MarketRead<A>) =>
  (query: Query): MarketRead<A> => isBtc(query) ? Effect.fail(new UnknownSymbol({ symbol: "BTC" })) : read(query)

const others = (recorded: RecordedRead): RecordedRead => (coins) => recorded(coins.filter((coin) => coin !== "BTC"))

/** The market of an embedder that has other coins, but not BTC. */
const market: FakeMarket = (() => {
  const whole = fakeMarket()
  const without = Layer.effectContext(Effect.map(Effect.context<CoinPrices | CoinDerivatives | SocialFeed>(), (all) => {
    const [prices, derivatives, social] = [
      Context.get(all, CoinPrices),
      Context.get(all, CoinDerivatives),
      Context.get(all, SocialFeed)
    ]
    return Context.make(CoinPrices, {
      ...prices,
      coins: Effect.map(prices.coins, (read) => mapReading(read, (coins) => coins.filter((one) => !isBtc(one)))),
      coin: (coin) => unlisted((asked: { readonly coin: string }) => prices.coin(asked.coin))({ coin }),
      candles: unlisted(prices.candles),
      candleRange: unlisted(prices.candleRange),
      priceAt: unlisted(prices.priceAt),
      tickers: Effect.map(prices.tickers, (read) => mapReading(read, (coins) => coins.filter((one) => !isBtc(one)))),
      recorded: others(prices.recorded)
    }).pipe(
      Context.add(CoinDerivatives, {
        ...derivatives,
        fundingPrints: unlisted(derivatives.fundingPrints),
        perpetualHistory: unlisted(derivatives.perpetualHistory),
        recorded: others(derivatives.recorded)
      }),
      Context.add(SocialFeed, {
        ...social,
        activity: unlisted(social.activity),
        recorded: others(social.recorded)
      })
    )
  }))
  return { asked: whole.asked, layer: Layer.provideMerge(without, whole.layer) }
})()

const names = ["get_score", "get_regime", "get_fear_greed", "get_active_signals", "get_correlation"] as const
const run = engineOf(Toolbox.layer(pickTools(tools, names)))

it.effect("where BTC is not listed, what is of others is told, and what is of the market has no data", () =>
  run(
    Effect.gen(function*() {
      assert.strictEqual((yield* call(getScore, { coin: "ETH" })).coin, "ETH")
      const { signals } = yield* call(getActiveSignals, {})
      assert.isTrue(signals.every(({ coin }) => coin !== "BTC"))
      const { beta_to_btc, matrix, notes } = yield* call(getCorrelation, { coins: ["ETH", "SOL"], days: 14 })
      assert.deepStrictEqual(beta_to_btc.map(({ beta }) => beta), [null, null])
      assert.isNumber(matrix[0]![1])
      assert.include(notes.join(), "too little of BTC is recorded")
      for (const specification of [getRegime, getFearGreed]) {
        assert.strictEqual((yield* failure(specification, {})).code, "no_data", specification.name)
      }
      assert.strictEqual((yield* failure(getCorrelation, { coins: ["ETH", "BTC"] })).code, "unknown_symbol")
    }),
    { market }
  ))
