import {
  type ExchangeRates,
  type ImpliedVolatilities,
  type KoreanCoinMarkets,
  mapReading,
  minuteMs,
  reading
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { asRecorded, kept, nothingRecorded, type Patched, touched, within } from "./patches.ts"

/** The exchange whose feed lags. */
const lagging = "bithumb"
const lagMs = 12 * minuteMs

export const patchKorea = (
  markets: KoreanCoinMarkets["Service"],
  patched: Patched
): KoreanCoinMarkets["Service"] => {
  const { delistedAt, gapsAt, isBare } = patched
  return {
    ...markets,
    tickers: Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const prompt = yield* asRecorded(patched, markets.tickers)
      const late = yield* asRecorded(patched, markets.tickers, lagMs)
      const tickers = [
        ...prompt.value.filter(({ exchange }) => exchange !== lagging),
        ...late.value.filter(({ exchange }) => exchange === lagging)
      ]
        .filter(({ coin }) => (delistedAt(coin) ?? Infinity) > now)
        .map((ticker) =>
          isBare(ticker.coin) ? { ...ticker, usdtPrice: null, change24hPct: null, listedAt: null } : ticker
        )
        .sort((a, b) => b.volume24hKrw - a.volume24hKrw)
      return reading(tickers, prompt.sources, Math.max(...tickers.map(({ time }) => time)))
    }),
    history: Effect.fnUntraced(function*(query) {
      const gaps = gapsAt(yield* Clock.currentTimeMillis)
      const end = delistedAt(query.coin) ?? Infinity
      const { sources, value } = yield* markets.history(query)
      const points = value.points
        .filter(({ time }) => time < end && !touched(gaps, time, time + 1))
        .map((point) => isBare(query.coin) ? { ...point, usdtPrice: null } : point)
      const last = points.at(-1)
      if (last === undefined) return yield* nothingRecorded(query.coin)
      return reading({ points, gaps: within(gaps, query) }, sources, last.time)
    })
  }
}

export const patchRates = (
  rates: ExchangeRates["Service"],
  { gapsAt, recorded }: Patched
): ExchangeRates["Service"] => ({
  rate: Effect.fnUntraced(function*({ pair, time }) {
    const now = yield* Clock.currentTimeMillis
    const asked = Math.min(time ?? now, now)
    const read = yield* rates.rate({ pair, time: recorded(asked, now) })
    return mapReading(read, (rate) => ({ ...rate, time: asked }))
  }),
  history: Effect.fnUntraced(function*(query) {
    const gaps = gapsAt(yield* Clock.currentTimeMillis)
    const { sources, value } = yield* rates.history(query)
    const points = value.points.filter(({ time }) => !touched(gaps, time, time + 1))
    const last = points.at(-1)
    if (last === undefined) return yield* nothingRecorded(query.pair)
    return reading({ points, gaps: within(gaps, query) }, sources, last.quotedAt)
  })
})

export const patchVolatilities = (
  volatilities: ImpliedVolatilities["Service"],
  { gapsAt }: Patched
): ImpliedVolatilities["Service"] => ({
  history: Effect.fnUntraced(function*(query) {
    const gaps = gapsAt(yield* Clock.currentTimeMillis)
    const history = yield* volatilities.history(query)
    const points = yield* kept(
      mapReading(history, (all) => all.points),
      ({ time }) => !touched(gaps, time, time + 1),
      ({ time }) => time,
      query.coin
    )
    return { ...points, value: { ...history.value, since: null, points: points.value } }
  })
})
