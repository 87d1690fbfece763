import {
  type CoinDerivatives,
  hourMs,
  liquidationSteps,
  mapReading,
  type MarketRead,
  minuteMs,
  NoData,
  type PerpetualPoint,
  reading,
  type Recorded,
  type RecordedRead,
  type Stepped
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import {
  asRecorded,
  ended,
  lateness,
  mostLateMs,
  nothingRecorded,
  type Patched,
  recordedLess,
  touched,
  within
} from "./patches.ts"

const recordMs = 5 * minuteMs

type Service = CoinDerivatives["Service"]

const hoursOf = ({ fundingHours }: Patched, coin: string): number => fundingHours[coin] ?? 8

const pointOf = (patched: Patched, coin: string, point: PerpetualPoint): PerpetualPoint => ({
  ...point,
  fundingRate: point.fundingRate === null ? null : (point.fundingRate * hoursOf(patched, coin)) / 8,
  fundingIntervalHours: hoursOf(patched, coin),
  ...(patched.isBare(coin) ? { openInterest: null, openInterestUsd: null, longShortRatio: null } : {})
})

/** Reads present data of a coin. Fails if the coin is delisted. */
const present = <A>(patched: Patched, coin: string, ask: (coin: string) => MarketRead<A>): MarketRead<A> =>
  Effect.flatMap(Clock.currentTimeMillis, (time) => {
    const end = patched.delistedAt(coin)
    return end !== null && time >= end ? Effect.fail(ended(coin, end)) : asRecorded(patched, ask(coin))
  })

const perpetualHistory = (derivatives: Service, patched: Patched): Service["perpetualHistory"] =>
  Effect.fnUntraced(function*(query) {
    const gaps = patched.gapsAt(yield* Clock.currentTimeMillis)
    const end = patched.delistedAt(query.coin) ?? Infinity
    const { sources, value } = yield* derivatives.perpetualHistory(query)
    const points = value.points
      .filter(({ time }) => time < end && !touched(gaps, time, time + 1))
      .map((point) => pointOf(patched, query.coin, point))
    const last = points.at(-1)
    if (last === undefined) return yield* nothingRecorded(query.coin)
    return reading({ points, gaps: within(gaps, query) }, sources, last.time)
  })

/** The funding rates at the instants of another interval. */
const ratesAt = (derivatives: Service, query: { readonly coin: string } & Stepped) =>
  Effect.map(
    derivatives.perpetualHistory(query),
    (history) =>
      mapReading(history, ({ points }) =>
        points.flatMap(({ fundingRate, time }) => fundingRate === null ? [] : [{ time, fundingRate }]))
  )

/** Payments at the coin's own interval, stamped late. Payments of an outage are missing. */
const fundingPrints = (derivatives: Service, patched: Patched): Service["fundingPrints"] =>
  Effect.fnUntraced(function*({ coin, from, to }) {
    const now = yield* Clock.currentTimeMillis
    const gaps = patched.gapsAt(now)
    const end = patched.delistedAt(coin) ?? Infinity
    const intervalHours = hoursOf(patched, coin)
    const ask = { coin, from: from - hourMs, to }
    const { sources, value } = intervalHours === 8
      ? yield* derivatives.fundingPrints(ask)
      : yield* ratesAt(derivatives, { ...ask, stepMs: intervalHours * hourMs })
    const prints = value
      .filter(({ time }) => time < end && !touched(gaps, time, time + 1))
      .map(({ fundingRate, time }) => ({
        time: time + lateness(time),
        fundingRate: (fundingRate * intervalHours) / 8,
        intervalHours
      }))
      .filter(({ time }) => time >= from && time < to && time <= now)
    const last = prints.at(-1)
    return last === undefined ? yield* nothingRecorded(coin) : reading(prints, sources, last.time)
  })

const takerFlow = (derivatives: Service, patched: Patched): Service["takerFlow"] =>
  Effect.fnUntraced(function*(query) {
    const { coin, stepMs } = query
    const now = yield* Clock.currentTimeMillis
    const gaps = patched.gapsAt(now)
    const end = patched.delistedAt(coin) ?? Infinity
    const first = Math.floor(query.from / stepMs) * stepMs
    const fine = yield* derivatives.takerFlow({ coin, from: first, to: query.to, stepMs: recordMs })
    const sums = new Map<number, { buy: number; sell: number }>()
    for (const { buyUsd, sellUsd, time } of fine.value.points) {
      if (time >= end || touched(gaps, time, time + recordMs)) continue
      const bucket = Math.floor(time / stepMs) * stepMs
      if (bucket + stepMs > now) continue
      const sum = sums.get(bucket) ?? { buy: 0, sell: 0 }
      sums.set(bucket, { buy: sum.buy + buyUsd, sell: sum.sell + sellUsd })
    }
    const points = [...sums].map(([time, { buy, sell }]) => ({ time, buyUsd: buy, sellUsd: sell }))
    const last = points.at(-1)
    if (last === undefined) return yield* nothingRecorded(coin)
    return reading({ points, gaps: within(gaps, query) }, fine.sources, last.time + stepMs)
  })

const liquidations = (derivatives: Service, patched: Patched): Service["liquidations"] =>
  Effect.fnUntraced(function*(query) {
    const now = yield* Clock.currentTimeMillis
    const gaps = patched.gapsAt(now)
    const end = patched.delistedAt(query.coin) ?? Infinity
    const { limit = 1_000, stepMs } = query
    if (query.from >= end) return yield* ended(query.coin, end)
    const tape = yield* derivatives.liquidations({ ...query, limit: Number.MAX_SAFE_INTEGER })
    return mapReading(tape, (whole) => {
      const events = whole.events.filter(({ time }) => time < end && !touched(gaps, time, time + 1))
      const usdOf = (side: string): number =>
        events.reduce((sum, event) => sum + (event.side === side ? event.sizeUsd : 0), 0)
      const shown = events.slice(Math.max(0, events.length - limit))
      return {
        events: shown,
        longUsd: usdOf("long"),
        shortUsd: usdOf("short"),
        count: events.length,
        truncated: shown.length < events.length,
        steps: stepMs === undefined
          ? []
          : liquidationSteps(events, { from: query.from, to: Math.min(query.to, now + 1), stepMs }, gaps, now),
        coverage: "sampled",
        gaps: within(gaps, query)
      }
    })
  })

/** The watermark stays at the full hour while a late payment of that hour can still arrive. */
const recordedOf = (derivatives: Service, patched: Patched): RecordedRead => (coins) =>
  Effect.zipWith(Clock.currentTimeMillis, recordedLess(patched, derivatives.recorded)(coins), (now, records) => {
    const hour = Math.floor(now / hourMs) * hourMs
    const held = (one: Recorded): Recorded =>
      now - hour < mostLateMs ? { ...one, contiguousUntil: Math.min(one.contiguousUntil, hour) } : one
    return mapReading(records, (all) => new Map([...all].map(([coin, one]) => [coin, held(one)])))
  })

export const patchDerivatives = (derivatives: Service, patched: Patched): Service => ({
  perpetual: (coin) =>
    present(
      patched,
      coin,
      (coin) =>
        Effect.map(
          derivatives.perpetual(coin),
          (point) => mapReading(point, (value) => ({ ...value, ...pointOf(patched, coin, value) }))
        )
    ),
  perpetuals: Effect.gen(function*() {
    const time = yield* Clock.currentTimeMillis
    const points = yield* asRecorded(patched, derivatives.perpetuals)
    return mapReading(points, (all) =>
      all
        .filter(({ coin }) => (patched.delistedAt(coin) ?? Infinity) > patched.recorded(time, time))
        .map(({ coin, ...point }) => ({ coin, ...pointOf(patched, coin, point) })))
  }),
  perpetualHistory: perpetualHistory(derivatives, patched),
  fundingPrints: fundingPrints(derivatives, patched),
  recorded: recordedOf(derivatives, patched),
  // The first venue pays continuously, so it has no next payment.
  fundingByVenue: (coin) =>
    Effect.map(
      present(patched, coin, derivatives.fundingByVenue),
      (funding) => mapReading(funding, (all) => all.map((one, i) => i > 0 ? one : { ...one, nextFundingAt: null }))
    ),
  openInterestByVenue: (coin) =>
    patched.isBare(coin)
      ? Effect.fail(new NoData({ subject: coin, reason: { key: "none_recorded", params: { symbol: coin } } }))
      : present(patched, coin, derivatives.openInterestByVenue),
  takerFlow: takerFlow(derivatives, patched),
  futures: (coin) => present(patched, coin, derivatives.futures),
  liquidations: liquidations(derivatives, patched)
})
