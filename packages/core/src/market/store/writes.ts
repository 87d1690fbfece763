import type { Interval } from "../series.ts"
import type { DocumentsKind, EventsKind, PointsKind, Values } from "./kinds.ts"

/** Who may write: the lead of a source, as `lead` gave it. */
export interface Fence {
  readonly source: string
  readonly epoch: number
}

/** What a write says of a subject beside its rows. Half-open intervals in epoch ms, in any order. */
export interface Covering {
  /** They are wholly recorded now, with this write's rows and those before it. They may reach beyond the present. */
  readonly covers?: ReadonlyArray<Interval>
  /** Nothing can fill them any more. What is covered, now or later, is not lost. */
  readonly lost?: ReadonlyArray<Interval>
}

/** A point as it is written. */
export type PointRow<Column extends string> = Values<Column> & { readonly time: number }

export interface SeriesWrite<Column extends string> extends Covering {
  /**
   * 1 to 64 printable ASCII characters, as the kind says. One that is listed: a kind keeps a bounded number of them,
   * and names out of strangers' texts would use them up.
   */
  readonly subject: string
  /** Whom the rows came from, as results name it; several names are joined by `+`, in their order. */
  readonly source: string
  /** Times strictly ascending. */
  readonly rows: ReadonlyArray<PointRow<Column>>
}

export interface PointsWrite<Column extends string = string> {
  readonly kind: PointsKind<Column>
  readonly fence: Fence
  /** Each subject once. */
  readonly series: ReadonlyArray<SeriesWrite<Column>>
}

/** An event, known by its id. */
export type EventRow<Column extends string> = Values<Column> & {
  /** 1 to 256 characters, of the source's own making: `bybit:1732250000000:...`. */
  readonly id: string
  readonly time: number
  /** Whom it is about, each once, at most 50; none where it is about no one. */
  readonly subjects: ReadonlyArray<string>
  readonly source: string
  /** At most 256 characters. */
  readonly label: string | null
  /** A text, as JSON has it: no NUL, no half of a surrogate pair; at most a MiB. */
  readonly document: string | null
}

export interface EventsWrite<Column extends string = string> {
  readonly kind: EventsKind<Column>
  readonly fence: Fence
  /** Each id once. One that is there already is replaced, also where it was of another time or other subjects. */
  readonly events: ReadonlyArray<EventRow<Column>>
  /** Ids of events that are to be forgotten, such as posts that their authors deleted. */
  readonly removed?: ReadonlyArray<string>
  /**
   * Beginnings of ids, each ending with `/`: events whose ids begin so are to be forgotten, such as all posts of an
   * account that was deleted. Those that this write gives stay.
   */
  readonly removedUnder?: ReadonlyArray<string>
  /** Each subject once. */
  readonly covering?: ReadonlyArray<Covering & { readonly subject: string }>
}

export interface DocumentRow {
  /** 1 to 128 characters. */
  readonly key: string
  readonly time: number
  readonly source: string
  /** A text, as JSON has it; at most a MiB. */
  readonly document: string
}

export interface DocumentsWrite {
  readonly kind: DocumentsKind
  readonly fence: Fence
  /** Each key once. One that is older than what is there changes nothing. */
  readonly documents: ReadonlyArray<DocumentRow>
  readonly removed?: ReadonlyArray<string>
  /**
   * The writer's present. What is there of a later time was told by a clock that was ahead, and is older than nothing:
   * it is replaced.
   */
  readonly now?: number
}

/** What a write did. */
export interface Written {
  /** Rows that were added, changed or removed: 0 of a write that was done before. An event counts once a subject. */
  readonly changed: number
}
