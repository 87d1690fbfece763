import {
  type CoinDerivatives,
  hourMs,
  makeReading,
  mapReading,
  type MarketRead,
  minuteMs,
  NoData,
  type PerpetualPoint,
  type SteppedInterval,
  stepsFromEvents,
  type Watermark,
  type WatermarkRead
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import {
  clipGaps,
  type DefectRules,
  degradeRecordedRead,
  delistedError,
  getPaymentDelayMs,
  isTouchedByGap,
  maxPaymentDelayMs,
  noDataError,
  readAsRecorded
} from "./defects.ts"

const recordMs = 5 * minuteMs

type Service = CoinDerivatives["Service"]

const getFundingHours = ({ fundingHours }: DefectRules, coin: string): number => fundingHours[coin] ?? 8

const degradePoint = (defects: DefectRules, coin: string, point: PerpetualPoint): PerpetualPoint => ({
  ...point,
  fundingRate: point.fundingRate === null ? null : (point.fundingRate * getFundingHours(defects, coin)) / 8,
  fundingIntervalHours: getFundingHours(defects, coin),
  ...(defects.isSparse(coin) ? { openInterest: null, openInterestUsd: null, longShortRatio: null } : {})
})

/** Reads present data of a coin, or fails if the coin is delisted. */
const readPresent = <A>(defects: DefectRules, coin: string, readCoin: (coin: string) => MarketRead<A>): MarketRead<A> =>
  Effect.flatMap(Clock.currentTimeMillis, (time) => {
    const end = defects.getDelistedAt(coin)
    return end !== null && time >= end ? Effect.fail(delistedError(coin, end)) : readAsRecorded(defects, readCoin(coin))
  })

const perpetualHistory = (derivatives: Service, defects: DefectRules): Service["perpetualHistory"] =>
  Effect.fnUntraced(function*(query) {
    const gaps = defects.gapsAt(yield* Clock.currentTimeMillis)
    const end = defects.getDelistedAt(query.coin) ?? Infinity
    const { sources, value } = yield* derivatives.perpetualHistory(query)
    const points = value.points
      .filter(({ time }) => time < end && !isTouchedByGap(gaps, time, time + 1))
      .map((point) => degradePoint(defects, query.coin, point))
    const last = points.at(-1)
    if (last === undefined) return yield* noDataError(query.coin)
    return makeReading({ points, gaps: clipGaps(gaps, query) }, sources, last.time)
  })

const readRates = (derivatives: Service, query: { readonly coin: string } & SteppedInterval) =>
  Effect.map(
    derivatives.perpetualHistory(query),
    (history) =>
      mapReading(history, ({ points }) =>
        points.flatMap(({ fundingRate, time }) => fundingRate === null ? [] : [{ time, fundingRate }]))
  )

/** Returns the funding payments of a coin with late timestamps. Payments in an outage are missing. */
const fundingPayments = (derivatives: Service, defects: DefectRules): Service["fundingPayments"] =>
  Effect.fnUntraced(function*({ coin, from, to }) {
    const now = yield* Clock.currentTimeMillis
    const gaps = defects.gapsAt(now)
    const end = defects.getDelistedAt(coin) ?? Infinity
    const intervalHours = getFundingHours(defects, coin)
    const query = { coin, from: from - hourMs, to }
    const { sources, value } = intervalHours === 8
      ? yield* derivatives.fundingPayments(query)
      : yield* readRates(derivatives, { ...query, stepMs: intervalHours * hourMs })
    const prints = value
      .filter(({ time }) => time < end && !isTouchedByGap(gaps, time, time + 1))
      .map(({ fundingRate, time }) => ({
        time: time + getPaymentDelayMs(time),
        fundingRate: (fundingRate * intervalHours) / 8,
        intervalHours
      }))
      .filter(({ time }) => time >= from && time < to && time <= now)
    const last = prints.at(-1)
    return last === undefined ? yield* noDataError(coin) : makeReading(prints, sources, last.time)
  })

const takerFlow = (derivatives: Service, defects: DefectRules): Service["takerFlow"] =>
  Effect.fnUntraced(function*(query) {
    const { coin, stepMs } = query
    const now = yield* Clock.currentTimeMillis
    const gaps = defects.gapsAt(now)
    const end = defects.getDelistedAt(coin) ?? Infinity
    const first = Math.floor(query.from / stepMs) * stepMs
    const fineFlow = yield* derivatives.takerFlow({ coin, from: first, to: query.to, stepMs: recordMs })
    const sums = new Map<number, { buy: number; sell: number }>()
    for (const { buyUsd, sellUsd, time } of fineFlow.value.points) {
      if (time >= end || isTouchedByGap(gaps, time, time + recordMs)) continue
      const bucket = Math.floor(time / stepMs) * stepMs
      if (bucket + stepMs > now) continue
      const sum = sums.get(bucket) ?? { buy: 0, sell: 0 }
      sums.set(bucket, { buy: sum.buy + buyUsd, sell: sum.sell + sellUsd })
    }
    const points = [...sums].map(([time, { buy, sell }]) => ({ time, buyUsd: buy, sellUsd: sell }))
    const last = points.at(-1)
    if (last === undefined) return yield* noDataError(coin)
    return makeReading({ points, gaps: clipGaps(gaps, query) }, fineFlow.sources, last.time + stepMs)
  })

const liquidations = (derivatives: Service, defects: DefectRules): Service["liquidations"] =>
  Effect.fnUntraced(function*(query) {
    const now = yield* Clock.currentTimeMillis
    const gaps = defects.gapsAt(now)
    const end = defects.getDelistedAt(query.coin) ?? Infinity
    const { limit = 1_000, stepMs } = query
    if (query.from >= end) return yield* delistedError(query.coin, end)
    const tape = yield* derivatives.liquidations({ ...query, limit: Number.MAX_SAFE_INTEGER })
    return mapReading(tape, (completeTape) => {
      const events = completeTape.events.filter(({ time }) => time < end && !isTouchedByGap(gaps, time, time + 1))
      const sumUsd = (side: string): number =>
        events.reduce((sum, event) => sum + (event.side === side ? event.sizeUsd : 0), 0)
      const newestEvents = events.slice(Math.max(0, events.length - limit))
      return {
        events: newestEvents,
        longUsd: sumUsd("long"),
        shortUsd: sumUsd("short"),
        count: events.length,
        truncated: newestEvents.length < events.length,
        steps: stepMs === undefined
          ? []
          : stepsFromEvents(events, { from: query.from, to: Math.min(query.to, now + 1), stepMs }, gaps, now),
        coverage: "sampled",
        gaps: clipGaps(gaps, query)
      }
    })
  })

/**
 * Reads the watermarks of coins. In the first `maxPaymentDelayMs` of an hour, a watermark stays at the full hour,
 * because a late payment can arrive.
 */
const makeRecordedRead = (derivatives: Service, defects: DefectRules): WatermarkRead => (coins) =>
  Effect.zipWith(
    Clock.currentTimeMillis,
    degradeRecordedRead(defects, derivatives.watermarks)(coins),
    (now, records) => {
      const hour = Math.floor(now / hourMs) * hourMs
      const holdWatermark = (one: Watermark): Watermark =>
        now - hour < maxPaymentDelayMs ? { ...one, contiguousUntil: Math.min(one.contiguousUntil, hour) } : one
      return mapReading(records, (all) => new Map([...all].map(([coin, one]) => [coin, holdWatermark(one)])))
    }
  )

export const degradeDerivatives = (derivatives: Service, defects: DefectRules): Service => ({
  perpetual: (coin) =>
    readPresent(
      defects,
      coin,
      (coin) =>
        Effect.map(
          derivatives.perpetual(coin),
          (point) => mapReading(point, (value) => ({ ...value, ...degradePoint(defects, coin, value) }))
        )
    ),
  perpetuals: Effect.gen(function*() {
    const time = yield* Clock.currentTimeMillis
    const points = yield* readAsRecorded(defects, derivatives.perpetuals)
    return mapReading(points, (all) =>
      all
        .filter(({ coin }) => (defects.getDelistedAt(coin) ?? Infinity) > defects.getRecordedTime(time, time))
        .map(({ coin, ...point }) => ({ coin, ...degradePoint(defects, coin, point) })))
  }),
  perpetualHistory: perpetualHistory(derivatives, defects),
  fundingPayments: fundingPayments(derivatives, defects),
  watermarks: makeRecordedRead(derivatives, defects),
  // The first venue pays funding continuously, so it has no next payment.
  fundingByVenue: (coin) =>
    Effect.map(
      readPresent(defects, coin, derivatives.fundingByVenue),
      (funding) => mapReading(funding, (all) => all.map((one, i) => i > 0 ? one : { ...one, nextFundingAt: null }))
    ),
  openInterestByVenue: (coin) =>
    defects.isSparse(coin)
      ? Effect.fail(new NoData({ subject: coin, reason: { key: "none_recorded", params: { symbol: coin } } }))
      : readPresent(defects, coin, derivatives.openInterestByVenue),
  takerFlow: takerFlow(derivatives, defects),
  futures: (coin) => readPresent(defects, coin, derivatives.futures),
  liquidations: liquidations(derivatives, defects)
})
