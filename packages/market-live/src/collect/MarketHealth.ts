import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"

/** The state of one collector in this process. */
export interface CollectorStatus {
  readonly name: string
  /** The age of the recorded data of the subject that is furthest behind, in milliseconds; null if unknown. */
  readonly lagMs: number | null
  /**
   * The number of fillable gaps of all subjects (`gaps`), their total length (`missingMs`), and the total length of
   * lost intervals (`lostMs`).
   */
  readonly gaps: number
  readonly missingMs: number
  readonly lostMs: number
  /** The last time at which all due data was complete; null if never. */
  readonly completeAt: number | null
  /** The subjects that the operator wants to collect and no source lists. */
  readonly unlisted: ReadonlyArray<string>
  readonly lastFault: {
    readonly at: number
    readonly failure: SourceFailure | "store" | "refused" | "broken"
    readonly reason: string
  } | null
}

/** The process that collects from a source. If this process collects, the collectors have their states. */
export interface SourceCollectors {
  readonly source: string
  /**
   * The leader of the source: this process (`leads`), another process (`follows`), or unknown because the store does
   * not respond (`asks`).
   */
  readonly lead: "leads" | "follows" | "asks"
  /** The process that collects. If the leader is unknown, `holder` is the last known leader. */
  readonly holder: string | null
  /**
   * The collectors that this process ran as leader. The collectors stay listed until another process is known to lead.
   */
  readonly collectors: ReadonlyArray<CollectorStatus>
}

export interface MarketReport {
  /** The states of the sources that this process uses, by name. */
  readonly sources: ReadonlyArray<SourceState>
  /** The states of the collectors, by source. */
  readonly collectorsBySource: ReadonlyArray<SourceCollectors>
}

/** Returns the state of a source's collectors. `now` is the current time of this process. */
export type ReadSourceCollectors = (now: number) => SourceCollectors

/**
 * Adds the last fault of a stream's socket, such as `bluesky/posts`. Parts of other sources may have the name of
 * another series (`binance/futures`), so only streams are considered.
 */
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
  /**
   * Registers the collectors of a source until the process ends. `streams` contains the names of collectors that are
   * streams.
   */
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
