import { type SourceUnavailable, type Watermark, type WatermarkRead } from "@tapeline/core/market"
import type { EventsKind, MarketStore, PointsKind, SeriesRecord } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { readCoins } from "./coins.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

/** A kind of series from which a port computes results by coin. */
interface RecordedKind {
  readonly kind: PointsKind | EventsKind
  /**
   * Whether a result for a time uses data of exactly that time. Data with exactly the watermark's time may still
   * arrive.
   */
  readonly usesSameInstant?: boolean
}

/**
 * Combines the records of several series of one coin. The combined record has the lowest watermark and the revisions of
 * all series.
 */
const mergeRecords = (
  records: ReadonlyArray<readonly [kind: RecordedKind, record: SeriesRecord | undefined]>,
  now: number,
  delistedAt: number | null
): Watermark => {
  const watermarks = records.flatMap(([{ usesSameInstant }, record]) =>
    record === undefined
      ? []
      : [{ mark: record.contiguousUntil, known: record.contiguousUntil - (usesSameInstant ? 1 : 0) }]
  )
  const ended = delistedAt !== null && watermarks.every(({ mark }) => mark >= delistedAt)
  return {
    // No more data is expected for a delisted coin.
    contiguousUntil: ended ? now : Math.max(0, Math.min(now, ...watermarks.map(({ known }) => known))),
    revision: records.map(([, record]) => record?.revision ?? "none").join(" ")
  }
}

/** Returns the `watermarks` function of a port whose results combine several kinds of series. */
export const makeRecordedRead =
  (store: MarketStore["Service"], kinds: ReadonlyArray<RecordedKind>): WatermarkRead => (coins) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (coins.length === 0) return makeStoredReading(new Map<string, Watermark>(), [], now)
      const [facts, records] = yield* inParallel(
        readCoins(store, coins),
        Effect.forEach(kinds, ({ kind }) => withReadErrors(store.records({ kind, subjects: coins })), {
          concurrency: "unbounded"
        })
      )
      const found = new Map<string, Watermark>()
      for (const coin of coins) {
        const own = kinds.map((kind, i) => [kind, records[i]?.get(coin)] as const)
        if (own.every(([, record]) => record === undefined)) continue
        found.set(coin, mergeRecords(own, now, facts.get(coin)?.delistedAt ?? null))
      }
      const sources = records.flatMap((all) => Array.from(all.values(), (record) => record.sources).flat())
      return makeStoredReading(found, sources, now)
    }) satisfies Effect.Effect<unknown, SourceUnavailable>
