import { Clock, Effect } from "effect"
import { readClosedBars } from "../../analysis/signals/closedBars.ts"
import { makeSingleFlight } from "../../analysis/signals/dayCache/singleFlight.ts"
import { makeYieldingRunner } from "../../analysis/signals/scheduling.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { makeReading, type Reading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { computeScreenedIndicators } from "./indicators.ts"

type ScreenedIndicators = ReturnType<typeof computeScreenedIndicators>
type ByCoin = ReadonlyMap<string, ScreenedIndicators>

interface CachedIndicators {
  readonly hour: number
  readonly revision: string
  readonly values: ScreenedIndicators
}

const concurrency = 8
/** The number of 1h candles per coin, after which the first value of RSI(14) and ATR(14) has a weight below 1e-12. */
const screenedBars = 400

/**
 * Creates a reader for the 1h indicators of all coins. For each coin, the reader caches the values of the last closed
 * hour. If older candles are added later, the revision of the candles changes, and the cached values are discarded.
 */
export const makeScreenedIndicators = (prices: CoinPrices["Service"]) => {
  const cache = new Map<string, CachedIndicators>()
  const runAfterYield = makeYieldingRunner()

  /** Computes the indicators of one coin, or returns undefined if no closed candle is recorded. */
  const compute = (coin: string) =>
    runAfterYield(readClosedBars(prices, coin, "1h", screenedBars)).pipe(
      Effect.map((bars) => ({ coin, bars, values: computeScreenedIndicators(bars) })),
      Effect.catchTag("NoData", () => Effect.succeed(undefined))
    )

  const readIndicators = Effect.fnUntraced(function*(
    coins: ReadonlyArray<string>,
    hour: number
  ): Effect.fn.Return<Reading<ByCoin>, MarketError> {
    const recordedBefore = yield* prices.watermarks(coins)
    const values = new Map<string, ScreenedIndicators>()
    for (const coin of coins) {
      const cached = cache.get(coin)
      const record = recordedBefore.value.get(coin)
      if (cached?.hour === hour && cached.revision === record?.revision && hour <= record.contiguousUntil) {
        values.set(coin, cached.values)
      }
    }
    const missing = coins.filter((coin) => !values.has(coin))
    if (missing.length === 0) return makeReading(values, recordedBefore.sources, hour)
    const computed = yield* Effect.forEach(missing, compute, { concurrency })
    const recordedAfter = yield* prices.watermarks(missing)
    const computedCoins = computed.filter((one) => one !== undefined)
    for (const { bars, coin, values: indicators } of computedCoins) {
      values.set(coin, indicators)
      const record = recordedBefore.value.get(coin)
      const isUnchanged = record !== undefined && record.revision === recordedAfter.value.get(coin)?.revision
      if (isUnchanged && bars.end === hour && hour <= record.contiguousUntil) {
        cache.set(coin, { hour, revision: record.revision, values: indicators })
      }
    }
    const ends = computedCoins.map(({ bars }) => bars.end)
    return makeReading(values, recordedBefore.sources, Math.min(hour, ...ends))
  })
  const singleFlight = makeSingleFlight<Reading<ByCoin>, MarketError>()
  return (coins: ReadonlyArray<string>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const hour = Math.floor(now / hourMs) * hourMs
      return singleFlight(JSON.stringify([hour, coins]), readIndicators(coins, hour))
    })
}
