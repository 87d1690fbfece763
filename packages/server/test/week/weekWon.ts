import {
  dayMs,
  ExchangeRates,
  frankfurtOffset,
  type FxRate,
  hourMs,
  KoreanCoinMarkets,
  type KrwExchange,
  type KrwListing,
  makeReading,
  type MarketRead,
  minuteMs,
  weekday
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { mapValue, readAtMinute } from "./shiftedClock.ts"
import type { WeekMarket } from "./weekMarket.ts"

type Rates = ExchangeRates["Service"]
type Markets = KoreanCoinMarkets["Service"]

/**
 * A holiday on which central banks are closed. On other days, the central bank publishes a rate two hours after the
 * rate's quote time.
 */
const holiday = "-11-11"
const publicationDelayMs = 2 * hourMs

/**
 * Returns the quote time of the reference rate that is valid at `time`, among the rates that are published by `now`.
 */
const latestFixing = (time: number, now: number): number => {
  let day = Math.floor(time / dayMs)
  for (;; day--) {
    const fixingAt = day * dayMs + (14 - frankfurtOffset(day)) * hourMs + 15 * minuteMs
    const isHoliday = [0, 6].includes(weekday(day)) || new Date(fixingAt).toISOString().slice(4, 10) === holiday
    if (!isHoliday && fixingAt <= time && fixingAt + publicationDelayMs <= now) return fixingAt
  }
}

/** Returns exchange rates in which the dollar has only one reference rate per working day. */
export const makeReferenceRates = (sim: Rates): Rates => {
  const usdKrwAt = (time: number): MarketRead<FxRate> =>
    Effect.gen(function*() {
      const fixingAt = latestFixing(time, yield* Clock.currentTimeMillis)
      const { value: { rate } } = yield* sim.rate({ pair: "usd_krw", time: fixingAt })
      return makeReading({ time, quotedAt: fixingAt, pair: "usd_krw", rate }, "ecb", fixingAt)
    })
  return ExchangeRates.of({
    rate: (query) =>
      query.pair === "usdt_krw"
        ? sim.rate(query)
        : Effect.flatMap(Clock.currentTimeMillis, (now) => usdKrwAt(Math.min(query.time ?? now, now))),
    history: (query) =>
      query.pair === "usdt_krw" ? sim.history(query) : Effect.gen(function*() {
        const { value } = yield* sim.history(query)
        const rates = yield* Effect.forEach(value.points, ({ time }) => usdKrwAt(time))
        const points = rates.map((rate) => rate.value)
        return makeReading({ points, gaps: [] }, "ecb", points.at(-1)!.quotedAt)
      })
  })
}

const isQuoted = ({ coins, otherCoins }: WeekMarket) => {
  const names = new Set(["USDT", ...coins.map(({ coin }) => coin), ...otherCoins])
  return ({ coin }: { readonly coin: string }): boolean => names.has(coin)
}

export const servedKrwMarkets = (sim: Markets, market: WeekMarket): Markets => {
  const cache = new Map<number, Effect.Success<Markets["tickers"]>>()
  return KoreanCoinMarkets.of({
    ...sim,
    tickers: readAtMinute(Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const tickers = cache.get(now) ?? (yield* mapValue(sim.tickers, (all) => all.filter(isQuoted(market))))
      cache.clear()
      cache.set(now, tickers)
      return tickers
    }))
  })
}

/**
 * Returns the won markets that a collector knows. Exchanges do not publish opening times, so the first trade is used.
 */
export const recordedKrwMarkets = (sim: Markets, rates: Rates, market: WeekMarket): Markets => {
  const pollTimes = [...market.polled].toSorted((a, b) => a - b)
  const isKnown = isQuoted(market)
  const asPolled = (all: ReadonlyArray<KrwListing>): ReadonlyArray<KrwListing> =>
    all.filter(isKnown).filter(({ delistedAt }) => delistedAt === null || delistedAt > pollTimes[0]!)
      .map(({ delistedAt, ...listing }) => {
        const next = delistedAt === null ? undefined : pollTimes.find((time) => time >= delistedAt)
        return { ...listing, inferred: true, delistedAt: next === undefined ? null : next + market.pollDelayMs }
      })
  /**
   * Returns the start of recording for a market that was listed again. Recording starts after the first candle, or at
   * the listing if the exchange was requested at that time.
   */
  const recordedSince = ({ coin, exchange }: { readonly coin: string; readonly exchange?: KrwExchange }) =>
    Effect.map(
      sim.listings({ from: market.krwBegin, to: market.end + 1 }),
      ({ value }) =>
        Math.max(
          market.krwBegin,
          ...value.filter((one) => one.coin === coin && one.exchange === exchange)
            .map(({ listedAt }) => market.polled.has(listedAt) ? listedAt : listedAt + 1)
        )
    )
  return KoreanCoinMarkets.of({
    tickers: mapValue(sim.tickers, (all) => all.filter(isKnown)),
    listings: (query) => mapValue(sim.listings(query), asPolled),
    delistings: (query) => mapValue(sim.delistings(query), asPolled),
    history: Effect.fnUntraced(function*(query) {
      const reading = yield* sim.history(query)
      const begin = yield* recordedSince(query)
      const recordedPoints = reading.value.points.filter(({ time }) => time >= begin)
      const points = yield* Effect.forEach(
        recordedPoints,
        (point) =>
          Effect.map(rates.rate({ pair: "usd_krw", time: point.time }), ({ value: { rate: usdKrw } }) => ({
            ...point,
            usdKrw
          }))
      )
      const gaps = query.from < begin ? [{ from: query.from, to: Math.min(query.to, begin) }] : []
      return makeReading({ points, gaps }, [...reading.sources, "ecb"], reading.asOf)
    })
  })
}
