import { Clock, Effect } from "effect"
import type { ClosedMinutes, PricePoint } from "./coin.ts"
import type { CoinPrices } from "./CoinPrices.ts"
import type { SourceUnavailable } from "./errors.ts"
import { type MarketRead, type Reading, sourcesOf } from "./reading.ts"
import { minuteMs } from "./timeframe.ts"

/* Reads of many coins that are made of reads of one coin, for adapters without a faster common read. */

/** Reads each coin in turn, and returns the readings by coin. Unknown coins and coins without data are omitted. */
const readEachCoin = Effect.fnUntraced(function*<A>(
  coins: ReadonlyArray<string>,
  read: (coin: string) => MarketRead<A>
): Effect.fn.Return<ReadonlyMap<string, Reading<A>>, SourceUnavailable> {
  const readings = new Map<string, Reading<A>>()
  for (const coin of coins) {
    yield* Effect.yieldNow
    const result = yield* read(coin).pipe(
      Effect.catchTags({ UnknownSymbol: () => Effect.succeed(null), NoData: () => Effect.succeed(null) })
    )
    if (result !== null) readings.set(coin, result)
  }
  return readings
})

const combineByCoin = <A>(readings: ReadonlyMap<string, Reading<A>>, source: string, now: number) => ({
  value: new Map(Array.from(readings, ([coin, { value }]) => [coin, value])),
  sources: readings.size === 0 ? [source] : sourcesOf([...readings.values()]),
  asOf: readings.size === 0 ? now : Math.max(...Array.from(readings.values(), ({ asOf }) => asOf))
})

/** Implements `candlesByCoin` with `candles`. If no coin has data, the result names `source` as its only source. */
export const makeCandlesByCoin =
  (candles: CoinPrices["Service"]["candles"], source: string): CoinPrices["Service"]["candlesByCoin"] =>
  ({ coins, ...query }) =>
    Effect.zipWith(
      Clock.currentTimeMillis,
      readEachCoin(coins, (coin) => candles({ coin, ...query })),
      (now, readings) => combineByCoin(readings, source, now)
    )

/** Implements `minutes` with `priceAt`. The adapter must use one watermark for both prices and candles. */
export const makeMinutesFromPrices = (
  { priceAt, watermarks }: Pick<CoinPrices["Service"], "priceAt" | "watermarks">,
  source: string
): CoinPrices["Service"]["minutes"] =>
  Effect.fnUntraced(function*({ after, coins, until }) {
    const now = yield* Clock.currentTimeMillis
    const { value: watermarksByCoin } = yield* watermarks(coins)
    const readMinutes = Effect.fnUntraced(function*(coin: string, watermark: number) {
      const sources = new Set<string>()
      const points: Array<PricePoint> = []
      const knownUntil = endOfMinute(Math.min(until, now, watermark))
      for (let end = endOfMinute(after) + minuteMs; end <= knownUntil; end += minuteMs) {
        const read = yield* Effect.catchTag(priceAt({ coin, time: end }), "NoData", () => Effect.succeed(null))
        if (read === null || read.value.time <= end - minuteMs) continue
        for (const name of read.sources) sources.add(name)
        points.push({ time: end, price: read.value.price })
      }
      const value: ClosedMinutes = { knownUntil, points }
      return { value, sources: sources.size === 0 ? [source] : [...sources].sort(), asOf: points.at(-1)?.time ?? now }
    })
    const recordedCoins = coins.filter((coin) => watermarksByCoin.has(coin))
    const readings = yield* readEachCoin(recordedCoins, (coin) =>
      readMinutes(coin, watermarksByCoin.get(coin)!.contiguousUntil))
    return combineByCoin(readings, source, now)
  })

const endOfMinute = (time: number): number => Math.floor(time / minuteMs) * minuteMs
