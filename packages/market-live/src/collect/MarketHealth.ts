import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"

/** The state of one series, or of another collector, in this process. */
export interface CollectorStatus {
  readonly name: string
  /**
   * The age of the newest record of the subject that is furthest behind, in milliseconds; null while nothing is known.
   */
  readonly lagMs: number | null
  /**
   * The number of gaps of all subjects that can still be filled, their total length, and the total length of lost
   * intervals.
   */
  readonly gaps: number
  readonly missingMs: number
  readonly lostMs: number
  /** When all due data was last complete. */
  readonly completeAt: number | null
  /** Subjects that the operator wants collected and no source lists. */
  readonly unlisted: ReadonlyArray<string>
  readonly lastFault: {
    readonly at: number
    readonly failure: SourceFailure | "store" | "refused" | "broken"
    readonly reason: string
  } | null
}

/** The process that collects from a source, and the state of its collectors if it is this process. */
export interface SourceCollectors {
  readonly source: string
  /**
   * - `leads`: this process collects;
   * - `follows`: another process collects;
   * - `asks`: unknown, because the store does not respond or was not read yet.
   */
  readonly lead: "leads" | "follows" | "asks"
  /** The process that collects; in the state `asks`, the last one that is known. */
  readonly holder: string | null
  /** The collectors under this process's lead. They stay until another process is known to lead. */
  readonly collectors: ReadonlyArray<CollectorStatus>
}

export interface MarketReport {
  /** The states of the sources that this process uses, by name. */
  readonly sources: ReadonlyArray<SourceState>
  /** The collectors, by source. */
  readonly collectorsBySource: ReadonlyArray<SourceCollectors>
}

/** Returns the state of a source's collectors at a time of our clock. */
export type ReadSourceCollectors = (now: number) => SourceCollectors

/**
 * Adds the fault of a stream's socket (`bluesky/posts`), which notices first that nothing is received. A part of a
 * polled source may have the same name as another series (`binance/futures`), so only streams are considered.
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
  /** Adds the collectors of a source for as long as the process lives, and names those that are streams. */
  readonly register: (readStatus: ReadSourceCollectors, streams?: ReadonlySet<string>) => Effect.Effect<void>
  readonly report: Effect.Effect<MarketReport>
}>()("@tapeline/market-live/MarketHealth") {
  static readonly layer: Layer.Layer<MarketHealth, never, SourceHealth> = Layer.effect(
    MarketHealth,
    Effect.map(SourceHealth, ({ states }) => {
      const registered = new Map<ReadSourceCollectors, ReadonlySet<string>>()
      return {
        register: (tells, streams = new Set()) => Effect.sync(() => void registered.set(tells, streams)),
        report: Effect.gen(function*() {
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const sources = yield* states
          const socketStates = new Map(sources.map((one) => [one.source, one]))
          const collected = Array.from(
            registered,
            ([tells, streams]) => withSocketFaults(tells(now), streams, socketStates)
          )
            .sort((a, b) => a.source < b.source ? -1 : 1)
          return { sources, collectorsBySource: collected }
        })
      }
    })
  )
}
