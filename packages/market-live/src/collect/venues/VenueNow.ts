import { type DatedFuture, minuteMs, type SourceUnavailable, type VenueFunding } from "@tapeline/core/market"
import type { DocumentRow } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { futuresDocument, venueFundingDocument, venueKey, venueOpenInterestDocument } from "../../stored/documents.ts"
import type { Collector, DocumentsCollector } from "../collector.ts"

type Ask<A> = Effect.Effect<ReadonlyArray<A>, SourceUnavailable>

interface OfCoin {
  readonly coin: string
  readonly time: number
}

/** The present data of a venue's perpetuals and dated futures, for the collected coins. */
export interface VenueNow {
  readonly source: string
  /** The coins that have a perpetual on the venue. */
  readonly coins: Ask<string>
  readonly funding: Ask<OfCoin & Omit<VenueFunding, "venue">>
  readonly openInterest: Ask<OfCoin & { readonly openInterest: number; readonly openInterestUsd: number }>
  readonly futures: Ask<DatedFuture & { readonly coin: string }>
}

const fiveMs = 5 * minuteMs

/** The collectors of a venue's present derivatives data, each stored under `venue:COIN`. */
export const venueNowCollectors = (
  { coins, funding, futures, openInterest, source }: VenueNow
): ReadonlyArray<Collector> => {
  const about = ({ coin, time }: OfCoin) => ({ key: venueKey(source, coin), time, source })
  const every = (
    name: string,
    kind: DocumentsCollector["kind"],
    offsetMs: number,
    rows: Ask<DocumentRow>
  ): Collector => ({
    _tag: "documents",
    source,
    name,
    kind,
    everyMs: fiveMs,
    offsetMs,
    ask: Effect.map(rows, (documents) => ({ documents, faults: [] }))
  })
  const fundings = Effect.map(
    funding,
    (all) =>
      all.map(({ coin, ...one }) =>
        venueFundingDocument.rowOf(about({ coin, time: one.time }), { venue: source, ...one })
      )
  )
  const interests = Effect.map(
    openInterest,
    (all) =>
      all.map(({ coin, ...one }) =>
        venueOpenInterestDocument.rowOf(about({ coin, time: one.time }), { venue: source, ...one })
      )
  )
  // A coin with a perpetual and no dated future is stored with an empty list.
  const dated = Effect.gen(function*() {
    const all = yield* futures
    const time = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return (yield* coins).map((coin) =>
      futuresDocument.rowOf(
        about({ coin, time }),
        all.filter((future) => future.coin === coin).map(({ coin: _, ...future }) => future)
      )
    )
  })
  return [
    every("venueFunding", venueFundingDocument.kind, 6_000, fundings),
    every("venueOpenInterest", venueOpenInterestDocument.kind, 8_000, interests),
    every("futures", futuresDocument.kind, 10_000, dated)
  ]
}
