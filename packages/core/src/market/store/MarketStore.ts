import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
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
  OfSubjects,
  PointsQuery,
  PointsRead,
  SeriesRecord,
  TalliesQuery,
  TalliesRead
} from "./reads.ts"
import type { DocumentRow, DocumentsWrite, EventsWrite, Fence, PointsWrite, Written } from "./writes.ts"

/** Who leads a source after it was asked for: who asked, or another one, for so long at most unless that renews it. */
export type Lead =
  | { readonly _tag: "Leads"; readonly fence: Fence }
  | { readonly _tag: "Follows"; readonly holder: string; readonly leftMs: number }

type Wrote = Effect.Effect<Written, Superseded | MarketStoreRefusal | StoreUnavailable>
type Read<A> = Effect.Effect<A, MarketStoreRefusal | StoreUnavailable>

/**
 * The service's own raw series: what collectors write and the stored ports of market data read. Kinds are data
 * (`pointsKinds`, `eventsKinds`, `documentsKinds`); the store knows no market.
 *
 * Writing:
 * - A write is one transaction, of many subjects of one kind: all of it happens, or nothing. The same write again
 *   changes nothing, also when it was done by another process, or its answer was lost.
 * - A row takes the place of the one of the same subject and time (events: of the same id; documents: of the same key,
 *   unless it is older than one of the writer's past), with its source; so a late correction is written like anything
 *   else.
 * - It is written under the fence of a source's lead, and refused (`Superseded`) once another holder leads it. Leases
 *   are by the store's own clock, which is not Effect's; times of rows are the callers', and no clock is asked of them.
 * - What is mistaken is refused whole, with what to change (`MarketStoreRefusal`): a number that is not finite, times
 *   out of order or outside the kind's years, a subject twice, a text that cannot be kept, or more than a write may
 *   hold (`marketBounds`).
 *
 * What is recorded:
 * - Of each subject of points and events the store keeps which intervals are covered (wholly recorded) and which are
 *   lost (nothing can fill them). Both grow by writes; a lost interval that is covered later is lost no more.
 * - `since` is where recording began: where the first interval that was ever covered or lost begins, and before it as
 *   far as what adjoins it was added since. What lies before it is not awaited, also where parts of it are recorded.
 * - The mark (`contiguousUntil`) is the end of what is covered or lost without a hole from `since` on. It never goes
 *   back. What lies beyond it is awaited, and `gaps` tells where.
 * - A revision names what lies below the mark: rows of an earlier time, and which intervals there are covered or lost.
 *   A write that changes any of it, and a `prune`, give a revision that was never used before, by no other store
 *   either; so a database that was put back tells none twice for two contents. What is written at or after the mark,
 *   or changes nothing, leaves it.
 * - Rows, intervals, mark and revision change together.
 *
 * Reading:
 * - Each read is one statement: one consistent reading of rows, what is recorded of them, and their gaps. Nothing is
 *   cut at the present. Subjects without a record are missing. Intervals are half-open.
 * - A read that would tell more than `marketBounds` allows is refused; it is never cut in silence.
 */
export class MarketStore extends Context.Service<MarketStore, {
  /**
   * Takes the lead of a source, or renews it, for `ttlMs` from now. It goes to who asks where nobody leads, where the
   * holder's time is over, or where it is the holder's own, who then keeps the epoch. Every other holder has a higher
   * epoch than all before. A lease of which more is left than any may last was given by a clock that was put back
   * since: it is over.
   */
  readonly lead: (
    query: { readonly source: string; readonly holder: string; readonly ttlMs: number }
  ) => Effect.Effect<Lead, MarketStoreRefusal | StoreUnavailable>

  /** Gives the lead up, so that another one may have it at once; nothing where it is not held under the fence. */
  readonly resign: (fence: Fence) => Effect.Effect<void, StoreUnavailable>

  /** Writes points, and what is covered or lost of their subjects. */
  readonly writePoints: <Column extends string>(write: PointsWrite<Column>) => Wrote

  /**
   * Writes events, and what is covered or lost of subjects. An event that changes, moves or goes changes what is
   * recorded of all subjects that it was or is about.
   */
  readonly writeEvents: <Column extends string>(write: EventsWrite<Column>) => Wrote

  /** Writes documents, of which the newest is kept by key. */
  readonly writeDocuments: (write: DocumentsWrite) => Wrote

  /** Points in an interval, by subject. */
  readonly points: <Column extends string>(
    query: PointsQuery<Column>
  ) => Read<ReadonlyMap<string, PointsRead<Column>>>

  /** Points made one by steps, by subject: sums are added up in their order, to the last digit. */
  readonly folded: <Column extends string>(
    query: FoldedQuery<Column>
  ) => Read<ReadonlyMap<string, FoldedRead<Column>>>

  /** The newest point at or before an instant, by subject. */
  readonly latest: <Column extends string>(
    query: LatestQuery<Column>
  ) => Read<ReadonlyMap<string, LatestRead<Column>>>

  /** Events of one subject, or of all, with tallies. */
  readonly events: <Column extends string>(query: EventsQuery<Column>) => Read<EventsRead<Column>>

  /** Tallies of many subjects, by subject. */
  readonly tallies: <Column extends string>(
    query: TalliesQuery<Column>
  ) => Read<ReadonlyMap<string, TalliesRead<Column>>>

  /** Documents by key. */
  readonly documents: (query: DocumentsQuery) => Read<ReadonlyMap<string, DocumentRow>>

  /** What is recorded, by subject: cheap beside the series themselves. */
  readonly recorded: (
    query: OfSubjects & { readonly kind: PointsKind | EventsKind }
  ) => Read<ReadonlyMap<string, SeriesRecord>>

  /** What an interval lacks, of every subject that is named: of one without a record the whole is missing. */
  readonly gaps: (query: GapsQuery) => Read<ReadonlyMap<string, SeriesGaps>>

  /**
   * Forgets what is older than an instant, as far as that can be dropped whole: all before the beginning of the span
   * (`Span`, UTC) that holds it, and of documents all that are older. What was forgotten is neither recorded, nor lost,
   * nor awaited. Tells from where on things are kept.
   */
  readonly prune: (
    query: { readonly kind: PointsKind | EventsKind | DocumentsKind; readonly before: number }
  ) => Read<{ readonly keptFrom: number }>
}>()("@tapeline/core/market/store/MarketStore") {}
