import { Clock, Effect } from "effect"
import type { Candle } from "../../market/candle.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { bucketStart, durationMs, hourMs, type Timeframe } from "../../market/timeframe.ts"
import { averagesFrom, warmUpHours } from "../../signals/averages.ts"
import { closedOnly, firstFrom } from "../../signals/columns.ts"
import { lagMs } from "../../signals/lag.ts"
import { instant } from "../../tool/result.ts"

/** Bars after which averages that feed on themselves keep no trace of their start; EMA(200) needs them all. */
export const history = warmUpHours

/** Of 1h: from where averages begin to the newest closed hour, which may be one of the day before. */
const hours = warmUpHours + 48

/** The closed candles that indicators stand on. */
export interface IndicatorCandles {
  readonly candles: ReadonlyArray<Candle>
  /** When the newest ended, epoch ms: with its interval, or with the coin's market. */
  readonly end: number
  readonly sources: ReadonlyArray<string>
  /** What is to be said of a newest candle that is old. */
  readonly notes: ReadonlyArray<string>
}

/**
 * The closed candles that averages run over: of 1h from where those of the scores of the hour begin, so that both have
 * the same.
 */
const averaged = (closed: ReadonlyArray<Candle>, tf: Timeframe): ReadonlyArray<Candle> => {
  const newest = closed.at(-1)
  return tf !== "1h" || newest === undefined
    ? closed.slice(-history)
    : closed.slice(firstFrom(closed, averagesFrom(newest.time + hourMs)))
}

/** Reads the newest closed candle of a coin and those before it, as far back from it whenever it is asked for. */
export const readIndicatorCandles = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  coin: string,
  tf: Timeframe
): Effect.fn.Return<IndicatorCandles, MarketError> {
  const length = durationMs[tf]
  const now = yield* Clock.currentTimeMillis
  const { delistedAt } = (yield* prices.coin(coin)).value
  const died = delistedAt !== null && delistedAt <= now ? delistedAt : Infinity
  const bars = (tf === "1h" ? hours : history) + 1
  const before = (until: number) => prices.candles({ coin, timeframe: tf, bars, until })
  // Within the last interval of a market that has ended, so that it is the newest of the bars.
  const until = died === Infinity ? now : Math.min(now, Math.max(died, bucketStart(tf, died - 1) + length - 1))
  const found = yield* before(until)
  const newest = closedOnly(found.value).at(-1)
  const lags = newest !== undefined && newest.time + length < bucketStart(tf, until)
  const { sources, value } = lags ? yield* before(newest.time + length) : found
  const candles = averaged(closedOnly(value), tf)
  const end = Math.min((candles.at(-1)?.time ?? now) + length, died)
  const notes = died < Infinity
    ? [`${coin} ceased to trade at ${instant(died)}: these are of its last recorded candle.`]
    : now - (end + length) >= lagMs
    ? [`No candle after ${instant(end)} is recorded.`]
    : []
  return { candles, end, sources, notes }
})
