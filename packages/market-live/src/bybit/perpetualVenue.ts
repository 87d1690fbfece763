import { dayMs } from "@tapeline/core/market"
import { Effect } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
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
import { isPerpetual, listContracts } from "./collectors.ts"
import type { BybitListedContract } from "./instruments.ts"
import type { BybitMark, BybitMarket } from "./market.ts"

type Market = BybitMarket["Service"]

/** The longest intervals that fit in one response, for account ratios and for funding payments. */
const maxRatiosIntervalMs = 500 * fiveMinutesMs
const maxPaymentsIntervalMs = 7 * dayMs

const fetchRecord = Effect.fnUntraced(function*(market: Market, mark: BybitMark, at: number) {
  const { contract, fundingRate, indexPrice, intervalHours, markPrice } = mark
  const ratio = yield* fetchRatioInTime(market.accountRatios({ contract, ...ratioIntervalAt(at) }), at)
  const row: PerpetualRow = {
    ...unknownRecord,
    time: at,
    fundingRate,
    fundingIntervalHours: fundingRate === null ? null : intervalHours,
    longShortRatio: ratio,
    markPrice,
    indexPrice
  }
  return row
})

/** Returns Bybit as a venue of perpetuals without taker flow, for the given coins. */
export const bybitPerpetualVenue = (market: Market, coins: ReadonlyArray<TrackedCoin>): PerpetualVenue => {
  const name = "bybit"
  const contracts = Effect.map(listContracts(market, coins), ({ rows, unreadable }) => ({
    unreadable,
    all: new Map(rows.filter(isPerpetual).map((contract) => [contract.coin, contract]))
  }))
  const withContract = <A, E>(coin: string, fetch: (contract: BybitListedContract) => Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      const [contract] = (yield* findListed(name, yield* contracts, [coin])) ?? []
      return contract === undefined ? null : yield* fetch(contract)
    })
  return {
    name,
    listings: Effect.map(contracts, ({ all }) => new Map(Array.from(all, ([coin, { listedAt }]) => [coin, listedAt]))),
    snapshot: Effect.fnUntraced(function*(names, at) {
      const listed = yield* findListed(name, yield* contracts, names)
      if (listed === null) return null
      const contractsBySymbol = new Map(listed.map((contract) => [contract.symbol, contract]))
      const { value: marks } = yield* market.marks(listed)
      const rows = yield* Effect.forEach(
        yield* selectTimely(name, marks, at),
        (mark) =>
          Effect.map(
            fetchRecord(market, mark, at),
            (row) => [contractsBySymbol.get(mark.contract.symbol)!.coin, row] as const
          ),
        { concurrency: 4 }
      )
      return new Map(rows)
    }),
    history: (coin, { from: begin, to }) =>
      withContract(coin, (contract) =>
        Effect.gen(function*() {
          const from = Math.max(begin, to - maxRatiosIntervalMs)
          const ratios = yield* market.accountRatios({ contract, from, to })
          return { rows: mergeRecords([], ratios.value), since: from, until: Math.min(to, sourceTimeOf(ratios)) }
        })),
    fundingPayments: (coin, { from: begin, to }) =>
      withContract(coin, (contract) =>
        Effect.gen(function*() {
          const from = Math.max(begin, to - maxPaymentsIntervalMs)
          const { value: [mark] } = yield* market.marks([contract])
          const hours = mark?.intervalHours ?? 8
          const answer = yield* market.fundingPayments({ contract, from, to, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            rows: answer.value.map((row) => ({ ...row })),
            since: from,
            until: paymentsCompleteUntil({ from, to }, times, hours, sourceTimeOf(answer))
          }
        })),
    takerFlow: () => Effect.succeed(null)
  }
}
