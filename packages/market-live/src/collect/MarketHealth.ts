import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"

/** The state of one collector in the current process. */
export interface CollectorStatus {
  readonly name: string
  /** The age of the recorded data of the subject that is furthest behind, in milliseconds, or null if unknown. */
  readonly lagMs: number | null
  /**
   * `gaps` is the number of gaps that can still be filled, and `missingMs` is their total length. `lostMs` is the total
   * length of permanent losses.
   */
  readonly gaps: number
  readonly missingMs: number
  readonly lostMs: number
  /** The last time at which the collector had recorded all data that was due, or null if never. */
  readonly completeAt: number | null
  readonly unlisted: ReadonlyArray<string>
  readonly lastFault: {
    readonly at: number
    readonly failure: SourceFailure | "store" | "refused" | "broken"
    readonly reason: string
  } | null
}

/** The process that collects from a source, and the states of the collectors. */
export interface SourceCollectors {
  readonly source: string
  /**
   * Whether the current process leads the source (`leads`), another process leads it (`follows`), or the leader is
   * unknown (`asks`).
   */
  readonly lead: "leads" | "follows" | "asks"
  /** The name of the leader process, or of the last known leader if the current leader is unknown. */
  readonly holder: string | null
  /**
   * The states of the source's collectors in the current process, or an empty list while another process leads the
   * source.
   */
  readonly collectors: ReadonlyArray<CollectorStatus>
}

export interface MarketReport {
  readonly sources: ReadonlyArray<SourceState>
  readonly collectorsBySource: ReadonlyArray<SourceCollectors>
}

/** Returns the state of a source's collectors at the time `now`. */
export type ReadSourceCollectors = (now: number) => SourceCollectors

/** Adds the last fault of a stream's socket, such as `bluesky/posts`, to the stream's collector. */
const withSocketFaults = (
  status: SourceCollectors,
  streams: ReadonlySet<string>,
  socketStates: ReadonlyMap<string, SourceState>
): SourceCollectors => ({
  ...status,
  collectors: status.collectors.map((series) => {
    if (!streams.has(series.name)) return series
    const fault = socketStates.get(`${status.source}/${series.name}`)?.lastFault ?? null
    return fault === null || fault.at < (series.lastFault?.at ?? -Infinity) ? series : { ...series, lastFault: fault }
  })
})

/** The state of the market's sources and collectors, as `/readyz` reports it. */
export class MarketHealth extends Context.Service<MarketHealth, {
  /** Registers a source's collectors until the process ends. `streams` contains the names of the stream collectors. */
  readonly register: (readStatus: ReadSourceCollectors, streams?: ReadonlySet<string>) => Effect.Effect<void>
  readonly report: Effect.Effect<MarketReport>
}>()("@tapeline/market-live/MarketHealth") {
  static readonly layer: Layer.Layer<MarketHealth, never, SourceHealth> = Layer.effect(
    MarketHealth,
    Effect.map(SourceHealth, ({ states }) => {
      const registered = new Map<ReadSourceCollectors, ReadonlySet<string>>()
      return {
        register: (readStatus, streams = new Set()) => Effect.sync(() => void registered.set(readStatus, streams)),
        report: Effect.gen(function*() {
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const sources = yield* states
          const socketStates = new Map(sources.map((one) => [one.source, one]))
          const collected = Array.from(
            registered,
            ([readStatus, streams]) => withSocketFaults(readStatus(now), streams, socketStates)
          )
            .sort((a, b) => a.source < b.source ? -1 : 1)
          return { sources, collectorsBySource: collected }
        })
      }
    })
  )
}
