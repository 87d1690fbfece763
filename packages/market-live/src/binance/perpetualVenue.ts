import type { SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import { completeUntil } from "../collect/completeUntil.ts"
import { findListed, type MarketsByCoin, rememberMarkets } from "../collect/marketLists.ts"
import {
  fetchRatioInTime,
  fiveMinutesMs,
  mergeRecords,
  paymentsCompleteUntil,
  type PerpetualRow,
  type PerpetualVenue,
  ratioIntervalAt,
  selectTimely
} from "../perpetuals/PerpetualVenue.ts"
import { sourceTimeOf } from "../source/index.ts"
import type { BinanceContract, BinanceMark } from "./contracts.ts"
import { type BinancePerpetuals, defaultFundingHours } from "./perpetuals.ts"

type FuturesClient = BinancePerpetuals["Service"]

export type Perpetuals = Effect.Effect<ReadonlyMap<string, BinanceContract>, SourceUnavailable>

export const listPerpetuals = (
  futures: FuturesClient,
  coins: ReadonlyArray<TrackedCoin>
): Effect.Effect<MarketsByCoin<BinanceContract>, SourceUnavailable> => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(rememberMarkets(futures.contracts("USDT")), ({ rows, unreadable }) => ({
    unreadable,
    all: new Map(
      rows.filter(({ coin, kind, isTrading }) => kind === "perpetual" && isTrading && tracked.has(coin))
        .map((contract) => [contract.coin, contract])
    )
  }))
}

export const perpetualsByCoin = (futures: FuturesClient, coins: ReadonlyArray<TrackedCoin>): Perpetuals =>
  Effect.map(listPerpetuals(futures, coins), ({ all }) => all)

/** Fetches a coin's perpetual record for the time `at`. Unknown fields of the perpetual record are null. */
const fetchRecord = Effect.fnUntraced(
  function*(
    futures: FuturesClient,
    { contract, fundingRate, indexPrice, markPrice }: BinanceMark,
    hours: number,
    at: number
  ) {
    const { value: { openInterest } } = yield* Effect.catchIf(
      futures.openInterest(contract),
      // A retry would not repair malformed open interest, so the record is stored without open interest.
      ({ failure }) => failure === "malformed",
      () => Effect.succeed({ value: { openInterest: null } })
    )
    // Binance publishes the long/short ratio every five minutes, so the ratio may be missing at the time `at`.
    const ratio = yield* fetchRatioInTime(
      futures.accountRatios({ contract, ...ratioIntervalAt(at), accounts: "all" }),
      at
    )
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

const fetchSnapshot = Effect.fnUntraced(function*(
  name: string,
  futures: FuturesClient,
  contracts: ReadonlyArray<BinanceContract>,
  at: number
) {
  const { value: marks } = yield* futures.marks(contracts)
  const { value: hours } = yield* futures.fundingHours
  const answers = yield* Effect.forEach(
    yield* selectTimely(name, marks, at),
    (mark) => Effect.result(fetchRecord(futures, mark, hours.get(mark.contract.symbol) ?? defaultFundingHours, at)),
    { concurrency: 4 }
  )
  const [records, faults] = [Arr.getSuccesses(answers), Arr.getFailures(answers)]
  return records.length === 0 && faults[0] !== undefined ? yield* faults[0] : new Map(records)
})

/** Returns Binance as a venue of perpetuals for the given coins. */
export const binancePerpetualVenue = (futures: FuturesClient, coins: ReadonlyArray<TrackedCoin>): PerpetualVenue => {
  const name = "binance"
  const contracts = listPerpetuals(futures, coins)
  const withContract = <A, E>(coin: string, fetch: (contract: BinanceContract) => Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      const [contract] = (yield* findListed(name, yield* contracts, [coin])) ?? []
      return contract === undefined ? null : yield* fetch(contract)
    })
  return {
    name,
    listings: Effect.map(contracts, ({ all }) => new Map(Array.from(all, ([coin, { listedAt }]) => [coin, listedAt]))),
    snapshot: (names, at) =>
      Effect.gen(function*() {
        const listed = yield* findListed(name, yield* contracts, names)
        return listed === null ? null : yield* fetchSnapshot(name, futures, listed, at)
      }),
    history: (coin, { from, to }) =>
      withContract(coin, (contract) =>
        Effect.gen(function*() {
          const [interest, ratios] = yield* Effect.all([
            futures.openInterestHistory({ contract, from, to }),
            futures.accountRatios({ contract, from, to, accounts: "all" })
          ])
          const until = Math.min(to, sourceTimeOf(interest), sourceTimeOf(ratios))
          return { rows: mergeRecords(interest.value, ratios.value), until }
        })),
    fundingPayments: (coin, interval) =>
      withContract(coin, (contract) =>
        Effect.gen(function*() {
          const { value: allHours } = yield* futures.fundingHours
          const hours = allHours.get(contract.symbol) ?? defaultFundingHours
          const answer = yield* futures.fundingPayments({ contract, ...interval, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            rows: answer.value.map((row) => ({ ...row })),
            until: paymentsCompleteUntil(interval, times, hours, sourceTimeOf(answer))
          }
        })),
    takerFlow: (coin, interval) =>
      withContract(coin, (contract) =>
        Effect.map(futures.takerFlow({ contract, ...interval }), (answer) => {
          const times = answer.value.map(({ time }) => time)
          const until = completeUntil(interval, { answer, times, maxBuckets: 1_000, stepMs: fiveMinutesMs })
          return { rows: answer.value.map((row) => ({ ...row })), until }
        }))
  }
}
