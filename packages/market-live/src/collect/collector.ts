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

interface CollectorBase {
  /** The source of the collector's data. Only one process at a time collects from a source. */
  readonly source: string
  /** The collector's name in health reports and metrics, such as `candles`, unique within the source. */
  readonly name: string
}

/** A collector that runs at multiples of `everyMs`, plus an offset. */
interface ScheduledCollector extends CollectorBase {
  readonly everyMs: number
  /** The delay between a scheduled time and the request for its data. */
  readonly offsetMs: number
}

/** A subject of a series, such as a coin, and the period for which the source has data. */
export interface Subject {
  readonly subject: string
  /** The time from which the source has data of the subject. */
  readonly from: number
  /** The time after which no data of an ended subject is expected. */
  readonly until?: number
}

/** A source's response for an interval of one subject. */
export interface SeriesResponse<Column extends string> {
  readonly source: string
  /**
   * The rows in ascending order of time. Rows after the end of the interval, or at or after `until`, are not written.
   * Rows from before the requested interval are also written, unless `since` is set.
   */
  readonly rows: ReadonlyArray<PointRow<Column>>
  /** The time from which the response is complete, by default the start of the interval. */
  readonly since?: number
  /**
   * The time up to which the response is complete. The time is before the interval's end if later data may be missing.
   */
  readonly until: number
  /** An interval for which the source no longer has data, in multiples of `everyMs`. */
  readonly lost?: Interval
}

/** How to request past data from a source, and the source's limits. */
export interface Backfill<Column extends string> {
  readonly fetch: (subject: string, interval: Interval) => Effect.Effect<SeriesResponse<Column>, SourceUnavailable>
  /** The maximum age of the source's data; missing data that is older counts as lost. */
  readonly sourceRetentionMs: number
  /**
   * The length of the period before the first recording for which past data is collected, in milliseconds. `lookbackMs`
   * must be less than `sourceRetentionMs`.
   */
  readonly lookbackMs: number
  /** The longest interval that one response can hold, in milliseconds. */
  readonly maxIntervalMs: number
  /** The minimum age of requested past data, because the source publishes the data with a delay. */
  readonly delayMs?: number
}

/** How to request data that a source provides only for the current time. */
export interface Snapshot<Column extends string> {
  /**
   * The maximum delay between a scheduled time and the response. A response after the maximum delay does not count for
   * the scheduled time.
   */
  readonly maxDelayMs: number
  /**
   * Whether a new leader takes a snapshot between scheduled times, so that current data exists before the next
   * scheduled time.
   */
  readonly betweenInstants?: boolean
  /** Requests the rows of subjects at the time `at`, without subjects that the source cannot provide. */
  readonly fetch: (
    subjects: ReadonlyArray<string>,
    at: number
  ) => Effect.Effect<
    ReadonlyArray<{ readonly subject: string } & Omit<SeriesResponse<Column>, "lost" | "since" | "until">>,
    SourceUnavailable
  >
}

/**
 * Collects one time series per subject. Data that neither `snapshot` nor `backfill` can provide is recorded as lost.
 */
export interface SeriesCollector<Column extends string = string> extends ScheduledCollector {
  readonly _tag: "series"
  readonly kind: PointsKind<Column>
  /**
   * The meaning of a row's time: the start of a bucket (`buckets`), or the time from which the value applies
   * (`instants`). Row times are multiples of `everyMs`.
   */
  readonly rowTimes: "buckets" | "instants"
  readonly subjects: Effect.Effect<ReadonlyArray<Subject>, SourceUnavailable>
  /** Returns the subjects that the operator wants and no source lists, after all sources have responded. */
  readonly unlisted?: () => ReadonlyArray<string>
  readonly snapshot?: Snapshot<Column>
  readonly backfill?: Backfill<Column>
  /**
   * The preferred venue. The store also records the coverage of the preferred venue's data under the subject
   * `VENUE:SUBJECT`, without rows.
   *
   * A collector with `isReplacement` replaces data of other venues by data of the preferred venue.
   */
  readonly preferredVenue?: { readonly venue: string; readonly isReplacement: boolean }
}

/** Collects the newest version of each document, identified by its key. */
export interface DocumentsCollector extends ScheduledCollector {
  readonly _tag: "documents"
  readonly kind: DocumentsKind
  /**
   * Discards the collector's memory of earlier responses, which may be outdated. `reset` runs before the first request
   * of a new leader, and after a crash of the collector.
   */
  readonly reset?: Effect.Effect<void>
  /** Requests the current documents. If only some documents cannot be fetched, `faults` contains their errors. */
  readonly fetch: Effect.Effect<
    { readonly documents: ReadonlyArray<DocumentRow>; readonly faults: ReadonlyArray<SourceUnavailable> },
    SourceUnavailable
  >
}

export interface EventsResponse {
  readonly events: ReadonlyArray<EventRow<never>>
  readonly removed?: ReadonlyArray<string>
  readonly faults: ReadonlyArray<SourceUnavailable>
  readonly onWritten?: Effect.Effect<void>
}

/** Collects events from a source that lists each event for a limited time. */
export interface EventsCollector extends ScheduledCollector {
  readonly _tag: "events"
  readonly kind: EventsKind
  /** Reads the stored events, under a new leader and after a crash of the collector. */
  readonly start: (
    store: MarketStore["Service"]
  ) => Effect.Effect<
    { readonly fetch: Effect.Effect<EventsResponse, SourceUnavailable | StoreUnavailable | MarketStoreRefusal> },
    StoreUnavailable | MarketStoreRefusal
  >
}

/** Collects events as they happen from a source that does not repeat events, so that missed events are lost. */
export interface StreamCollector extends CollectorBase {
  readonly _tag: "stream"
  readonly kind: EventsKind
  /** The subjects that the stream covers completely while the stream is connected. */
  readonly subjects: Effect.Effect<ReadonlyArray<string>, SourceUnavailable>
  readonly subscribe: Subscribe<never>
  /**
   * Subscribes to a source that can replay events. `recordedUntil` is the time up to which all subjects are recorded.
   * The first `up` event contains the time at which the replay actually begins.
   */
  readonly subscribeFrom?: (recordedUntil: number) => Subscribe<never>
}

type Subscribe<Column extends string> = Effect.Effect<EventStream<Column>, never, Scope.Scope>

/**
 * A removal of the stored event with the ID `removedId`. If `removedId` ends with `/`, all events whose IDs begin with
 * `removedId` are removed.
 */
export interface EventRemoval {
  readonly removedId: string
}

export interface EventStream<Column extends string> {
  /** Takes the next events of the stream. An event whose value is null belongs to no subject. */
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
