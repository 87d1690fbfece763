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

/** The fields of every collector. */
interface CollectorBase {
  /** The source whose lead its writes are under. One process at a time collects from a source. */
  readonly source: string
  /** The name in health and metrics, unique within the source: `candles`. */
  readonly name: string
}

/** A collector that runs on a time grid. */
interface ScheduledCollector extends CollectorBase {
  readonly everyMs: number
  /** The delay after an instant of the grid before its data is requested. */
  readonly offsetMs: number
}

/** A subject, and the times for which the source has data. */
export interface Subject {
  readonly subject: string
  /** The time from which the source has data. */
  readonly from: number
  /** When the subject ended; no data is expected after it. */
  readonly until?: number
}

/** The response of a source for an interval of one subject. */
export interface SeriesResponse<Column extends string> {
  /** The source of the rows, as results name it. */
  readonly source: string
  /**
   * The rows, by ascending time. Late rows from before the interval are written as well, unless `since` is set. Rows at
   * or after `until` or the interval's end are not written.
   */
  readonly rows: ReadonlyArray<PointRow<Column>>
  /**
   * The time from which the response is complete, if it holds only the newest data. The interval's beginning by
   * default.
   */
  readonly since?: number
  /**
   * The time up to which the response is complete. This is the interval's end, or earlier if the response is full, or
   * if late data cannot be distinguished from missing data yet.
   */
  readonly until: number
  /** An interval for which the source no longer has data, in whole steps. */
  readonly lost?: Interval
}

/** The past data of a source. */
export interface Backfill<Column extends string> {
  readonly fetch: (subject: string, interval: Interval) => Effect.Effect<SeriesResponse<Column>, SourceUnavailable>
  /** The age of the source's oldest data. Older missing data is lost. */
  readonly sourceRetentionMs: number
  /** How far back is recorded at first; less than the retention. */
  readonly lookbackMs: number
  /** The longest interval that one response can hold. */
  readonly maxIntervalMs: number
  /** The age below which past data is not requested, because the source publishes it with a delay. */
  readonly delayMs?: number
}

/** The data of a source that exists only at an instant of the grid. */
export interface Snapshot<Column extends string> {
  /** The delay after which a response no longer counts for the instant. */
  readonly maxDelayMs: number
  /**
   * Whether a new lead that is too late for an instant requests data once between instants. The row has the present
   * time, off the grid, so that current data exists before the next instant.
   */
  readonly betweenInstants?: boolean
  /** Requests the rows of subjects at the instant. Subjects that the source cannot provide are missing. */
  readonly fetch: (
    subjects: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<
    ReadonlyArray<{ readonly subject: string } & Omit<SeriesResponse<Column>, "lost" | "since" | "until">>,
    SourceUnavailable
  >
}

/**
 * Collects points by subject. It has a `snapshot`, a `backfill`, or both. Data that neither can provide is recorded as
 * lost.
 */
export interface SeriesCollector<Column extends string = string> extends ScheduledCollector {
  readonly _tag: "series"
  readonly kind: PointsKind<Column>
  /**
   * The meaning of a row's time. `buckets`: the beginning of a bucket of `everyMs`, which is complete when the next one
   * begins. `instants`: an instant of the grid, whose value holds until the next one.
   */
  readonly rowTimes: "buckets" | "instants"
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
  /** Subjects that the operator wants and no source lists, once all sources that may list them have responded. */
  readonly unlisted?: () => ReadonlyArray<string>
  readonly snapshot?: Snapshot<Column>
  readonly backfill?: Backfill<Column>
  /**
   * The preferred venue, if several venues can replace one another. The data that it provides itself is also covered
   * under `VENUE:SUBJECT`, without rows. A collector with `isRefetch` requests data that is covered under the
   * subject but not under `VENUE:SUBJECT`. Its rows are merged into those of the subject, and its coverage and losses
   * are recorded only under `VENUE:SUBJECT`.
   */
  readonly preferredVenue?: { readonly venue: string; readonly isRefetch: boolean }
}

/** Collects the newest documents by key. */
export interface DocumentsCollector extends ScheduledCollector {
  readonly _tag: "documents"
  readonly kind: DocumentsKind
  /**
   * Runs under a new lead, and after a crash of the collector, before the first request. It discards state that is no
   * longer valid.
   */
  readonly reset?: Effect.Effect<void>
  /** Requests the present documents. `faults` are the errors of some documents, if others succeeded. */
  readonly fetch: Effect.Effect<
    { readonly documents: ReadonlyArray<DocumentRow>; readonly faults: ReadonlyArray<SourceUnavailable> },
    SourceUnavailable
  >
}

/** Events of a source that must be written. */
export interface EventsResponse {
  readonly events: ReadonlyArray<EventRow<never>>
  readonly removed?: ReadonlyArray<string>
  /** The errors of some requests, if others succeeded. */
  readonly faults: ReadonlyArray<SourceUnavailable>
  /** Runs after the events are written. */
  readonly onWritten?: Effect.Effect<void>
}

/** Collects events that a source still lists for some time afterwards. The events have the columns of the kind. */
export interface EventsCollector extends ScheduledCollector {
  readonly _tag: "events"
  readonly kind: EventsKind
  /** Runs under a new lead, and after a crash of the collector. It reads the events that others have stored first. */
  readonly start: (
    store: MarketStore["Service"]
  ) => Effect.Effect<
    { readonly fetch: Effect.Effect<EventsResponse, SourceUnavailable | StoreUnavailable | MarketStoreRefusal> },
    StoreUnavailable | MarketStoreRefusal
  >
}

/**
 * Collects events as they happen. The source does not repeat them, so missed events are lost. `makeStreamCollector`
 * makes it.
 */
export interface StreamCollector extends CollectorBase {
  readonly _tag: "stream"
  readonly kind: EventsKind
  /** The subjects that the stream covers completely while it is connected. */
  readonly subjects: Effect.Effect<ReadonlyArray<string>, SourceUnavailable>
  /** Listens for as long as the scope lives. The events have the columns of the kind. */
  readonly subscribe: Subscribe<never>
  /**
   * Like `subscribe`, for a source that can replay events. It begins at the time up to which all subjects are recorded,
   * or as near as the source can. Its first `up` has the actual time.
   */
  readonly subscribeFrom?: (recordedUntil: number) => Subscribe<never>
}

type Subscribe<Column extends string> = Effect.Effect<EventStream<Column>, never, Scope.Scope>

/** Events to remove: the event with this id, or all events whose ids begin with it if it ends with `/`. */
export interface EventRemoval {
  readonly forgotten: string
}

export interface EventStream<Column extends string> {
  /** Takes events. Null is an event that is about no subject. */
  readonly take: Effect.Effect<ReadonlyArray<SocketEvent<EventRow<Column> | EventRemoval | null>>>
}

export const makeStreamCollector = <Column extends string>(
  collector: Omit<StreamCollector, "_tag" | "kind" | "subscribe" | "subscribeFrom"> & {
    readonly kind: EventsKind<Column>
    readonly subscribe: Subscribe<NoInfer<Column>>
    readonly subscribeFrom?: (recordedUntil: number) => Subscribe<NoInfer<Column>>
  }
): StreamCollector => ({ _tag: "stream", ...collector })

export type Collector = SeriesCollector | DocumentsCollector | EventsCollector | StreamCollector
