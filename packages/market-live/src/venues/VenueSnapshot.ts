import { type DatedFuture, minuteMs, type SourceUnavailable, type VenueFunding } from "@tapeline/core/market"
import type { DocumentRow } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Collector, DocumentsCollector } from "../collect/collector.ts"
import { futuresDocument, venueFundingDocument, venueKey, venueOpenInterestDocument } from "../stored/documents.ts"

type FetchRows<A> = Effect.Effect<ReadonlyArray<A>, SourceUnavailable>

interface CoinTime {
  readonly coin: string
  readonly time: number
}

/** Fetches the current data of a venue's perpetuals and dated futures, for the collected coins. */
export interface VenueSnapshot {
  readonly source: string
  readonly coins: FetchRows<string>
  readonly funding: FetchRows<CoinTime & Omit<VenueFunding, "venue">>
  readonly openInterest: FetchRows<CoinTime & { readonly openInterest: number; readonly openInterestUsd: number }>
  readonly futures: FetchRows<DatedFuture & { readonly coin: string }>
}

const fiveMinutesMs = 5 * minuteMs

/** Returns the collectors of a venue's current derivatives data, stored with the key `venue:COIN`. */
export const makeVenueSnapshotCollectors = (
  { coins, funding, futures, openInterest, source }: VenueSnapshot
): ReadonlyArray<Collector> => {
  const metadataOf = ({ coin, time }: CoinTime) => ({ key: venueKey(source, coin), time, source })
  const makeCollector = (
    name: string,
    kind: DocumentsCollector["kind"],
    offsetMs: number,
    rows: FetchRows<DocumentRow>
  ): Collector => ({
    _tag: "documents",
    source,
    name,
    kind,
    everyMs: fiveMinutesMs,
    offsetMs,
    fetch: Effect.map(rows, (documents) => ({ documents, faults: [] }))
  })
  const fundingRows = Effect.map(
    funding,
    (all) =>
      all.map(({ coin, ...one }) =>
        venueFundingDocument.encodeRow(metadataOf({ coin, time: one.time }), { venue: source, ...one })
      )
  )
  const openInterestRows = Effect.map(
    openInterest,
    (all) =>
      all.map(({ coin, ...one }) =>
        venueOpenInterestDocument.encodeRow(metadataOf({ coin, time: one.time }), { venue: source, ...one })
      )
  )
  // A coin with a perpetual but without dated futures is stored with an empty list.
  const datedFutureRows = Effect.gen(function*() {
    const all = yield* futures
    const time = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return (yield* coins).map((coin) =>
      futuresDocument.encodeRow(
        metadataOf({ coin, time }),
        all.filter((future) => future.coin === coin).map(({ coin: _, ...future }) => future)
      )
    )
  })
  return [
    makeCollector("venueFunding", venueFundingDocument.kind, 6_000, fundingRows),
    makeCollector("venueOpenInterest", venueOpenInterestDocument.kind, 8_000, openInterestRows),
    makeCollector("futures", futuresDocument.kind, 10_000, datedFutureRows)
  ]
}
