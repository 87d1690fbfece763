import { dayMs } from "@tapeline/core/market"
import { Effect } from "effect"
import type { BybitListed } from "../../sources/bybit/instruments.ts"
import type { BybitMark, BybitMarket } from "../../sources/bybit/market.ts"
import { listedOf } from "../listed.ts"
import { presentOf } from "../toldUntil.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import { contractsOf, isPerpetual } from "../venues/bybit.ts"
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

type Market = BybitMarket["Service"]

/** The longest interval of one response, for account ratios and for payments. */
const longestMs = 500 * fineMs
const mostPaidMs = 7 * dayMs

const recordOf = Effect.fnUntraced(function*(market: Market, mark: BybitMark, at: number) {
  const { contract, fundingRate, indexPrice, intervalHours, markPrice } = mark
  const ratio = yield* ratioInTime(market.accountRatios({ contract, ...accountsOf(at) }), at)
  const row: PerpetualRow = {
    ...unknown,
    time: at,
    fundingRate,
    fundingIntervalHours: fundingRate === null ? null : intervalHours,
    longShortRatio: ratio,
    markPrice,
    indexPrice
  }
  return row
})

/** Bybit's perpetuals of some coins, as a replacement for Binance's. Bybit has no taker flow. */
export const bybitPerpetualVenue = (market: Market, coins: ReadonlyArray<TrackedCoin>): PerpetualVenue => {
  const name = "bybit"
  const contracts = Effect.map(contractsOf(market, coins), ({ rows, unread }) => ({
    unread,
    all: new Map(rows.filter(isPerpetual).map((contract) => [contract.coin, contract]))
  }))
  const of = <A, E>(coin: string, ask: (contract: BybitListed) => Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      const [contract] = (yield* listedOf(name, yield* contracts, [coin])) ?? []
      return contract === undefined ? null : yield* ask(contract)
    })
  return {
    name,
    listed: Effect.map(contracts, ({ all }) => new Map(Array.from(all, ([coin, { listedAt }]) => [coin, listedAt]))),
    present: Effect.fnUntraced(function*(names, at) {
      const asked = yield* listedOf(name, yield* contracts, names)
      if (asked === null) return null
      const coinOf = new Map(asked.map((contract) => [contract.symbol, contract]))
      const { value: marks } = yield* market.marks(asked)
      const rows = yield* Effect.forEach(
        yield* ofInstant(name, marks, at),
        (mark) =>
          Effect.map(recordOf(market, mark, at), (row) => [coinOf.get(mark.contract.symbol)!.coin, row] as const),
        { concurrency: 4 }
      )
      return new Map(rows)
    }),
    past: (coin, { from: begin, to }) =>
      of(coin, (contract) =>
        Effect.gen(function*() {
          const from = Math.max(begin, to - longestMs)
          const ratios = yield* market.accountRatios({ contract, from, to })
          return { rows: recordsOf([], ratios.value), since: from, until: Math.min(to, presentOf(ratios)) }
        })),
    payments: (coin, { from: begin, to }) =>
      of(coin, (contract) =>
        Effect.gen(function*() {
          const from = Math.max(begin, to - mostPaidMs)
          const { value: [mark] } = yield* market.marks([contract])
          const hours = mark?.intervalHours ?? 8
          const answer = yield* market.fundingPrints({ contract, from, to, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            rows: answer.value.map((row) => ({ ...row })),
            since: from,
            until: paidUntil({ from, to }, times, hours, presentOf(answer))
          }
        })),
    flow: () => Effect.succeed(null)
  }
}
