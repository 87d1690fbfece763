import { Array as Arr, Effect } from "effect"
import type { BinanceContract, BinanceMark } from "../../sources/binance/contracts.ts"
import { type BinancePerpetuals, usualFundingHours } from "../../sources/binance/perpetuals.ts"
import { listedPerpetuals } from "../binance/perpetuals.ts"
import { listedOf } from "../listed.ts"
import { presentOf, toldUntil } from "../toldUntil.ts"
import type { TrackedCoin } from "../trackedCoins.ts"
import { paidUntil } from "./paidUntil.ts"
import {
  accountsOf,
  fineMs,
  ofInstant,
  type PerpetualRow,
  type PerpetualVenue,
  ratioInTime,
  recordsOf
} from "./PerpetualVenue.ts"

type Futures = BinancePerpetuals["Service"]

/** The record of one coin at an instant; unknown fields are null. */
const recordOf = Effect.fnUntraced(
  function*(
    futures: Futures,
    { contract, fundingRate, indexPrice, markPrice }: BinanceMark,
    hours: number,
    at: number
  ) {
    const { value: { openInterest } } = yield* Effect.catchIf(
      futures.openInterest(contract),
      // A malformed value would not become readable by a retry. The record keeps its other fields.
      ({ failure }) => failure === "malformed",
      () => Effect.succeed({ value: { openInterest: null } })
    )
    // The ratio is published every five minutes: it is of this instant, or missing.
    const ratio = yield* ratioInTime(futures.accountRatios({ contract, ...accountsOf(at), of: "all" }), at)
    const row: PerpetualRow = {
      time: at,
      fundingRate,
      fundingIntervalHours: fundingRate === null ? null : hours,
      openInterest,
      openInterestUsd: openInterest === null ? null : openInterest * markPrice,
      longShortRatio: ratio,
      markPrice,
      indexPrice
    }
    return [contract.coin, row] as const
  }
)

const present = Effect.fnUntraced(function*(
  name: string,
  futures: Futures,
  asked: ReadonlyArray<BinanceContract>,
  at: number
) {
  const { value: marks } = yield* futures.marks(asked)
  const { value: hours } = yield* futures.fundingHours
  const answers = yield* Effect.forEach(
    yield* ofInstant(name, marks, at),
    (mark) => Effect.result(recordOf(futures, mark, hours.get(mark.contract.symbol) ?? usualFundingHours, at)),
    { concurrency: 4 }
  )
  // The fault of one coin does not affect others.
  const [told, faults] = [Arr.getSuccesses(answers), Arr.getFailures(answers)]
  return told.length === 0 && faults[0] !== undefined ? yield* faults[0] : new Map(told)
})

/** Binance's perpetuals of some coins. */
export const binancePerpetualVenue = (futures: Futures, coins: ReadonlyArray<TrackedCoin>): PerpetualVenue => {
  const name = "binance"
  const contracts = listedPerpetuals(futures, coins)
  const of = <A, E>(coin: string, ask: (contract: BinanceContract) => Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      const [contract] = (yield* listedOf(name, yield* contracts, [coin])) ?? []
      return contract === undefined ? null : yield* ask(contract)
    })
  return {
    name,
    listed: Effect.map(contracts, ({ all }) => new Map(Array.from(all, ([coin, { listedAt }]) => [coin, listedAt]))),
    present: (names, at) =>
      Effect.gen(function*() {
        const asked = yield* listedOf(name, yield* contracts, names)
        return asked === null ? null : yield* present(name, futures, asked, at)
      }),
    // Past records contain only open interest and account ratios.
    past: (coin, { from, to }) =>
      of(coin, (contract) =>
        Effect.gen(function*() {
          const [interest, ratios] = yield* Effect.all([
            futures.openInterestHistory({ contract, from, to }),
            futures.accountRatios({ contract, from, to, of: "all" })
          ])
          const until = Math.min(to, presentOf(interest), presentOf(ratios))
          return { rows: recordsOf(interest.value, ratios.value), until }
        })),
    payments: (coin, interval) =>
      of(coin, (contract) =>
        Effect.gen(function*() {
          const { value: allHours } = yield* futures.fundingHours
          const hours = allHours.get(contract.symbol) ?? usualFundingHours
          const answer = yield* futures.fundingPrints({ contract, ...interval, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            rows: answer.value.map((row) => ({ ...row })),
            until: paidUntil(interval, times, hours, presentOf(answer))
          }
        })),
    flow: (coin, interval) =>
      of(coin, (contract) =>
        Effect.map(futures.takerFlow({ contract, ...interval }), (answer) => {
          const times = answer.value.map(({ time }) => time)
          const until = toldUntil(interval, { answer, times, most: 1_000, stepMs: fineMs })
          return { rows: answer.value.map((row) => ({ ...row })), until }
        }))
  }
}
