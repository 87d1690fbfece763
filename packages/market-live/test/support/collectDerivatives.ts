import { CoinDerivatives, dayMs, type Gap, type Interval, valueOf } from "@tapeline/core/market"
import { type DocumentRow, type DocumentsKind, eventsKinds, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import {
  futuresDocument,
  venueFundingDocument,
  venueKey,
  venueOpenInterestDocument
} from "../../src/stored/documents.ts"
import { coveringOf, endOf, fineMs, isIn, onGrid, sourceName, standing, type Writing } from "./collecting.ts"

/** Writes a coin's perpetual and its funding payments of an interval, except for the lost intervals. */
export const writePerpetual = Effect.fnUntraced(
  function*({ fence, store }: Writing, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const derivatives = yield* CoinDerivatives
    const { points } = yield* valueOf(derivatives.perpetualHistory({ coin, stepMs: fineMs, ...interval }))
    const prints = yield* valueOf(derivatives.fundingPrints({ coin, ...interval }))
    const rowsOf = <A extends { readonly time: number }>(all: ReadonlyArray<A>) =>
      all.filter(({ time }) => !isIn(lost, time))
    const series = { subject: coin, source: sourceName, ...coveringOf(interval, lost) }
    yield* store.writePoints({ kind: pointsKinds.perpetuals, fence, series: [{ ...series, rows: rowsOf(points) }] })
    yield* store.writePoints({ kind: pointsKinds.fundingPrints, fence, series: [{ ...series, rows: rowsOf(prints) }] })
  },
  Effect.orDie
)

/** Writes taker volumes and liquidations of an interval, except for the lost intervals. */
const writeFlow = Effect.fnUntraced(
  function*({ fence, store }: Writing, coin: string, interval: Interval, lost: ReadonlyArray<Gap>) {
    const derivatives = yield* CoinDerivatives
    const holes = onGrid(lost, fineMs)
    const { points } = yield* valueOf(derivatives.takerFlow({ coin, stepMs: fineMs, ...interval }))
    const rows = points.filter(({ time }) => !isIn(holes, time))
    const series = [{ subject: coin, source: sourceName, rows, ...coveringOf(interval, holes) }]
    yield* store.writePoints({ kind: pointsKinds.takerFlow, fence, series })
    const tape = yield* valueOf(derivatives.liquidations({ coin, limit: 100_000, ...interval }))
    const subject = venueKey(sourceName, coin)
    const events = tape.events.flatMap(({ price, side, sizeUsd, time }, i) =>
      isIn(lost, time)
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
    const covering = [{ subject, ...coveringOf(interval, lost) }]
    yield* store.writeEvents({ kind: eventsKinds.liquidations, fence, events, covering })
  },
  Effect.orDie
)

/** Writes the venues' current data about a coin's derivatives. */
const writeVenues = Effect.fnUntraced(function*({ collection, fence, store }: Writing, key: string) {
  const derivatives = yield* CoinDerivatives
  const about = (venue: string) => ({ key: venueKey(venue, key), time: collection.now, source: sourceName })
  const write = (kind: DocumentsKind, documents: ReadonlyArray<DocumentRow>) =>
    store.writeDocuments({ kind, fence, documents })
  const fundings = yield* valueOf(derivatives.fundingByVenue(key))
  const interests = yield* valueOf(derivatives.openInterestByVenue(key))
  const futures = futuresDocument.rowOf(about(sourceName), yield* valueOf(derivatives.futures(key)))
  yield* write(
    venueFundingDocument.kind,
    fundings.map((one) => venueFundingDocument.rowOf(about(one.venue), one))
  )
  yield* write(
    venueOpenInterestDocument.kind,
    interests.map((one) => venueOpenInterestDocument.rowOf(about(one.venue), one))
  )
  yield* write(futuresDocument.kind, [futures])
}, Effect.orDie)

export const stablecoins = new Set(["USDT", "USDC", "DAI"])

export const writeDerivatives = Effect.fnUntraced(function*(writing: Writing, coin: string) {
  const { collection } = writing
  const { lost, now, perpetualDays } = collection
  const day = Math.floor(now / dayMs) * dayMs
  const to = Math.floor(endOf(collection, coin) / fineMs) * fineMs
  yield* writePerpetual(writing, coin, { from: day - perpetualDays * dayMs, to }, lost)
  yield* writeFlow(writing, coin, { from: Math.min(day - 4 * dayMs, to - dayMs), to }, lost)
  if (collection.delisted[coin] === undefined) yield* standing(now, writeVenues(writing, coin))
})
