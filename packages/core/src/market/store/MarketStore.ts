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
 * The result of a request to lead a source. `Follows` means that another holder leads the source, for at most
 * `remainingMs` unless the holder renews its lease.
 */
export type LeadershipResult =
  | { readonly _tag: "Leads"; readonly fence: Fence }
  | { readonly _tag: "Follows"; readonly holder: string; readonly remainingMs: number }

type WriteEffect = Effect.Effect<WriteResult, Superseded | MarketStoreRefusal | StoreUnavailable>
type ReadEffect<A> = Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>

/**
 * Stores the service's own raw series, which collectors write and the stored ports of market data read. The store does
 * not know the meaning of the kinds of data (`pointsKinds`, `eventsKinds`, `documentsKinds`).
 *
 * Writing:
 * - A write is one transaction over many subjects of one kind, and is applied completely or not at all. A repeated
 *   write changes nothing, even if another process wrote the data.
 * - A row replaces the row of an equal subject and time, including its source, so that late corrections are ordinary
 *   writes. An event replaces the event with an equal id, and a document the document with an equal key. A document
 *   does not replace a newer document, unless the newer document is after the writer's `now`.
 * - Each write needs the fence of a source's lease, and fails with `Superseded` once another holder leads the source.
 *   Leases use the store's own clock, not Effect's. The times of rows are not compared with a clock.
 * - An invalid write is rejected completely with `MarketStoreRefusal`, which states what to change. Numbers must be
 *   finite, and times must be in order and within the kind's years. Subjects must be distinct, texts storable, and
 *   sizes within `marketStoreLimits`.
 *
 * Coverage:
 * - For each subject of points and events, the store keeps which intervals are covered (completely recorded) and which
 *   intervals are lost (cannot be filled). A lost interval that is covered later is no longer lost.
 * - `since` is the start of recording: the start of the first interval that was ever covered or lost. `since` moves
 *   back if an adjoining earlier interval is added. Data before `since` is not expected, even if parts of it are
 *   recorded.
 * - The watermark (`contiguousUntil`) is the end of the contiguous covered or lost intervals from `since` on. The
 *   watermark never moves back. Data after the watermark is expected, and `gaps` returns the missing intervals.
 * - A revision identifies the content below the watermark: the rows of earlier times, and the covered or lost
 *   intervals. A write that changes the content below the watermark, and a `prune`, create a revision that no store
 *   ever used before, so a restored database never uses one revision for two contents. All other writes keep the
 *   revision.
 * - Rows, intervals, watermark and revision change together.
 *
 * Reading:
 * - Each read is one statement: one consistent reading of rows, records and gaps. A read also returns data whose time
 *   is after the present. Subjects without a record are missing. Intervals are half-open.
 * - A read whose result would exceed `marketStoreLimits` is rejected and never truncated silently.
 */
export class MarketStore extends Context.Service<MarketStore, {
  /**
   * Acquires or renews the lease of a source's leader, for `ttlMs` from now. Succeeds if the source has no leader, if
   * the leader's lease has expired, or if the caller is the leader. The current leader keeps its epoch; another holder
   * gets a higher epoch than all before. A lease with more time left than the maximum comes from a clock that was later
   * set back, and counts as expired.
   */
  readonly acquireLeadership: (
    query: { readonly source: string; readonly holder: string; readonly ttlMs: number }
  ) => Effect.Effect<LeadershipResult, MarketStoreRefusal | StoreUnavailable>

  /** Gives up a lease that is still held, so that another holder can acquire the lease immediately. */
  readonly resignLeadership: (fence: Fence) => Effect.Effect<void, StoreUnavailable>

  /** Writes points, and the covered and lost intervals of their subjects. */
  readonly writePoints: <Column extends string>(write: PointsWrite<Column>) => WriteEffect

  /**
   * Writes events, and the covered and lost intervals of subjects. A changed, moved or removed event changes the
   * revision of all its old and new subjects.
   */
  readonly writeEvents: <Column extends string>(write: EventsWrite<Column>) => WriteEffect

  /** Writes documents, of which the store keeps the newest document of each key. */
  readonly writeDocuments: (write: DocumentsWrite) => WriteEffect

  /** Returns the points in an interval, by subject. */
  readonly points: <Column extends string>(
    query: PointsQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, PointsRead<Column>>>

  /** Returns points aggregated by steps, by subject, with sums that are exact because values are added in order. */
  readonly foldedPoints: <Column extends string>(
    query: FoldedQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, FoldedRead<Column>>>

  /** Returns the newest point at or before a time, by subject. */
  readonly latest: <Column extends string>(
    query: LatestQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, LatestRead<Column>>>

  /** Returns the events of one subject or of all subjects, with tallies. */
  readonly events: <Column extends string>(query: EventsQuery<Column>) => ReadEffect<EventsRead<Column>>

  readonly tallies: <Column extends string>(
    query: TalliesQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, TalliesRead<Column>>>

  readonly documents: (query: DocumentsQuery) => ReadEffect<ReadonlyMap<string, DocumentRow>>

  /** Returns the record of each series, by subject, which is cheap compared to reading series. */
  readonly records: (
    query: SubjectsFilter & { readonly kind: PointsKind | EventsKind }
  ) => ReadEffect<ReadonlyMap<string, SeriesRecord>>

  /** Returns the gaps of an interval for each named subject: the whole interval for a subject without a record. */
  readonly gaps: (query: GapsQuery) => ReadEffect<ReadonlyMap<string, SeriesGaps>>

  /**
   * Deletes data older than `before`. Points and events are deleted in whole storage periods (`StoragePeriod`, UTC):
   * the period that contains `before` is kept completely. Deleted data counts neither as recorded, nor as lost, nor as
   * expected. Returns the time from which data is kept.
   */
  readonly prune: (
    query: { readonly kind: PointsKind | EventsKind | DocumentsKind; readonly before: number }
  ) => ReadEffect<{ readonly keptFrom: number }>
}>()("@tapeline/core/market/store/MarketStore") {}
