import type { Interval } from "../series.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** The permission to write data of a source. `acquireLeadership` returns the fence together with the lease. */
export interface Fence {
  readonly source: string
  readonly epoch: number
}

/** Intervals to mark as covered or lost: half-open, in epoch ms, in any order. */
export interface CoverageUpdate {
  /** The intervals in which all data is recorded once the write succeeds. A covered interval may end in the future. */
  readonly covers?: ReadonlyArray<Interval>
  /**
   * The intervals that can no longer be filled. If a part of a lost interval is already covered, the part stays
   * covered.
   */
  readonly lost?: ReadonlyArray<Interval>
}

/** A point to write. */
export type PointRow<Column extends string> = Values<Column> & { readonly time: number }

export interface SeriesWrite<Column extends string> extends CoverageUpdate {
  /**
   * The subject of the rows: 1 to 64 printable ASCII characters. The kind of the data determines the form of the
   * subject. Use only subjects from a fixed list. Names from untrusted texts would exhaust the limit on the number of
   * subjects per kind.
   */
  readonly subject: string
  /** The name of the source of the rows, as tool results show it. Several source names are joined by `+`. */
  readonly source: string
  /** The rows to write, in strictly ascending order of time. */
  readonly rows: ReadonlyArray<PointRow<Column>>
}

export interface PointsWrite<Column extends string = string> {
  readonly kind: PointsKind<Column>
  readonly fence: Fence
  /** The series to write. Each subject occurs at most once. */
  readonly series: ReadonlyArray<SeriesWrite<Column>>
}

/** An event, identified by its id. */
export type EventRow<Column extends string> = Values<Column> & {
  /** The event's id of 1 to 256 characters, such as `bybit:1732250000000:...`. The source assigns the id. */
  readonly id: string
  readonly time: number
  /** The subjects of the event, at most 50, without duplicates; empty if the event has no subject. */
  readonly subjects: ReadonlyArray<string>
  readonly source: string
  /** The label of the event: at most 256 characters. */
  readonly label: string | null
  /** A text of at most 1 MiB without NUL or lone surrogates. */
  readonly document: string | null
}

export interface EventsWrite<Column extends string = string> {
  readonly kind: EventsKind<Column>
  readonly fence: Fence
  /**
   * The events to write, each id once. A written event replaces the stored event with the same id, even if its time or
   * subject differs.
   */
  readonly events: ReadonlyArray<EventRow<Column>>
  /** The ids of events to delete, such as posts that their authors deleted. */
  readonly removed?: ReadonlyArray<string>
  /**
   * The prefixes of the ids of events to delete, such as all posts of a deleted account. Each prefix ends with `/`.
   * Events in the same write's `events` are not deleted.
   */
  readonly removedUnder?: ReadonlyArray<string>
  /** The intervals to mark as covered or lost. Each subject occurs at most once. */
  readonly covering?: ReadonlyArray<CoverageUpdate & { readonly subject: string }>
}

export interface DocumentRow {
  /** The document's key: 1 to 128 characters. */
  readonly key: string
  readonly time: number
  readonly source: string
  /** A text of at most 1 MiB without NUL or lone surrogates. */
  readonly document: string
}

export interface DocumentsWrite {
  readonly kind: DocumentsKind
  readonly fence: Fence
  /** The documents to write, each key once. A document that is older than the stored document is skipped. */
  readonly documents: ReadonlyArray<DocumentRow>
  readonly removed?: ReadonlyArray<string>
  /**
   * The writer's present time. A stored document with a later time is replaced, because the later time must come from a
   * wrong clock.
   */
  readonly now?: number
}

/** The result of a write to the market store. */
export interface WriteResult {
  /** The number of changed rows; 0 for a repeated write. An event counts once per subject. */
  readonly changed: number
}
