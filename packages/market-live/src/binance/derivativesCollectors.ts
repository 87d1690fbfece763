import { minuteMs } from "@tapeline/core/market"
import { Array, Effect } from "effect"
import type { Collector } from "../collect/collector.ts"
import { futuresDocument, venueFundingDocument, venueKey, venueOpenInterestDocument } from "../stored/documents.ts"
import { datedFuturesOf } from "./contracts.ts"
import { type BinancePerpetuals, defaultFundingHours } from "./perpetuals.ts"
import type { Perpetuals } from "./perpetualVenue.ts"

const source = "binance"

const commonFields = { _tag: "documents", source, everyMs: 5 * minuteMs } as const

const makeFundingCollector = (futures: BinancePerpetuals["Service"], perpetuals: Perpetuals): Collector => ({
  ...commonFields,
  name: "venueFunding",
  kind: venueFundingDocument.kind,
  offsetMs: 6_000,
  fetch: Effect.gen(function*() {
    const { value: marks } = yield* futures.marks([...(yield* perpetuals).values()])
    const { value: hours } = yield* futures.fundingHours
    const documents = marks.flatMap(({ contract: { coin, symbol }, fundingRate, nextFundingAt, time }) => {
      if (fundingRate === null) return []
      const intervalHours = hours.get(symbol) ?? defaultFundingHours
      const funding = { venue: source, time, fundingRate, intervalHours, nextFundingAt }
      return [venueFundingDocument.encodeRow({ key: venueKey(source, coin), time, source }, funding)]
    })
    return { documents, faults: [] }
  })
})

const makeOpenInterestCollector = (futures: BinancePerpetuals["Service"], perpetuals: Perpetuals): Collector => ({
  ...commonFields,
  name: "venueOpenInterest",
  kind: venueOpenInterestDocument.kind,
  offsetMs: 8_000,
  fetch: Effect.gen(function*() {
    const { value: marks } = yield* futures.marks([...(yield* perpetuals).values()])
    const answers = yield* Effect.forEach(
      marks,
      ({ contract, markPrice }) =>
        Effect.result(Effect.map(futures.openInterest(contract), ({ value: { openInterest, time } }) => {
          const own = { venue: source, time, openInterest, openInterestUsd: openInterest * markPrice }
          return venueOpenInterestDocument.encodeRow({ key: venueKey(source, contract.coin), time, source }, own)
        })),
      { concurrency: 4 }
    )
    return { documents: Array.getSuccesses(answers), faults: Array.getFailures(answers) }
  })
})

/**
 * Collects the dated futures of each coin that has a perpetual. Stores an empty list for a coin without dated futures.
 */
const makeDatedFuturesCollector = (futures: BinancePerpetuals["Service"], perpetuals: Perpetuals): Collector => ({
  ...commonFields,
  name: "futures",
  kind: futuresDocument.kind,
  offsetMs: 10_000,
  fetch: Effect.gen(function*() {
    const coins = yield* perpetuals
    const { value: contracts } = yield* futures.contracts("USDT")
    const dated = contracts.filter(({ coin, kind, isTrading }) => kind === "dated" && isTrading && coins.has(coin))
    const { receivedAt: time, value: marks } = yield* futures.marks(dated)
    const all = datedFuturesOf(marks)
    const documents = [...coins.keys()].map((coin) =>
      futuresDocument.encodeRow(
        { key: venueKey(source, coin), time, source },
        all.filter((future) => future.coin === coin).map(({ coin: _, ...future }) => future)
      )
    )
    return { documents, faults: [] }
  })
})

export const makeBinanceDerivativesCollectors = (
  futures: BinancePerpetuals["Service"],
  perpetuals: Perpetuals
): ReadonlyArray<Collector> => [
  makeFundingCollector(futures, perpetuals),
  makeOpenInterestCollector(futures, perpetuals),
  makeDatedFuturesCollector(futures, perpetuals)
]
