import { dayMs, hourMs, type Interval } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import { completeUntil } from "../collect/completeUntil.ts"
import { findListed } from "../collect/marketLists.ts"
import {
  fetchRatioInTime,
  fiveMinutesMs,
  mergeRecords,
  paymentsCompleteUntil,
  type PerpetualRow,
  type PerpetualVenue,
  ratioIntervalAt,
  selectTimely,
  unknownRecord
} from "../perpetuals/PerpetualVenue.ts"
import { sourceTimeOf } from "../source/index.ts"
import { listContracts } from "./collectors.ts"
import type { OkxContract } from "./instruments.ts"
import type { OkxMarket } from "./market.ts"

type Market = OkxMarket["Service"]

interface DataLimits {
  readonly retentionMs: number
  readonly maxIntervalMs: number
  readonly stepMs: number
}

/**
 * The limits of requests for statistics and funding payments. OKX keeps statistics for five days and payments for three
 * months. The retention times are reduced by a margin for late requests.
 */
const statisticsLimits: DataLimits = {
  retentionMs: 4.9 * dayMs,
  maxIntervalMs: 98 * fiveMinutesMs,
  stepMs: fiveMinutesMs
}
const paymentLimits: DataLimits = { retentionMs: 89 * dayMs, maxIntervalMs: 3 * dayMs, stepMs: hourMs }

/**
 * Returns the newest part of an interval that OKX still keeps and that fits in one response. Returns undefined if OKX
 * keeps no part of the interval.
 */
const availablePart = ({ from, to }: Interval, { retentionMs, maxIntervalMs, stepMs }: DataLimits) =>
  Effect.map(Clock.currentTimeMillis, (now): Interval | undefined => {
    // The interval begins at a whole step, because a partly expired step can never be complete and would be requested
    // again and again.
    const since = Math.max(from, to - maxIntervalMs, Math.ceil((now - retentionMs) / stepMs) * stepMs)
    return since < to ? { from: since, to } : undefined
  })

const fetchSnapshot = Effect.fnUntraced(function*(
  name: string,
  market: Market,
  contracts: ReadonlyArray<OkxContract>,
  at: number
) {
  const [funding, marks, indices] = yield* Effect.all([
    market.funding(contracts),
    market.markPrices("perpetual"),
    market.indexPrices("USDT")
  ])
  const fundingBySymbol = new Map(funding.value.map((one) => [one.contract.symbol, one]))
  const priced = contracts.flatMap((contract) => {
    const mark = marks.value.get(contract.symbol)
    return mark === undefined ? [] : [{ contract, price: mark.price, time: mark.time }]
  })
  const rows = yield* Effect.forEach(
    yield* selectTimely(name, priced, at),
    ({ contract, price }) =>
      Effect.gen(function*() {
        const own = fundingBySymbol.get(contract.symbol)
        const ratio = yield* fetchRatioInTime(market.accountRatios({ contract, ...ratioIntervalAt(at) }), at)
        const row: PerpetualRow = {
          ...unknownRecord,
          time: at,
          fundingRate: own?.fundingRate ?? null,
          fundingIntervalHours: own?.intervalHours ?? null,
          longShortRatio: ratio,
          markPrice: price,
          indexPrice: indices.value.get(contract.coin)?.price ?? null
        }
        return [contract.coin, row] as const
      })
  )
  return new Map(rows)
})

/** Returns OKX as a venue of perpetuals for the given coins. */
export const okxPerpetualVenue = (market: Market, coins: ReadonlyArray<TrackedCoin>): PerpetualVenue => {
  const name = "okx"
  const contracts = Effect.map(listContracts(market, coins, "perpetual"), ({ rows, unreadable }) => ({
    unreadable,
    all: new Map(rows.map((contract) => [contract.coin, contract]))
  }))
  const withContract = <R, E>(
    coin: string,
    interval: Interval,
    limits: DataLimits,
    fetch: (
      contract: OkxContract,
      part: Interval
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<R>; readonly until: number }, E>
  ) =>
    Effect.gen(function*() {
      const [contract] = (yield* findListed(name, yield* contracts, [coin])) ?? []
      if (contract === undefined) return null
      const available = yield* availablePart(interval, limits)
      if (available === undefined) return { rows: [], until: interval.from }
      return { ...yield* fetch(contract, available), since: available.from }
    })
  return {
    name,
    listings: Effect.map(contracts, ({ all }) => new Map(Array.from(all, ([coin, { listedAt }]) => [coin, listedAt]))),
    snapshot: (names, at) =>
      Effect.gen(function*() {
        const listed = yield* findListed(name, yield* contracts, names)
        return listed === null ? null : yield* fetchSnapshot(name, market, listed, at)
      }),
    history: (coin, interval) =>
      withContract(
        coin,
        interval,
        statisticsLimits,
        (contract, { from, to }) =>
          Effect.map(market.accountRatios({ contract, from, to }), (ratios) => (
            { rows: mergeRecords([], ratios.value), until: Math.min(to, sourceTimeOf(ratios)) }
          ))
      ),
    fundingPayments: (coin, interval) =>
      withContract(coin, interval, paymentLimits, (contract, { from, to }) =>
        Effect.gen(function*() {
          const { value: [funding] } = yield* market.funding([contract])
          const hours = funding?.intervalHours ?? 8
          const answer = yield* market.fundingPayments({ contract, from, to, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            rows: answer.value.map((row) => ({ ...row })),
            until: paymentsCompleteUntil({ from, to }, times, hours, sourceTimeOf(answer))
          }
        })),
    takerFlow: (coin, interval) =>
      withContract(
        coin,
        interval,
        statisticsLimits,
        (contract, { from, to }) =>
          Effect.map(market.takerFlow({ contract, from, to }), (answer) => {
            const times = answer.value.map(({ time }) => time)
            const until = completeUntil({ from, to }, { answer, times, maxBuckets: 98, stepMs: fiveMinutesMs })
            return { rows: answer.value.map((row) => ({ ...row })), until }
          })
      )
  }
}
