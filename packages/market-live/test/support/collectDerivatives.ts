import { runAsOf } from "@tapeline/core"
import { CoinDerivatives, dayMs, type Gap, type Interval, readValue } from "@tapeline/core/market"
import { type DocumentRow, type DocumentsKind, eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  futuresDocument,
  venueFundingDocument,
  venueKey,
  venueOpenInterestDocument
} from "../../src/stored/documents.ts"
import {
  alignToGrid,
  coverageOf,
  endOfSeries,
  fiveMinutesMs,
  isInGaps,
  sourceName,
  type WriteContext
} from "./collecting.ts"

/** Writes a coin's perpetual and its funding payments of an interval, except for the lost intervals. */
export const writePerpetual = Effect.fnUntraced(
  function*({ fence, store }: WriteContext, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const derivatives = yield* CoinDerivatives
    const { points } = yield* readValue(derivatives.perpetualHistory({ coin, stepMs: fiveMinutesMs, ...interval }))
    const prints = yield* readValue(derivatives.fundingPayments({ coin, ...interval }))
    const rowsOf = <A extends { readonly time: number }>(all: ReadonlyArray<A>) =>
      all.filter(({ time }) => !isInGaps(lost, time))
    const series = { subject: coin, source: sourceName, ...coverageOf(interval, lost) }
    yield* store.writePoints({ kind: pointsKinds.perpetuals, fence, series: [{ ...series, rows: rowsOf(points) }] })
    yield* store.writePoints({ kind: pointsKinds.fundingPrints, fence, series: [{ ...series, rows: rowsOf(prints) }] })
  },
  Effect.orDie
)

const writeFlow = Effect.fnUntraced(
  function*({ fence, store }: WriteContext, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const derivatives = yield* CoinDerivatives
    const holes = alignToGrid(lost, fiveMinutesMs)
    const { points } = yield* readValue(derivatives.takerFlow({ coin, stepMs: fiveMinutesMs, ...interval }))
    const rows = points.filter(({ time }) => !isInGaps(holes, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coverageOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.takerFlow, fence, series })
    const tape = yield* readValue(derivatives.liquidations({ coin, limit: 100_000, ...interval }))
    const subject = venueKey(sourceName, coin)
    const events = tape.events.flatMap(({ price, side, sizeUsd, time }, i) =>
      isInGaps(lost, time)
        ? []
        : [{
          id: `${coin}:${time}:${String(i).padStart(6, "0")}`,
          time,
          subjects: [subject],
          source: sourceName,
          label: side,
          document: null,
          price,
          sizeUsd
        }]
    )
    const covering = [{ subject, ...coverageOf(interval, lost) }]
    yield* store.writeEvents({ kind: eventsKinds.liquidations, fence, events, covering })
  },
  Effect.orDie
)

const writeVenueSnapshots = Effect.fnUntraced(function*({ collection, fence, store }: WriteContext, key: string) {
  const derivatives = yield* CoinDerivatives
  const metadataOf = (venue: string) => ({ key: venueKey(venue, key), time: collection.now, source: sourceName })
  const write = (kind: DocumentsKind, documents: ReadonlyArray<DocumentRow>) =>
    store.writeDocuments({ kind, fence, documents })
  const fundings = yield* readValue(derivatives.fundingByVenue(key))
  const interests = yield* readValue(derivatives.openInterestByVenue(key))
  const futures = futuresDocument.encodeRow(metadataOf(sourceName), yield* readValue(derivatives.futures(key)))
  yield* write(
    venueFundingDocument.kind,
    fundings.map((one) => venueFundingDocument.encodeRow(metadataOf(one.venue), one))
  )
  yield* write(
    venueOpenInterestDocument.kind,
    interests.map((one) => venueOpenInterestDocument.encodeRow(metadataOf(one.venue), one))
  )
  yield* write(futuresDocument.kind, [futures])
}, Effect.orDie)

export const stablecoins = new Set(["USDT", "USDC", "DAI"])

export const writeDerivatives = Effect.fnUntraced(function*(writing: WriteContext, coin: string) {
  const { collection } = writing
  const { lost, now, perpetualDays } = collection
  const day = Math.floor(now / dayMs) * dayMs
  const to = Math.floor(endOfSeries(collection, coin) / fiveMinutesMs) * fiveMinutesMs
  yield* writePerpetual(writing, coin, { from: day - perpetualDays * dayMs, to }, lost)
  yield* writeFlow(writing, coin, { from: Math.min(day - 4 * dayMs, to - dayMs), to }, lost)
  if (collection.delisted[coin] === undefined) yield* runAsOf(writeVenueSnapshots(writing, coin), now)
})
