import { dayMs, hourMs, type Interval } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { OkxContract } from "../../sources/okx/instruments.ts"
import type { OkxMarket } from "../../sources/okx/market.ts"
import { listedOf } from "../listed.ts"
import { presentOf, toldUntil } from "../toldUntil.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import { contractsOf } from "../venues/okx.ts"
import { paidUntil } from "./paidUntil.ts"
import {
  accountsOf,
  fineMs,
  ofInstant,
  type PerpetualRow,
  type PerpetualVenue,
  ratioInTime,
  recordsOf,
  unknown
} from "./PerpetualVenue.ts"

type Market = OkxMarket["Service"]

/** How long the source keeps data, the longest interval of one response, and the step. */
interface Kept {
  readonly keptMs: number
  readonly mostMs: number
  readonly stepMs: number
}

/** The source keeps statistics for five days and payments for three months. A margin remains for late requests. */
const statistics: Kept = { keptMs: 4.9 * dayMs, mostMs: 98 * fineMs, stepMs: fineMs }
const payments: Kept = { keptMs: 89 * dayMs, mostMs: 3 * dayMs, stepMs: hourMs }

/** The newest part of an interval that the source keeps and one response can hold; otherwise undefined. */
const keptOf = ({ from, to }: Interval, { keptMs, mostMs, stepMs }: Kept) =>
  Effect.map(Clock.currentTimeMillis, (now): Interval | undefined => {
    // Half a step would never be complete, so its rest would be requested again and again.
    const since = Math.max(from, to - mostMs, Math.ceil((now - keptMs) / stepMs) * stepMs)
    return since < to ? { from: since, to } : undefined
  })

const present = Effect.fnUntraced(function*(
  name: string,
  market: Market,
  asked: ReadonlyArray<OkxContract>,
  at: number
) {
  const [funding, marks, indices] = yield* Effect.all([
    market.funding(asked),
    market.markPrices("perpetual"),
    market.indexPrices("USDT")
  ])
  const fundingBySymbol = new Map(funding.value.map((one) => [one.contract.symbol, one]))
  const priced = asked.flatMap((contract) => {
    const mark = marks.value.get(contract.symbol)
    return mark === undefined ? [] : [{ contract, price: mark.price, time: mark.time }]
  })
  const rows = yield* Effect.forEach(
    yield* ofInstant(name, priced, at),
    ({ contract, price }) =>
      Effect.gen(function*() {
        const own = fundingBySymbol.get(contract.symbol)
        const ratio = yield* ratioInTime(market.accountRatios({ contract, ...accountsOf(at) }), at)
        const row: PerpetualRow = {
          ...unknown,
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

/** OKX's perpetuals of some coins, as a replacement for Binance's. */
export const okxPerpetualVenue = (market: Market, coins: ReadonlyArray<TrackedCoin>): PerpetualVenue => {
  const name = "okx"
  const contracts = Effect.map(contractsOf(market, coins, "perpetual"), ({ rows, unread }) => ({
    unread,
    all: new Map(rows.map((contract) => [contract.coin, contract]))
  }))
  /** Requests the part of an interval that the source keeps. Older data is not returned. */
  const of = <R, E>(
    coin: string,
    interval: Interval,
    most: Kept,
    ask: (
      contract: OkxContract,
      kept: Interval
    ) => Effect.Effect<{ readonly rows: ReadonlyArray<R>; readonly until: number }, E>
  ) =>
    Effect.gen(function*() {
      const [contract] = (yield* listedOf(name, yield* contracts, [coin])) ?? []
      if (contract === undefined) return null
      const kept = yield* keptOf(interval, most)
      if (kept === undefined) return { rows: [], until: interval.from }
      return { ...yield* ask(contract, kept), since: kept.from }
    })
  return {
    name,
    listed: Effect.map(contracts, ({ all }) => new Map(Array.from(all, ([coin, { listedAt }]) => [coin, listedAt]))),
    present: (names, at) =>
      Effect.gen(function*() {
        const asked = yield* listedOf(name, yield* contracts, names)
        return asked === null ? null : yield* present(name, market, asked, at)
      }),
    past: (coin, interval) =>
      of(
        coin,
        interval,
        statistics,
        (contract, { from, to }) =>
          Effect.map(market.accountRatios({ contract, from, to }), (ratios) => (
            { rows: recordsOf([], ratios.value), until: Math.min(to, presentOf(ratios)) }
          ))
      ),
    payments: (coin, interval) =>
      of(coin, interval, payments, (contract, { from, to }) =>
        Effect.gen(function*() {
          const { value: [funding] } = yield* market.funding([contract])
          const hours = funding?.intervalHours ?? 8
          const answer = yield* market.fundingPrints({ contract, from, to, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            rows: answer.value.map((row) => ({ ...row })),
            until: paidUntil({ from, to }, times, hours, presentOf(answer))
          }
        })),
    flow: (coin, interval) =>
      of(
        coin,
        interval,
        statistics,
        (contract, { from, to }) =>
          Effect.map(market.takerFlow({ contract, from, to }), (answer) => {
            const times = answer.value.map(({ time }) => time)
            const until = toldUntil({ from, to }, { answer, times, most: 98, stepMs: fineMs })
            return { rows: answer.value.map((row) => ({ ...row })), until }
          })
      )
  }
}
