import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer, type Scope } from "effect"
import type { BreakerState } from "./Breaker.ts"

/** What a source did last, as `/readyz` and metrics tell it. */
export interface SourceState {
  /** The source, and which part of it where it has several: `binance/spot`. */
  readonly source: string
  /**
   * - `unknown`: nothing was asked yet;
   * - `up`: the newest answer was one;
   * - `failing`: the newest one was not;
   * - `limited`: it wants to be left alone for a while;
   * - `blocked`: it does not serve this place; remembered until `blockedUntil`.
   */
  readonly state: "unknown" | "up" | "failing" | "limited" | "blocked"
  readonly breaker: BreakerState
  readonly lastSuccessAt: number | null
  /** What its state stands on where it is not up: else the newest. */
  readonly lastFault: { readonly at: number; readonly failure: SourceFailure; readonly reason: string } | null
  /** Since when it is not up: its first fault after its last answer. Null of one that is. */
  readonly awaySince: number | null
  readonly blockedUntil: number | null
  readonly limitedUntil: number | null
  /** Who tells the same while it is blocked. */
  readonly next: string | null
  /** Its clock less ours, as its newest answer told, to a second or so; null until one did. */
  readonly skewMs: number | null
  /** Answers that were used, and faults by kind, since the start. */
  readonly answers: number
  readonly faults: Readonly<Record<SourceFailure, number>>
  /** Calls that wait for their turn. */
  readonly waiting: number
}

/** Who tells of a source, as of an instant of ours. */
export type TellsState = (now: number) => SourceState

/** How all sources do that this process asks. */
export class SourceHealth extends Context.Service<SourceHealth, {
  /** Adds a source for as long as the scope lives. */
  readonly watch: (tells: TellsState) => Effect.Effect<void, never, Scope.Scope>
  /** By name. */
  readonly states: Effect.Effect<ReadonlyArray<SourceState>>
}>()("@tapeline/market-live/SourceHealth") {
  static readonly layer: Layer.Layer<SourceHealth> = Layer.sync(SourceHealth, () => {
    const watched = new Set<TellsState>()
    return {
      watch: (tells) =>
        Effect.acquireRelease(
          Effect.sync(() => void watched.add(tells)),
          () => Effect.sync(() => void watched.delete(tells))
        ),
      states: Effect.clockWith((clock) =>
        Effect.sync(() => {
          const now = clock.currentTimeMillisUnsafe()
          return Array.from(watched, (tells) => tells(now)).sort((a, b) => a.source < b.source ? -1 : 1)
        })
      )
    }
  })
}
