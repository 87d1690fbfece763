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
 * The result of a request to lead a source. Either the caller leads, or another holder does, for at most `remainingMs`
 * unless it renews its lease.
 */
export type LeadershipResult =
  | { readonly _tag: "Leads"; readonly fence: Fence }
  | { readonly _tag: "Follows"; readonly holder: string; readonly remainingMs: number }

type WriteEffect = Effect.Effect<WriteResult, Superseded | MarketStoreRefusal | StoreUnavailable>
type ReadEffect<A> = Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>

/**
 * Stores the service's own raw series. Collectors write them, and the stored ports of market data read them. Kinds are
 * data (`pointsKinds`, `eventsKinds`, `documentsKinds`); the store does not know their meaning.
 *
 * Writing:
 * - A write is one transaction over many subjects of one kind. It is applied completely or not at all. A repeated write
 *   changes nothing, also if another process wrote it or its response was lost.
 * - A row replaces the row of the same subject and time, including its source, so that late corrections are ordinary
 *   writes. Events replace by id, and documents by key. A document does not replace a newer one, unless the newer one
 *   is after the writer's `now`.
 * - Each write needs the fence of a source's lease, and fails with `Superseded` once another holder leads the source.
 *   Leases use the store's own clock, not Effect's. The times of rows are the caller's and are not compared with a
 *   clock.
 * - An invalid write is rejected as a whole, with what to change (`MarketStoreRefusal`). A write is invalid if it
 *   contains a number that is not finite, times out of order or outside the kind's years, a duplicate subject, or text
 *   that cannot be stored. It is also invalid if it exceeds `marketStoreLimits`.
 *
 * What is recorded:
 * - For each subject of points and events, the store keeps which intervals are covered (completely recorded) and which
 *   are lost (cannot be filled). Writes add both. A lost interval that is covered later is no longer lost.
 * - `since` is the start of recording: the start of the first interval that was ever covered or lost. It moves back if
 *   an adjoining earlier interval is added. Data before `since` is not awaited, even if parts of it are recorded.
 * - The watermark (`contiguousUntil`) is the end of the contiguous covered or lost intervals from `since` on. It never
 *   moves back. Data beyond it is awaited, and `gaps` returns the missing intervals.
 * - A revision identifies the content below the watermark: rows of earlier times, and which intervals there are covered
 *   or lost. A write that changes this content, and a `prune`, create a revision that no store ever used before. So a
 *   restored database never uses one revision for two contents. A write at or after the watermark, or one that changes
 *   nothing, keeps the revision.
 * - Rows, intervals, watermark and revision change together.
 *
 * Reading:
 * - Each read is one statement: one consistent reading of rows, records and gaps. Reads are not cut at the present.
 *   Subjects without a record are missing. Intervals are half-open.
 * - A read whose result would exceed `marketStoreLimits` is rejected and never truncated silently.
 */
export class MarketStore extends Context.Service<MarketStore, {
  /**
   * Acquires or renews the lease of a source's leader, for `ttlMs` from now. Succeeds if the source has no leader, if
   * the leader's lease has expired, or if the caller is the leader and so keeps its epoch. Any other holder gets a
   * higher epoch than all before. A lease with more time left than the maximum was given by a clock that was set back
   * since, and counts as expired.
   */
  readonly acquireLeadership: (
    query: { readonly source: string; readonly holder: string; readonly ttlMs: number }
  ) => Effect.Effect<LeadershipResult, MarketStoreRefusal | StoreUnavailable>

  /**
   * Gives up the lease, so that another holder can acquire it immediately. Does nothing if the fence no longer holds
   * it.
   */
  readonly resignLeadership: (fence: Fence) => Effect.Effect<void, StoreUnavailable>

  /** Writes points, and the covered and lost intervals of their subjects. */
  readonly writePoints: <Column extends string>(write: PointsWrite<Column>) => WriteEffect

  /**
   * Writes events, and the covered and lost intervals of subjects. A changed, moved or removed event changes the
   * revision of all its old and new subjects.
   */
  readonly writeEvents: <Column extends string>(write: EventsWrite<Column>) => WriteEffect

  /** Writes documents. The newest document of each key is kept. */
  readonly writeDocuments: (write: DocumentsWrite) => WriteEffect

  /** Returns points in an interval, by subject. */
  readonly points: <Column extends string>(
    query: PointsQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, PointsRead<Column>>>

  /** Returns points folded by steps, by subject. Sums are added in order, so that they are exact to the last digit. */
  readonly foldedPoints: <Column extends string>(
    query: FoldedQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, FoldedRead<Column>>>

  /** Returns the newest point at or before a time, by subject. */
  readonly latest: <Column extends string>(
    query: LatestQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, LatestRead<Column>>>

  /** Returns events of one subject or of all, with tallies. */
  readonly events: <Column extends string>(query: EventsQuery<Column>) => ReadEffect<EventsRead<Column>>

  /** Returns tallies of many subjects, by subject. */
  readonly tallies: <Column extends string>(
    query: TalliesQuery<Column>
  ) => ReadEffect<ReadonlyMap<string, TalliesRead<Column>>>

  /** Returns documents by key. */
  readonly documents: (query: DocumentsQuery) => ReadEffect<ReadonlyMap<string, DocumentRow>>

  /** Returns what is recorded, by subject. Cheap compared to the series. */
  readonly records: (
    query: SubjectsFilter & { readonly kind: PointsKind | EventsKind }
  ) => ReadEffect<ReadonlyMap<string, SeriesRecord>>

  /**
   * Returns the gaps of an interval for each named subject. For a subject without a record, the whole interval is
   * missing.
   */
  readonly gaps: (query: GapsQuery) => ReadEffect<ReadonlyMap<string, SeriesGaps>>

  /**
   * Deletes data older than `before`, as far as it can be dropped as a whole. Points and events are deleted up to the
   * start of the span (`Span`, UTC) that contains `before`. Documents are deleted if they are older than `before`.
   * Deleted data is neither recorded, nor lost, nor awaited. Returns the time from which data is kept.
   */
  readonly prune: (
    query: { readonly kind: PointsKind | EventsKind | DocumentsKind; readonly before: number }
  ) => ReadEffect<{ readonly keptFrom: number }>
}>()("@tapeline/core/market/store/MarketStore") {}
