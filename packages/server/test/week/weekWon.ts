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

/** Central banks rest on it, and what is agreed is published hours later. */
const holiday = "-11-11"
const publishedMs = 2 * hourMs

/** When the reference rate was agreed that holds at an instant, of those that are published by now. */
const agreedBy = (time: number, now: number): number => {
  let day = Math.floor(time / dayMs)
  for (;; day--) {
    const agreedAt = day * dayMs + (14 - frankfurtOffset(day)) * hourMs + 15 * minuteMs
    const rests = [0, 6].includes(weekday(day)) || new Date(agreedAt).toISOString().slice(4, 10) === holiday
    if (!rests && agreedAt <= time && agreedAt + publishedMs <= now) return agreedAt
  }
}

/** The dollar is known by its reference rate alone: one a working day. */
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

/** Markets of the coins that are quoted here. */
const isQuoted = ({ coins, otherCoins }: WeekMarket) => {
  const names = new Set(["USDT", ...coins.map(({ coin }) => coin), ...otherCoins])
  return ({ coin }: { readonly coin: string }): boolean => names.has(coin)
}

/** Exchanges against the won as they are asked: all that is open is counted once an instant. */
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
 * What is known of markets against the won: nobody told when they opened, which is known from what was traded first,
 * and that one closed is seen the next time that somebody looks.
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
   * Of a market that opened anew its new life is recorded: from the end of its first candle on, and from the opening
   * where somebody looked at that very instant.
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
