import {
  dayMs,
  ExchangeRates,
  frankfurtOffset,
  type FxRate,
  hourMs,
  KoreanCoinMarkets,
  type KrwExchange,
  type KrwListing,
  type MarketRead,
  minuteMs,
  reading,
  weekday
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { atMinute, mapValue } from "./reads.ts"
import type { WeekMarket } from "./weekMarket.ts"

type Rates = ExchangeRates["Service"]
type Markets = KoreanCoinMarkets["Service"]

/** Central banks are closed on this day. A rate is published two hours after it was agreed. */
const holiday = "-11-11"
const publishedMs = 2 * hourMs

/** The time at which the reference rate that holds at `time` was agreed, among the rates published by `now`. */
const agreedBy = (time: number, now: number): number => {
  let day = Math.floor(time / dayMs)
  for (;; day--) {
    const agreedAt = day * dayMs + (14 - frankfurtOffset(day)) * hourMs + 15 * minuteMs
    const rests = [0, 6].includes(weekday(day)) || new Date(agreedAt).toISOString().slice(4, 10) === holiday
    if (!rests && agreedAt <= time && agreedAt + publishedMs <= now) return agreedAt
  }
}

/** The dollar is known only by its reference rate: one each working day. */
export const referenceRates = (sim: Rates): Rates => {
  const dollar = (time: number): MarketRead<FxRate> =>
    Effect.gen(function*() {
      const agreedAt = agreedBy(time, yield* Clock.currentTimeMillis)
      const { value: { rate } } = yield* sim.rate({ pair: "usd_krw", time: agreedAt })
      return reading({ time, quotedAt: agreedAt, pair: "usd_krw", rate }, "ecb", agreedAt)
    })
  return ExchangeRates.of({
    rate: (query) =>
      query.pair === "usdt_krw"
        ? sim.rate(query)
        : Effect.flatMap(Clock.currentTimeMillis, (now) => dollar(Math.min(query.time ?? now, now))),
    history: (query) =>
      query.pair === "usdt_krw" ? sim.history(query) : Effect.gen(function*() {
        const { value } = yield* sim.history(query)
        const rates = yield* Effect.forEach(value.points, ({ time }) => dollar(time))
        const points = rates.map((rate) => rate.value)
        return reading({ points, gaps: [] }, "ecb", points.at(-1)!.quotedAt)
      })
  })
}

/** Whether a market's coin is quoted here. */
const isQuoted = ({ coins, otherCoins }: WeekMarket) => {
  const names = new Set(["USDT", ...coins.map(({ coin }) => coin), ...otherCoins])
  return ({ coin }: { readonly coin: string }): boolean => names.has(coin)
}

/** Markets against the won as the exchanges serve them. The open markets are read once an instant. */
export const wonOnWire = (sim: Markets, market: WeekMarket): Markets => {
  const known = new Map<number, Effect.Success<Markets["tickers"]>>()
  return KoreanCoinMarkets.of({
    ...sim,
    tickers: atMinute(Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const told = known.get(now) ?? (yield* mapValue(sim.tickers, (all) => all.filter(isQuoted(market))))
      known.clear()
      known.set(now, told)
      return told
    }))
  })
}

/**
 * The known markets against the won. The exchanges do not publish openings, so an opening is inferred from the first
 * trade. A delisting is noticed at the next poll.
 */
export const wonMarkets = (sim: Markets, rates: Rates, market: WeekMarket): Markets => {
  const looked = [...market.polled].toSorted((a, b) => a - b)
  const isKnown = isQuoted(market)
  const seen = (all: ReadonlyArray<KrwListing>): ReadonlyArray<KrwListing> =>
    all.filter(isKnown).filter(({ delistedAt }) => delistedAt === null || delistedAt > looked[0]!)
      .map(({ delistedAt, ...listing }) => {
        const next = delistedAt === null ? undefined : looked.find((time) => time >= delistedAt)
        return { ...listing, inferred: true, delistedAt: next === undefined ? null : next + market.afterMs }
      })
  /**
   * The beginning of the record of a market that was listed again. The record begins after the first candle, or at the
   * listing if a poll took place at that instant.
   */
  const begunAt = ({ coin, exchange }: { readonly coin: string; readonly exchange?: KrwExchange }) =>
    Effect.map(
      sim.listings({ from: market.wonBegin, to: market.end + 1 }),
      ({ value }) =>
        Math.max(
          market.wonBegin,
          ...value.filter((one) => one.coin === coin && one.exchange === exchange)
            .map(({ listedAt }) => market.polled.has(listedAt) ? listedAt : listedAt + 1)
        )
    )
  return KoreanCoinMarkets.of({
    tickers: mapValue(sim.tickers, (all) => all.filter(isKnown)),
    listings: (query) => mapValue(sim.listings(query), seen),
    delistings: (query) => mapValue(sim.delistings(query), seen),
    history: Effect.fnUntraced(function*(query) {
      const found = yield* sim.history(query)
      const begin = yield* begunAt(query)
      const recorded = found.value.points.filter(({ time }) => time >= begin)
      const points = yield* Effect.forEach(
        recorded,
        (point) =>
          Effect.map(rates.rate({ pair: "usd_krw", time: point.time }), ({ value: { rate: usdKrw } }) => ({
            ...point,
            usdKrw
          }))
      )
      const gaps = query.from < begin ? [{ from: query.from, to: Math.min(query.to, begin) }] : []
      return reading({ points, gaps }, [...found.sources, "ecb"], found.asOf)
    })
  })
}
