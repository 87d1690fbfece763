import type { Interval } from "../series.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** The permission to write: the lease of a source, as `acquireLeadership` returned the lease. */
export interface Fence {
  readonly source: string
  readonly epoch: number
}

/** The intervals that a write marks for a subject: half-open, in epoch ms, in any order. */
export interface CoverageUpdate {
  /** The intervals that are completely recorded with the write, which may end after the present. */
  readonly covers?: ReadonlyArray<Interval>
  /** The intervals that can no longer be filled, except those that are covered, now or later. */
  readonly lost?: ReadonlyArray<Interval>
}

/** A point to write. */
export type PointRow<Column extends string> = Values<Column> & { readonly time: number }

export interface SeriesWrite<Column extends string> extends CoverageUpdate {
  /**
   * The subject of the rows: 1 to 64 printable ASCII characters, in the kind's form. Names from untrusted texts would
   * exhaust the limit on the number of subjects per kind, so use only listed names.
   */
  readonly subject: string
  /** The source of the rows, as results name the source, or several names joined by `+`, in order. */
  readonly source: string
  /** The rows to write, in strictly ascending order of time. */
  readonly rows: ReadonlyArray<PointRow<Column>>
}

export interface PointsWrite<Column extends string = string> {
  readonly kind: PointsKind<Column>
  readonly fence: Fence
  /** The series to write, each subject at most once. */
  readonly series: ReadonlyArray<SeriesWrite<Column>>
}

/** An event, identified by its id. */
export type EventRow<Column extends string> = Values<Column> & {
  /** The event's id: 1 to 256 characters, made by the source (`bybit:1732250000000:...`). */
  readonly id: string
  readonly time: number
  /** The subjects of the event, each once, at most 50; empty if the event has no subject. */
  readonly subjects: ReadonlyArray<string>
  readonly source: string
  /** The label of the event: at most 256 characters. */
  readonly label: string | null
  /** A text that JSON can represent: no NUL, no lone surrogates; at most 1 MiB. */
  readonly document: string | null
}

export interface EventsWrite<Column extends string = string> {
  readonly kind: EventsKind<Column>
  readonly fence: Fence
  /** The events to write, each id once, which replace events with equal ids, even of another time or subject. */
  readonly events: ReadonlyArray<EventRow<Column>>
  /** The ids of events to delete, such as posts that their authors deleted. */
  readonly removed?: ReadonlyArray<string>
  /**
   * The prefixes of the ids of events to delete, such as all posts of a deleted account. Each prefix ends with `/`.
   * Events of the present write are kept.
   */
  readonly removedUnder?: ReadonlyArray<string>
  /** The intervals that the write marks, each subject at most once. */
  readonly covering?: ReadonlyArray<CoverageUpdate & { readonly subject: string }>
}

export interface DocumentRow {
  /** The document's key: 1 to 128 characters. */
  readonly key: string
  readonly time: number
  readonly source: string
  /** A text that JSON can represent; at most 1 MiB. */
  readonly document: string
}

export interface DocumentsWrite {
  readonly kind: DocumentsKind
  readonly fence: Fence
  /** The documents to write, each key once, except documents that are older than the stored document. */
  readonly documents: ReadonlyArray<DocumentRow>
  readonly removed?: ReadonlyArray<string>
  /** The writer's present; a stored document with a later time came from a wrong clock and is replaced. */
  readonly now?: number
}

/** The result of a write to the market store. */
export interface WriteResult {
  /** The number of changed rows, counting an event once per subject; 0 for a repeated write. */
  readonly changed: number
}
