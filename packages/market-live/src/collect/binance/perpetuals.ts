import { dayMs, hourMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { type PointRow, pointsKinds } from "@tapeline/core/market/store"
import { Array, Effect } from "effect"
import type { BinanceContract, BinanceMark } from "../../sources/binance/contracts.ts"
import { type BinancePerpetuals, usualFundingHours } from "../../sources/binance/perpetuals.ts"
import type { Collector, SeriesCollector, Subject } from "../collector.ts"
import { presentOf, toldUntil } from "../toldUntil.ts"
import type { TrackedCoin } from "../trackedCoins.ts"

type Futures = BinancePerpetuals["Service"]
type Row = PointRow<keyof typeof pointsKinds.perpetuals.columns>

const source = "binance"
const fineMs = 5 * minuteMs
/** Statistics go back 30 days; some hours are left to whoever comes late. */
const statisticsDays = 29.5

/** A coin's perpetual, by coin. */
export type Perpetuals = Effect.Effect<ReadonlyMap<string, BinanceContract>, SourceUnavailable>

/** The perpetuals of tracked coins that trade. */
export const perpetualsOf = (futures: Futures, coins: ReadonlyArray<TrackedCoin>): Perpetuals => {
  const tracked = new Set(coins.map(({ coin }) => coin))
  return Effect.map(
    futures.contracts("USDT"),
    ({ value }) =>
      new Map(
        value.filter(({ coin, kind, trades }) => kind === "perpetual" && trades && tracked.has(coin))
          .map((contract) => [contract.coin, contract])
      )
  )
}

const unknown = {
  fundingRate: null,
  fundingIntervalHours: null,
  openInterest: null,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: null,
  indexPrice: null
}

/** So late an instant is not that instant any more. */
const lateMs = minuteMs

/** The record of one coin at an instant; what could not be told of it is null. */
const recordOf = (
  futures: Futures,
  { contract, fundingRate, indexPrice, markPrice }: BinanceMark,
  hours: number,
  at: number
) =>
  Effect.gen(function*() {
    const { value: { openInterest } } = yield* futures.openInterest(contract)
    // Every five minutes there is one, of that instant or none.
    const asked = Effect.map(futures.accountRatios({ contract, from: at, to: at + 1, of: "all" }), ({ value }) => value)
    const [ratio] = yield* Effect.orElseSucceed(asked, () => [])
    const row: Row = {
      time: at,
      fundingRate,
      fundingIntervalHours: fundingRate === null ? null : hours,
      openInterest,
      openInterestUsd: openInterest * markPrice,
      longShortRatio: ratio?.longShortRatio ?? null,
      markPrice,
      indexPrice
    }
    return { subject: contract.coin, source, rows: [row] }
  })

const presentRecords = (futures: Futures, perpetuals: Perpetuals, names: ReadonlyArray<string>, at: number) =>
  Effect.gen(function*() {
    const contracts = yield* perpetuals
    const asked = names.flatMap((name) => contracts.get(name) ?? [])
    const { value: marks } = yield* futures.marks(asked)
    const { value: hours } = yield* futures.fundingHours
    // A clock that is wrong, ours or theirs, must not move a record to another instant.
    const timely = marks.filter(({ time }) => Math.abs(time - at) <= lateMs)
    const answers = yield* Effect.forEach(
      timely,
      (mark) => Effect.result(recordOf(futures, mark, hours.get(mark.contract.symbol) ?? usualFundingHours, at)),
      { concurrency: 4 }
    )
    // One coin's fault is no other's.
    const [told, faults] = [Array.getSuccesses(answers), Array.getFailures(answers)]
    return told.length === 0 && faults[0] !== undefined ? yield* faults[0] : told
  })

/** What the source keeps of the past is less: open interest and accounts. */
const pastRecords = (futures: Futures, contract: BinanceContract, from: number, to: number) =>
  Effect.gen(function*() {
    const [interest, ratios] = yield* Effect.all([
      futures.openInterestHistory({ contract, from, to }),
      futures.accountRatios({ contract, from, to, of: "all" })
    ])
    const rows = new Map<number, Row>()
    for (const { openInterest, openInterestUsd, time } of interest.value) {
      rows.set(time, { ...unknown, time, openInterest, openInterestUsd })
    }
    for (const { longShortRatio, time } of ratios.value) {
      rows.set(time, { ...unknown, time, ...rows.get(time), longShortRatio })
    }
    return {
      source,
      rows: [...rows.values()].sort((a, b) => a.time - b.time),
      until: Math.min(to, presentOf(interest), presentOf(ratios))
    }
  })

type Parts = {
  readonly futures: Futures
  readonly perpetuals: Perpetuals
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
  readonly wantedMs: number
}

/** The contract of a coin that was listed a moment ago. */
const contractOf = <A>(
  perpetuals: Perpetuals,
  coin: string,
  ask: (contract: BinanceContract) => Effect.Effect<A, SourceUnavailable>,
  none: A
): Effect.Effect<A, SourceUnavailable> =>
  Effect.flatMap(perpetuals, (contracts) => {
    const contract = contracts.get(coin)
    return contract === undefined ? Effect.succeed(none) : ask(contract)
  })

const records = ({ futures, perpetuals, subjects, wantedMs }: Parts): SeriesCollector => ({
  _tag: "series",
  source,
  name: "perpetuals",
  kind: pointsKinds.perpetuals,
  everyMs: fineMs,
  offsetMs: 3_000,
  rowsAre: "instants",
  subjects,
  snapshot: { lateMs, ask: (names, at) => presentRecords(futures, perpetuals, names, at) },
  backfill: {
    reachesBackMs: statisticsDays * dayMs,
    wantedMs,
    longestMs: 480 * fineMs,
    delayMs: 3 * fineMs,
    ask: (coin, { from, to }) =>
      contractOf(perpetuals, coin, (contract) => pastRecords(futures, contract, from, to), {
        source,
        rows: [],
        until: from
      })
  }
})

/**
 * Until when payments are told: of an hour that has begun a minute ago, all are there, but for the one that is due
 * and comes late, which looks like none for ten minutes at most.
 */
export const paidUntil = (
  { from, to }: { readonly from: number; readonly to: number },
  times: ReadonlyArray<number>,
  hours: number,
  present: number
): number => {
  const begun = Math.floor((present - minuteMs) / hourMs) * hourMs
  const isAwaited = begun % (hours * hourMs) === 0 && present - begun < 10 * minuteMs &&
    !times.some((time) => time >= begun)
  return Math.max(from, Math.min(to, isAwaited ? begun : begun + hourMs))
}

const payments = ({ futures, perpetuals, subjects }: Parts): SeriesCollector => ({
  _tag: "series",
  source,
  name: "fundingPrints",
  kind: pointsKinds.fundingPrints,
  everyMs: hourMs,
  offsetMs: 65_000,
  rowsAre: "instants",
  subjects,
  backfill: {
    reachesBackMs: Infinity,
    wantedMs: 365 * dayMs,
    longestMs: 30 * dayMs,
    ask: (coin, interval) =>
      contractOf(perpetuals, coin, (contract) =>
        Effect.gen(function*() {
          const { value: allHours } = yield* futures.fundingHours
          const hours = allHours.get(contract.symbol) ?? usualFundingHours
          const answer = yield* futures.fundingPrints({ contract, ...interval, hoursNow: hours })
          const times = answer.value.map(({ time }) => time)
          return {
            source,
            rows: answer.value.map((row) => ({ ...row })),
            until: paidUntil(interval, times, hours, presentOf(answer))
          }
        }), { source, rows: [], until: interval.from })
  }
})

const flow = ({ futures, perpetuals, subjects, wantedMs }: Parts): SeriesCollector => ({
  _tag: "series",
  source,
  name: "takerFlow",
  kind: pointsKinds.takerFlow,
  everyMs: fineMs,
  offsetMs: 4_000,
  rowsAre: "buckets",
  subjects,
  backfill: {
    reachesBackMs: Infinity,
    wantedMs,
    longestMs: 1_000 * fineMs,
    ask: (coin, interval) =>
      contractOf(perpetuals, coin, (contract) =>
        Effect.map(futures.takerFlow({ contract, ...interval }), (answer) => {
          const times = answer.value.map(({ time }) => time)
          const until = toldUntil(interval, { answer, times, most: 1_000, stepMs: fineMs })
          return { source, rows: answer.value.map((row) => ({ ...row })), until }
        }), { source, rows: [], until: interval.from })
  }
})

/** What is collected of Binance's perpetuals: records, payments, taker flow. */
export const binancePerpetualCollectors = (
  futures: Futures,
  coins: ReadonlyArray<TrackedCoin>,
  { derivativeDays }: { readonly derivativeDays: number }
): ReadonlyArray<Collector> => {
  const perpetuals = perpetualsOf(futures, coins)
  const subjects = Effect.map(
    perpetuals,
    (contracts) => [...contracts].map(([subject, { listedAt }]) => ({ subject, from: listedAt }))
  )
  const parts = { futures, perpetuals, subjects, wantedMs: derivativeDays * dayMs }
  return [records(parts), payments(parts), flow(parts)]
}
