import { DerivedStore } from "@tapeline/core"
import { fearGreedHistoryDays, outcomeHours, rankedVixSessions } from "@tapeline/core/analysis"
import { CoinPrices, EquityMarkets, KoreanCoinMarkets, StoredEquities } from "@tapeline/core/market"
import { Effect } from "effect"

/**
 * Reads all coin markets in advance, because the first read of a market takes about 60 ms. The server can answer
 * requests between two reads.
 */
const warmUpCoins = Effect.gen(function*() {
  const prices = yield* CoinPrices
  const { value: coins } = yield* prices.coins
  for (const { coin } of coins) {
    yield* Effect.yieldNow
    yield* prices.ticker(coin)
  }
  yield* prices.tickers
  yield* Effect.yieldNow
  yield* (yield* KoreanCoinMarkets).tickers
})

/**
 * Computes the scores and signals of one coin after another, and the fear and greed index. Worker threads run the long
 * computations.
 */
const warmUpSignals = Effect.gen(function*() {
  const [prices, derived] = yield* Effect.all([CoinPrices, DerivedStore])
  const { value: coins } = yield* prices.coins
  for (const { coin, isStablecoin } of coins) {
    if (!isStablecoin) yield* Effect.ignore(derived.signals({ coin, hours: outcomeHours }))
  }
  yield* derived.fearGreed(fearGreedHistoryDays)
})

/** Reads the US stock market in advance. The reads of the simulated market run in small steps. */
const warmUpStocks = Effect.gen(function*() {
  const [markets, stored] = yield* Effect.all([EquityMarkets, StoredEquities])
  yield* markets.market("US")
  yield* stored.indexHistory({ index: "VIX", bars: rankedVixSessions + 1 })
})

/**
 * The default time in ms from the end of the start until derived values are computed. The first requests after a start
 * then do not compete with the computation, and short-lived processes skip it.
 */
const signalsDelayMs = 10_000

/**
 * Reads and computes in the background what the first requests would otherwise wait for. Stocks of a live market are
 * not read, because a request to their source would be needed. Failures are ignored, because each request reads and
 * computes what is missing.
 */
export const warmUpMarket = Effect.fnUntraced(function*(market: "live" | "simulated", delayMs = signalsDelayMs) {
  yield* Effect.ignore(warmUpCoins)
  yield* Effect.sleep(delayMs)
  yield* Effect.ignore(warmUpSignals)
  if (market === "simulated") yield* Effect.ignore(warmUpStocks)
})
