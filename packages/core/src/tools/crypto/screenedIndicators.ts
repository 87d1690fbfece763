import { Clock, Effect } from "effect"
import { makeOneByOne } from "../../analysis/signals/oneByOne.ts"
import { makeFlights } from "../../analysis/signals/remembered/flights.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { type Reading, reading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { readIndicatorCandles } from "./indicatorCandles.ts"
import { screenedIndicatorsOf } from "./indicators.ts"

type Screened = ReturnType<typeof screenedIndicatorsOf>
type ByCoin = ReadonlyMap<string, Screened>

interface Remembered {
  readonly hour: number
  readonly revision: string
  readonly values: Screened
}

const concurrency = 8

/**
 * Returns indicators of 1h candles for whole markets. The values of the last closed hour are cached per coin: screens
 * repeat within the hour, and concurrent screens share one computation. A backfill changes the revision and invalidates
 * the value. Hours after the watermark are not cached.
 */
export const makeScreenedIndicators = (prices: CoinPrices["Service"]) => {
  const seen = new Map<string, Remembered>()
  const oneByOne = makeOneByOne()

  /** Computes the indicators of one coin; undefined if no closed candle is recorded. */
  const compute = (coin: string) =>
    oneByOne(readIndicatorCandles(prices, coin, "1h")).pipe(
      Effect.map((bars) => ({ coin, bars, values: screenedIndicatorsOf(bars) })),
      Effect.catchTag("NoData", () => Effect.succeed(undefined))
    )

  const read = Effect.fnUntraced(function*(
    coins: ReadonlyArray<string>,
    hour: number
  ): Effect.fn.Return<Reading<ByCoin>, MarketError> {
    const before = yield* prices.recorded(coins)
    const values = new Map<string, Screened>()
    for (const coin of coins) {
      const known = seen.get(coin)
      const record = before.value.get(coin)
      if (known?.hour === hour && known.revision === record?.revision && hour <= record.contiguousUntil) {
        values.set(coin, known.values)
      }
    }
    const missing = coins.filter((coin) => !values.has(coin))
    if (missing.length === 0) return reading(values, before.sources, hour)
    const computed = yield* Effect.forEach(missing, compute, { concurrency })
    const after = yield* prices.recorded(missing)
    const there = computed.filter((one) => one !== undefined)
    for (const { bars, coin, values: found } of there) {
      values.set(coin, found)
      const record = before.value.get(coin)
      const same = record !== undefined && record.revision === after.value.get(coin)?.revision
      if (same && bars.end === hour && hour <= record.contiguousUntil) {
        seen.set(coin, { hour, revision: record.revision, values: found })
      }
    }
    const ends = there.map(({ bars }) => bars.end)
    return reading(values, before.sources, Math.min(hour, ...ends))
  })
  const flights = makeFlights<Reading<ByCoin>, MarketError>()
  return (coins: ReadonlyArray<string>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const hour = Math.floor(now / hourMs) * hourMs
      return flights(JSON.stringify([hour, coins]), read(coins, hour))
    })
}
