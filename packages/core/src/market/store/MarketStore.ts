import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { SeriesGaps } from "./coverage.ts"
import type { MarketStoreRefusal, Superseded } from "./errors.ts"
import type { DocumentsKind, EventsKind, PointsKind } from "./kinds.ts"
import type {
  DocumentsQuery,
  EventsQuery,
  EventsRead,
  FoldedQuery,
  FoldedRead,
  GapsQuery,
  LatestQuery,
  LatestRead,
  PointsQuery,
  PointsRead,
  SeriesRecord,
  SubjectsFilter,
  TalliesQuery,
  TalliesRead
} from "./reads.ts"
import type { DocumentRow, DocumentsWrite, EventsWrite, Fence, PointsWrite, WriteResult } from "./writes.ts"

/**
 * The result of a request to lead a source. `Follows` means that another holder leads the source. The lease of this
 * holder ends after `remainingMs` unless the holder renews it.
 */
export type LeadershipResult =
  | { readonly _tag: "Leads"; readonly fence: Fence }
  | { readonly _tag: "Follows"; readonly holder: string; readonly remainingMs: number }

type WriteEffect = Effect.Effect<WriteResult, Superseded | MarketStoreRefusal | StoreUnavailable>
type ReadEffect<A> = Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>

/**
 * Stores the raw series that the service records. Collectors write the series, and ports of stored market data read
 * them. The constants `pointsKinds`, `eventsKinds` and `documentsKinds` define the kinds.
 *
 * Writing:
 * - A write covers many subjects of one kind in one transaction. The write is applied completely or not at all. A write
 *   that repeats stored data changes nothing, even if another process stored the data.
 * - A row replaces the stored row of the same subject and time, including its source. An event replaces the stored
 *   event with the same id, and a document replaces the stored document with the same key. A document that is older
 *   than the stored document is skipped, unless the stored document's time is after the writer's `now`.
 * - Each write contains a `Fence`, which proves that the writer leads the source. The write fails with `Superseded` if
 *   another holder leads the source now. Leases use the store's own clock, not Effect's. The store does not compare the
 *   times of rows with a clock.
 * - An invalid write is rejected completely with `MarketStoreRefusal`. `MarketStoreRefusal` states what the writer must
 *   change. Numbers must be finite, and times must be in order and within the kind's years. Subjects must be distinct,
 *   texts must be storable, and sizes must be within `marketStoreLimits`.
 *
 * Coverage:
 * - For each series of points or events, the store keeps two lists of intervals: covered and lost. A covered interval
 *   is completely recorded, and a lost interval can no longer be filled. A lost interval that is covered later is no
 *   longer lost.
 * - `since` is the start of the first interval that was ever marked as covered or lost. If an interval directly before
 *   `since` is covered or lost later, `since` moves to the start of that interval. Times before `since` never count as
 *   missing.
 * - The watermark (`contiguousUntil`) is the first time after `since` that is neither covered nor lost. The watermark
 *   never moves back. `gaps` returns all times after the watermark that are not covered.
 * - A revision identifies the content before the watermark. The content includes the covered and lost intervals. If a
 *   write or a `prune` changes the content before the watermark, the store creates a new revision. No revision is ever
 *   reused, even after a database is restored. All other writes keep the revision of the content.
 * - The rows, intervals, watermark and revision of a subject change together in one transaction.
 *
 * Reading:
 * - Each read is one statement, so its rows, records and gaps are consistent. A read also returns data whose time is
 *   after the present. The result of a read omits subjects without a record. Intervals are half-open.
 * - A read whose result would exceed `marketStoreLimits` is rejected and never truncated silently.
 */
export class MarketStore extends Context.Service<MarketStore, {
  /**
   * Acquires or renews the lease of a source's leader, for `ttlMs` from now. Succeeds if the source has no leader, if
   * the leader's lease has expired, or if the caller is the leader. A renewed lease keeps its epoch. A new leader gets
   * a higher epoch than all earlier leaders. If a lease ends later than the maximum lease time from now, the clock was
   * set back, and the lease counts as expired.
   */
  readonly acquireLeadership: (
    query: { readonly source: string; readonly holder: string; readonly ttlMs: number }
  ) => Effect.Effect<LeadershipResult, MarketStoreRefusal | StoreUnavailable>

  /** Gives up a lease that is still held, so that another holder can acquire the lease immediately. */
  readonly resignLeadership: (fence: Fence) => Effect.Effect<void, StoreUnavailable>

  /** Writes points, and marks intervals of their series as covered or lost. */
  readonly writePoints: <Column extends string>(write: PointsWrite<Column>) => WriteEffect

  /**
   * Writes events, and marks intervals of subjects as covered or lost. If an event is changed, moved or removed, the
   * revisions of its old and its new subjects change.
   */
  readonly writeEvents: <Column extends string>(write: EventsWrite<Column>) => WriteEffect

  /** Writes documents. The store keeps only the newest document of each key. */
  readonly writeDocuments: (write: DocumentsWrite) => WriteEffect

  /** Returns each subject's points in an interval. */
  readonly points: <Column extends string>(
    query: PointsQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, PointsRead<Column>>>

  /**
   * Returns the points of each subject, aggregated by steps. Values are added in a fixed order, so that sums are
   * reproducible.
   */
  readonly foldedPoints: <Column extends string>(
    query: FoldedQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, FoldedRead<Column>>>

  /** Returns each subject's newest point at or before a time. */
  readonly latest: <Column extends string>(
    query: LatestQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, LatestRead<Column>>>

  /** Returns the events of one subject or of all subjects, with their counts and sums (`tallies`). */
  readonly events: <Column extends string>(query: EventsQuery<Column>) => ReadEffect<EventsRead<Column>>

  readonly tallies: <Column extends string>(
    query: TalliesQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, TalliesRead<Column>>>

  readonly documents: (query: DocumentsQuery) => ReadEffect<ReadonlyMap<string, DocumentRow>>

  /** Returns the `SeriesRecord` of each series, by subject. A read of records is much cheaper than a read of rows. */
  readonly records: (
    query: SubjectsFilter & { readonly kind: PointsKind | EventsKind }
  ) => ReadEffect<ReadonlyMap<string, SeriesRecord>>

  /**
   * Returns the gaps of each named subject in an interval. If a subject has no record, the whole interval is its gap.
   */
  readonly gaps: (query: GapsQuery) => ReadEffect<ReadonlyMap<string, SeriesGaps>>

  /**
   * Deletes data that is older than `before`. Points and events are deleted by whole UTC months or years
   * (`StoragePeriod`). The month or year that contains `before` is kept completely. Deleted data counts neither as
   * recorded nor as missing. Returns the earliest time whose data is kept.
   */
  readonly prune: (
    query: { readonly kind: PointsKind | EventsKind | DocumentsKind; readonly before: number }
  ) => ReadEffect<{ readonly keptFrom: number }>
}>()("@tapeline/core/market/store/MarketStore") {}
