import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"

/** How one series, or another thing that is collected, does here. */
export interface CollectedState {
  readonly name: string
  /** How long ago the oldest of the newest records of all subjects ended; null while nothing is known. */
  readonly lagMs: number | null
  /** Intervals that may still be filled, of all subjects, and how long they are together; likewise what is lost. */
  readonly gaps: number
  readonly missingMs: number
  readonly lostMs: number
  /** When all that was due was there the last time. */
  readonly wholeAt: number | null
  /** What an operator wants collected and no source lists. */
  readonly unlisted: ReadonlyArray<string>
  readonly lastFault: {
    readonly at: number
    readonly failure: SourceFailure | "store" | "refused" | "broken"
    readonly reason: string
  } | null
}

/** Who collects from a source, and how that goes where it is this process. */
export interface CollectedSource {
  readonly source: string
  /**
   * - `leads`: this process collects;
   * - `follows`: another one does;
   * - `asks`: it is not known who does, since the store does not answer or was not asked yet.
   */
  readonly lead: "leads" | "follows" | "asks"
  /** Who collects; while that is asked, who was last known to. */
  readonly holder: string | null
  /** Of what this process leads, or led until it is known that another one does. */
  readonly collected: ReadonlyArray<CollectedState>
}

export interface MarketReport {
  /** How the sources do that this process asks, by name. */
  readonly sources: ReadonlyArray<SourceState>
  /** What is collected, by source. */
  readonly collected: ReadonlyArray<CollectedSource>
}

/** Who tells of the collectors of a source, as of an instant of ours. */
export type TellsCollected = (now: number) => CollectedSource

/**
 * What a stream tells is heard by a socket of its name (`bluesky/posts`), which knows first that it hears nothing. Of
 * what is asked for, a source may have that name that is another (`binance/futures`).
 */
const withHeard = (
  one: CollectedSource,
  streams: ReadonlySet<string>,
  heard: ReadonlyMap<string, SourceState>
): CollectedSource => ({
  ...one,
  collected: one.collected.map((series) => {
    if (!streams.has(series.name)) return series
    const fault = heard.get(`${one.source}/${series.name}`)?.lastFault ?? null
    return fault === null || fault.at < (series.lastFault?.at ?? -Infinity) ? series : { ...series, lastFault: fault }
  })
})

/** How the market's sources and collectors do: what `/readyz` tells of them. */
export class MarketHealth extends Context.Service<MarketHealth, {
  /** Whoever collects from a source tells of it as long as the process lives, and which of it comes on streams. */
  readonly watch: (tells: TellsCollected, streams?: ReadonlySet<string>) => Effect.Effect<void>
  readonly report: Effect.Effect<MarketReport>
}>()("@tapeline/market-live/MarketHealth") {
  static readonly layer: Layer.Layer<MarketHealth, never, SourceHealth> = Layer.effect(
    MarketHealth,
    Effect.map(SourceHealth, ({ states }) => {
      const watched = new Map<TellsCollected, ReadonlySet<string>>()
      return {
        watch: (tells, streams = new Set()) => Effect.sync(() => void watched.set(tells, streams)),
        report: Effect.gen(function*() {
          const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
          const sources = yield* states
          const heard = new Map(sources.map((one) => [one.source, one]))
          const collected = Array.from(watched, ([tells, streams]) => withHeard(tells(now), streams, heard))
            .sort((a, b) => a.source < b.source ? -1 : 1)
          return { sources, collected }
        })
      }
    })
  )
}
