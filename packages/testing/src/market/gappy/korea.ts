import {
  type ExchangeRates,
  type ImpliedVolatilities,
  type KoreanCoinMarkets,
  makeReading,
  mapReading,
  minuteMs
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { clipGaps, type DefectRules, filterReading, isTouchedByGap, noDataError, readAsRecorded } from "./defects.ts"

const laggingExchange = "bithumb"
const lagMs = 12 * minuteMs

export const degradeKorea = (
  markets: KoreanCoinMarkets["Service"],
  defects: DefectRules
): KoreanCoinMarkets["Service"] => {
  const { getDelistedAt, gapsAt, isSparse } = defects
  return {
    ...markets,
    tickers: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const currentTickers = yield* readAsRecorded(defects, markets.tickers)
      const laggedTickers = yield* readAsRecorded(defects, markets.tickers, lagMs)
      const tickers = [
        ...currentTickers.value.filter(({ exchange }) => exchange !== laggingExchange),
        ...laggedTickers.value.filter(({ exchange }) => exchange === laggingExchange)
      ]
        .filter(({ coin }) => (getDelistedAt(coin) ?? Infinity) > now)
        .map((ticker) =>
          isSparse(ticker.coin) ? { ...ticker, usdtPrice: null, change24hPct: null, listedAt: null } : ticker
        )
        .sort((a, b) => b.volume24hKrw - a.volume24hKrw)
      return makeReading(tickers, currentTickers.sources, Math.max(...tickers.map(({ time }) => time)))
    }),
    history: Effect.fnUntraced(function*(query) {
      const gaps = gapsAt(yield* Clock.currentTimeMillis)
      const end = getDelistedAt(query.coin) ?? Infinity
      const { sources, value } = yield* markets.history(query)
      const points = value.points
        .filter(({ time }) => time < end && !isTouchedByGap(gaps, time, time + 1))
        .map((point) => isSparse(query.coin) ? { ...point, usdtPrice: null } : point)
      const last = points.at(-1)
      if (last === undefined) return yield* noDataError(query.coin)
      return makeReading({ points, gaps: clipGaps(gaps, query) }, sources, last.time)
    })
  }
}

export const degradeRates = (
  rates: ExchangeRates["Service"],
  { gapsAt, getRecordedTime }: DefectRules
): ExchangeRates["Service"] => ({
  rate: Effect.fnUntraced(function*({ pair, time }) {
    const now = yield* Clock.currentTimeMillis
    const requestedTime = Math.min(time ?? now, now)
    const reading = yield* rates.rate({ pair, time: getRecordedTime(requestedTime, now) })
    return mapReading(reading, (rate) => ({ ...rate, time: requestedTime }))
  }),
  history: Effect.fnUntraced(function*(query) {
    const gaps = gapsAt(yield* Clock.currentTimeMillis)
    const { sources, value } = yield* rates.history(query)
    const points = value.points.filter(({ time }) => !isTouchedByGap(gaps, time, time + 1))
    const last = points.at(-1)
    if (last === undefined) return yield* noDataError(query.pair)
    return makeReading({ points, gaps: clipGaps(gaps, query) }, sources, last.quotedAt)
  })
})

export const degradeVolatilities = (
  volatilities: ImpliedVolatilities["Service"],
  { gapsAt }: DefectRules
): ImpliedVolatilities["Service"] => ({
  history: Effect.fnUntraced(function*(query) {
    const gaps = gapsAt(yield* Clock.currentTimeMillis)
    const history = yield* volatilities.history(query)
    const points = yield* filterReading(
      mapReading(history, (all) => all.points),
      ({ time }) => !isTouchedByGap(gaps, time, time + 1),
      ({ time }) => time,
      query.coin
    )
    return { ...points, value: { ...history.value, since: null, points: points.value } }
  })
})
