import { Clock, Effect, Semaphore } from "effect"
import { SourceUnavailable } from "../../../market/errors.ts"
import type { Reading } from "../../../market/reading.ts"
import type { RowLayout, SeriesRows } from "./dayRows.ts"
import { type ComputedAt, isStillRecent } from "./RecentRowCache.ts"
import { type DayCaches, SeriesCache } from "./SeriesCache.ts"
import type { SeriesRecord } from "./seriesRecords.ts"
import { makeSingleFlight } from "./singleFlight.ts"

const maxAttempts = 4
/** The time in ms after the start of a read after which the read is not attempted again. */
const maxAttemptMs = 3_000

export const canAttempt = (attempts: number, elapsedMs: number): boolean =>
  attempts === 0 || (attempts < maxAttempts && elapsedMs < maxAttemptMs)

/** Creates the error of a read whose data changed during each attempt. */
export const makeChangesTooFastError = (series: string, { sources }: SeriesRecord) =>
  new SourceUnavailable({
    source: sources[0] ?? "market",
    failure: "filling",
    reason: `the record of ${series} is being backfilled faster than it can be read`,
    retryable: true
  })

export interface DerivedSeriesSource<E, R extends SeriesRecord> {
  readonly layout: RowLayout
  readonly record: (series: string) => Effect.Effect<R, E>
  /**
   * Computes the rows at the times in `(from, to]`. The values of a row must not depend on the interval `(from, to]`.
   */
  readonly compute: (series: string, from: number, to: number, at: R) => Effect.Effect<Float64Array, E>
}

export interface SourcedRows extends SeriesRows {
  readonly sources: ReadonlyArray<string>
}

/**
 * Creates a reader of a derived series. The reader caches values up to the watermark by UTC day and revision.
 *
 * Values of different revisions are never mixed. If the revision changes during each attempt, the read fails. Only one
 * query at a time computes rows of a series. Equal concurrent queries share one computation.
 *
 * @returns a function that reads the rows at the times in `(from, to]`, both multiples of `stepMs`. `known` is the
 * record, if the caller has just read it.
 */
export const makeCachedReader = <E, R extends SeriesRecord = SeriesRecord>(
  { compute, layout, record }: DerivedSeriesSource<E, R>,
  dayCaches: DayCaches
) => {
  const runOnce = makeSingleFlight<SeriesRows | R, E>()
  const cache = new SeriesCache(layout, dayCaches)
  const semaphores = new Map<string, Semaphore.Semaphore>()
  const getSemaphore = (series: string): Semaphore.Semaphore => {
    const semaphore = semaphores.get(series) ?? Semaphore.makeUnsafe(1)
    semaphores.set(series, semaphore)
    return semaphore
  }

  /** Returns the requested rows, or the new `SeriesRecord` if the raw data changed during the computation. */
  const collectRows = Effect.fnUntraced(function*(series: string, from: number, to: number, seriesRecord: R) {
    const startedAt = yield* Clock.currentTimeMillis
    // Another query may have computed the requested rows while this query waited for the semaphore.
    const collector = cache.collectFromMemory(series, from, to, seriesRecord, startedAt)
    yield* cache.collectFromStore(series, collector, seriesRecord, startedAt)
    if (collector.missingFrom === undefined) return collector.rows
    const missing = { from: cache.getComputeStart(collector.missingFrom), to: collector.missingTo }
    const computed: SeriesRows = { ...missing, values: yield* compute(series, missing.from, missing.to, seriesRecord) }
    const newRecord = yield* record(series)
    if (newRecord.revision !== seriesRecord.revision) return newRecord
    cache.store(series, computed, seriesRecord, startedAt)
    collector.addComputedRows(computed)
    return collector.rows
  })

  return Effect.fnUntraced(function*(
    series: string,
    from: number,
    to: number,
    known?: R
  ): Effect.fn.Return<SourcedRows, E | SourceUnavailable> {
    const startedAt = yield* Clock.currentTimeMillis
    let seriesRecord = known ?? (yield* record(series))
    for (
      let attempts = 0, now = startedAt;
      canAttempt(attempts, now - startedAt);
      attempts++, now = yield* Clock.currentTimeMillis
    ) {
      const collector = cache.collectFromMemory(series, from, to, seriesRecord, now)
      if (collector.missingFrom === undefined) return { ...collector.rows, sources: seriesRecord.sources }
      const found = yield* runOnce(
        JSON.stringify([series, seriesRecord.revision, from, to]),
        getSemaphore(series).withPermit(collectRows(series, from, to, seriesRecord))
      )
      if ("values" in found) return { ...found, sources: seriesRecord.sources }
      seriesRecord = found
    }
    return yield* makeChangesTooFastError(series, seriesRecord)
  })
}

interface NewestReading<A> extends ComputedAt {
  readonly hour: number
  readonly reading: Reading<A>
}

/**
 * Caches the newest reading of each listed coin. A reading at or before the watermark is cached until the revision of
 * the raw data changes. A reading after the watermark is cached for some seconds.
 *
 * @returns a function that returns the reading of a coin at an hour. Concurrent callers share one computation.
 */
export const makeNewestReadingCache = <A, E>() => {
  const newestByCoin = new Map<string, NewestReading<A>>()
  const runOnce = makeSingleFlight<Reading<A> | SeriesRecord, E>()

  const getCached = (coin: string, hour: number, seriesRecord: SeriesRecord, now: number): Reading<A> | undefined => {
    const known = newestByCoin.get(coin)
    if (known?.hour !== hour || known.record.revision !== seriesRecord.revision) return undefined
    const isBelowWatermark = hour <= known.record.until
    return isBelowWatermark || (hour > seriesRecord.until && isStillRecent(known, seriesRecord, now))
      ? known.reading
      : undefined
  }

  return Effect.fnUntraced(function*(
    coin: string,
    hour: number,
    record: Effect.Effect<SeriesRecord, E>,
    compute: Effect.Effect<Reading<A>, E>
  ): Effect.fn.Return<Reading<A>, E | SourceUnavailable> {
    const startedAt = yield* Clock.currentTimeMillis
    let seriesRecord = yield* record
    /** Returns the reading. If the raw data changed during the computation, returns the new `SeriesRecord` instead. */
    const computeReading = Effect.fnUntraced(function*(at: SeriesRecord) {
      const time = yield* Clock.currentTimeMillis
      const reading = yield* compute
      const newRecord = yield* record
      if (newRecord.revision !== at.revision) return newRecord
      newestByCoin.set(coin, { hour, record: at, time, reading })
      return reading
    })
    for (
      let attempts = 0, now = startedAt;
      canAttempt(attempts, now - startedAt);
      attempts++, now = yield* Clock.currentTimeMillis
    ) {
      const known = getCached(coin, hour, seriesRecord, now)
      if (known !== undefined) return known
      const found = yield* runOnce(`${coin} ${hour} ${seriesRecord.revision}`, computeReading(seriesRecord))
      if ("value" in found) return found
      seriesRecord = found
    }
    return yield* makeChangesTooFastError(coin, seriesRecord)
  })
}
