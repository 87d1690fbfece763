import type { Interval } from "../series.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** The permission to write: the lease of a source, as `lead` returned it. */
export interface Fence {
  readonly source: string
  readonly epoch: number
}

/** The intervals that a write marks for a subject. Half-open, in epoch ms, in any order. */
export interface CoverageUpdate {
  /** Intervals that are completely recorded with this write's rows and earlier rows. They may end after the present. */
  readonly covers?: ReadonlyArray<Interval>
  /** Intervals that can no longer be filled. An interval that is covered, now or later, is not lost. */
  readonly lost?: ReadonlyArray<Interval>
}

/** A point to write. */
export type PointRow<Column extends string> = Values<Column> & { readonly time: number }

export interface SeriesWrite<Column extends string> extends CoverageUpdate {
  /**
   * 1 to 64 printable ASCII characters, in the kind's form. Use only listed names: the number of subjects per kind is
   * limited, and names from untrusted texts would use it up.
   */
  readonly subject: string
  /** The source of the rows, as results name it. Several names are joined by `+`, in order. */
  readonly source: string
  /** Times ascend strictly. */
  readonly rows: ReadonlyArray<PointRow<Column>>
}

export interface PointsWrite<Column extends string = string> {
  readonly kind: PointsKind<Column>
  readonly fence: Fence
  /** Each subject at most once. */
  readonly series: ReadonlyArray<SeriesWrite<Column>>
}

/** An event, identified by its id. */
export type EventRow<Column extends string> = Values<Column> & {
  /** 1 to 256 characters, made by the source: `bybit:1732250000000:...`. */
  readonly id: string
  readonly time: number
  /** The subjects of the event, each once, at most 50. Empty if it has no subject. */
  readonly subjects: ReadonlyArray<string>
  readonly source: string
  /** At most 256 characters. */
  readonly label: string | null
  /** A text that JSON can represent: no NUL, no lone surrogates; at most 1 MiB. */
  readonly document: string | null
}

export interface EventsWrite<Column extends string = string> {
  readonly kind: EventsKind<Column>
  readonly fence: Fence
  /** Each id once. An existing event is replaced, even if its time or subjects differ. */
  readonly events: ReadonlyArray<EventRow<Column>>
  /** Ids of events to delete, such as posts that their authors deleted. */
  readonly removed?: ReadonlyArray<string>
  /**
   * Prefixes of ids, each ending with `/`. Events with such ids are deleted, such as all posts of a deleted account.
   * Events of this write are kept.
   */
  readonly removedUnder?: ReadonlyArray<string>
  /** Each subject at most once. */
  readonly covering?: ReadonlyArray<CoverageUpdate & { readonly subject: string }>
}

export interface DocumentRow {
  /** 1 to 128 characters. */
  readonly key: string
  readonly time: number
  readonly source: string
  /** A text that JSON can represent; at most 1 MiB. */
  readonly document: string
}

export interface DocumentsWrite {
  readonly kind: DocumentsKind
  readonly fence: Fence
  /** Each key once. A document that is older than the stored document changes nothing. */
  readonly documents: ReadonlyArray<DocumentRow>
  readonly removed?: ReadonlyArray<string>
  /**
   * The writer's present. A stored document with a later time was written by a clock that was ahead, and is always
   * replaced.
   */
  readonly now?: number
}

/** The result of a write. */
export interface WriteResult {
  /**
   * The number of rows that were added, changed or removed; 0 for a repeated write. An event counts once per subject.
   */
  readonly changed: number
}
