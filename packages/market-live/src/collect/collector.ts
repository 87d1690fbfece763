import type { StoreUnavailable } from "@tapeline/core/engine"
import type { Interval, SourceUnavailable } from "@tapeline/core/market"
import type {
  DocumentRow,
  DocumentsKind,
  EventRow,
  EventsKind,
  MarketStore,
  MarketStoreRefusal,
  PointRow,
  PointsKind
} from "@tapeline/core/market/store"
import type { Effect, Scope } from "effect"
import type { SocketEvent } from "../source/index.ts"

/** What every collector says of itself: data beside the questions that it can ask. */
interface Collects {
  /** Whose lead its writes are under: one process collects from a source at a time. */
  readonly source: string
  /** As health and metrics name it, once a source: `candles`. */
  readonly name: string
}

/** What is collected when, on a grid of its own. */
interface OnGrid extends Collects {
  readonly everyMs: number
  /** What is of an instant of the grid is asked for so long after it. */
  readonly offsetMs: number
}

/** A subject, and the times that the source has something of it. */
export interface Subject {
  readonly subject: string
  /** Since when the source has it. */
  readonly from: number
  /** When it ended; nothing is awaited of it from then on. */
  readonly until?: number
}

/** What a source told of an interval of one subject. */
export interface Told<Column extends string> {
  /** Whom the rows came from, as results name it. */
  readonly source: string
  /**
   * Times ascending. Those that lie before the interval are written as well, where they came late, unless `since` is
   * told; those at or after `until`, or after the interval's end, are not.
   */
  readonly rows: ReadonlyArray<PointRow<Column>>
  /** Since when it told everything, where it tells the newest alone: the interval's beginning unless it says so. */
  readonly since?: number
  /**
   * Until when it told everything, from then on: the interval's end, or less where an answer holds no more, or where it
   * cannot be told yet what is late from what is not there.
   */
  readonly until: number
  /** What it tells no more, whenever it is asked: whole steps. */
  readonly lost?: Interval
}

/** What the source has of the past. */
export interface Backfill<Column extends string> {
  readonly ask: (subject: string, interval: Interval) => Effect.Effect<Told<Column>, SourceUnavailable>
  /** It tells nothing that is older: what is missing from then on is lost. */
  readonly reachesBackMs: number
  /** So far back is recorded from the beginning on; less than what is kept. */
  readonly wantedMs: number
  /** As much as one answer holds. */
  readonly longestMs: number
  /** What is newer than this is not asked of the past: the source computes it with delay. */
  readonly delayMs?: number
}

/** What the source has of an instant of the grid alone, while it is that instant. */
export interface Snapshot<Column extends string> {
  /** So late after an instant it is not that instant's any more. */
  readonly lateMs: number
  /**
   * Whether it is asked between instants as well, once under a new lead that comes too late for one: what it tells is
   * of now, beside the grid, so that the present is there before the next instant.
   */
  readonly between?: boolean
  /** Rows of subjects as of the instant; those that it cannot tell are missing. */
  readonly ask: (
    subjects: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<
    ReadonlyArray<{ readonly subject: string } & Omit<Told<Column>, "lost" | "since" | "until">>,
    SourceUnavailable
  >
}

/** Points by subject. It has a `snapshot`, a `backfill`, or both; what neither can tell is recorded as lost. */
export interface SeriesCollector<Column extends string = string> extends OnGrid {
  readonly _tag: "series"
  readonly kind: PointsKind<Column>
  /**
   * What a row's time is: the beginning of a bucket of `everyMs`, which is whole when the next one begins, or an
   * instant of the grid, which stands until the next one.
   */
  readonly rowsAre: "buckets" | "instants"
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
  /** What an operator wants collected and no source knows, once all that may know it have answered. */
  readonly unlisted?: () => ReadonlyArray<string>
  readonly snapshot?: Snapshot<Column>
  readonly backfill?: Backfill<Column>
  /**
   * Where venues stand in for one another, the one that is asked first. What it told itself is covered of
   * `VENUE:SUBJECT` as well, without rows. A collector that `isAskedAgain` asks for what is covered of a subject and
   * not of that: its rows are laid over those of the subject, and what it covers or loses is of `VENUE:SUBJECT` alone.
   */
  readonly first?: { readonly venue: string; readonly isAskedAgain: boolean }
}

/** The newest of something by key. */
export interface DocumentsCollector extends OnGrid {
  readonly _tag: "documents"
  readonly kind: DocumentsKind
  /**
   * Before it is asked, under a new lead and where it broke and begins anew: what it knows of before holds no more.
   */
  readonly begin?: Effect.Effect<void>
  /** What there is now; `faults` are of those that could not be told, where others could. */
  readonly ask: Effect.Effect<
    { readonly documents: ReadonlyArray<DocumentRow>; readonly faults: ReadonlyArray<SourceUnavailable> },
    SourceUnavailable
  >
}

/** What a source told of what happened, to be written. */
export interface ToldEvents {
  readonly events: ReadonlyArray<EventRow<never>>
  readonly removed?: ReadonlyArray<string>
  /** Of those that could not be told, where others could. */
  readonly faults: ReadonlyArray<SourceUnavailable>
  /** Once it is written. */
  readonly written?: Effect.Effect<void>
}

/** What happened, as a source tells it for some time afterwards. Its events are of the kind's columns. */
export interface EventsCollector extends OnGrid {
  readonly _tag: "events"
  readonly kind: EventsKind
  /** Under a new lead, and where it broke and begins anew: what is stored by others is read first. */
  readonly begin: (
    store: MarketStore["Service"]
  ) => Effect.Effect<
    { readonly ask: Effect.Effect<ToldEvents, SourceUnavailable | StoreUnavailable | MarketStoreRefusal> },
    StoreUnavailable | MarketStoreRefusal
  >
}

/** What happens, as it happens. Nobody tells it again: what was not heard is lost. `streamCollector` makes it. */
export interface StreamCollector extends Collects {
  readonly _tag: "stream"
  readonly kind: EventsKind
  /** Whom everything is told of, once it is heard. */
  readonly subjects: Effect.Effect<ReadonlyArray<string>, SourceUnavailable>
  /** Listens for as long as the scope lives; its events are of the kind's columns. */
  readonly listen: Listens<never>
  /**
   * The same of a source that tells again what it told, where something is recorded: given until when everything is of
   * every subject, it begins there, or as near as it can. Its first `up` says where that is.
   */
  readonly listenFrom?: (recordedUntil: number) => Listens<never>
}

type Listens<Column extends string> = Effect.Effect<Listening<Column>, never, Scope.Scope>

/** What is to be forgotten: the event of that id, or all whose ids begin so, where it ends with `/`. */
export interface Forgotten {
  readonly forgotten: string
}

export interface Listening<Column extends string> {
  /** Null stands for what is about no subject. */
  readonly take: Effect.Effect<ReadonlyArray<SocketEvent<EventRow<Column> | Forgotten | null>>>
}

export const streamCollector = <Column extends string>(
  collector: Omit<StreamCollector, "_tag" | "kind" | "listen" | "listenFrom"> & {
    readonly kind: EventsKind<Column>
    readonly listen: Listens<NoInfer<Column>>
    readonly listenFrom?: (recordedUntil: number) => Listens<NoInfer<Column>>
  }
): StreamCollector => ({ _tag: "stream", ...collector })

export type Collector = SeriesCollector | DocumentsCollector | EventsCollector | StreamCollector
