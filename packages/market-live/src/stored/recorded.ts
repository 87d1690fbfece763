import { reading, type Recorded, type RecordedRead, type SourceUnavailable } from "@tapeline/core/market"
import type { EventsKind, MarketStore, PointsKind, SeriesRecord } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import { asked, both, readingOf, storeName } from "./asking.ts"
import { storedCoins } from "./facts.ts"

/** A kind of series of a port, by coin. */
interface RecordedKind {
  readonly kind: PointsKind | EventsKind
  /** Whether a result for an instant uses data of that same instant, which may still arrive at the watermark. */
  readonly upToItself?: boolean
}

/** Combines several series of one coin: the lowest watermark, and a revision that contains all of theirs. */
const joined = (
  records: ReadonlyArray<readonly [kind: RecordedKind, record: SeriesRecord | undefined]>,
  now: number,
  delistedAt: number | null
): Recorded => {
  const marks = records.flatMap(([{ upToItself }, record]) =>
    record === undefined ? [] : [{ mark: record.contiguousUntil, known: record.contiguousUntil - (upToItself ? 1 : 0) }]
  )
  const ended = delistedAt !== null && marks.every(({ mark }) => mark >= delistedAt)
  return {
    // No more data is expected for a delisted coin.
    contiguousUntil: ended ? now : Math.max(0, Math.min(now, ...marks.map(({ known }) => known))),
    revision: records.map(([, record]) => record?.revision ?? "none").join(" ")
  }
}

/** `recorded` of a port whose results use several kinds of series by coin. */
export const recordedOf =
  (store: MarketStore["Service"], kinds: ReadonlyArray<RecordedKind>): RecordedRead => (coins) =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      if (coins.length === 0) return reading(new Map<string, Recorded>(), storeName, now)
      const [facts, records] = yield* both(
        storedCoins(store, coins),
        Effect.forEach(kinds, ({ kind }) => asked(store.recorded({ kind, subjects: coins })), {
          concurrency: "unbounded"
        })
      )
      const found = new Map<string, Recorded>()
      for (const coin of coins) {
        const own = kinds.map((kind, i) => [kind, records[i]?.get(coin)] as const)
        if (own.every(([, record]) => record === undefined)) continue
        found.set(coin, joined(own, now, facts.get(coin)?.delistedAt ?? null))
      }
      const sources = records.flatMap((all) => Array.from(all.values(), (record) => record.sources).flat())
      return readingOf(found, sources, now)
    }) satisfies Effect.Effect<unknown, SourceUnavailable>
