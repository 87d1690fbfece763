import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer, type Scope } from "effect"
import type { BreakerState } from "./CircuitBreaker.ts"

/** The last known state of a source, as `/readyz` and metrics report it. */
export interface SourceState {
  /** The name of the source, with its part if there are several: `binance/spot`. */
  readonly source: string
  /**
   * - `unknown`: no request has been sent yet;
   * - `up`: the newest request succeeded;
   * - `failing`: the newest request failed;
   * - `limited`: the source gets no requests for a while because of a rate limit;
   * - `blocked`: the source does not serve this location; remembered until `blockedUntil`.
   */
  readonly state: "unknown" | "up" | "failing" | "limited" | "blocked"
  readonly breaker: BreakerState
  readonly lastSuccessAt: number | null
  /** The fault that explains a state other than `up`; otherwise the newest fault. */
  readonly lastFault: { readonly at: number; readonly failure: SourceFailure; readonly reason: string } | null
  /** The time of the first fault after the last success; null if the source is up. */
  readonly unavailableSince: number | null
  readonly blockedUntil: number | null
  readonly limitedUntil: number | null
  /** The source that provides the same data while this one is blocked. */
  readonly next: string | null
  /** The source's clock minus ours, by its newest response, to about a second; null before the first one. */
  readonly skewMs: number | null
  /** Successful responses, and faults by kind, since the start. */
  readonly successes: number
  readonly faults: Readonly<Record<SourceFailure, number>>
  /** Calls that wait for their turn. */
  readonly waiting: number
}

/** Returns the state of a source at a time of our clock. */
export type ReadSourceState = (now: number) => SourceState

/** The states of all sources that this process uses. */
export class SourceHealth extends Context.Service<SourceHealth, {
  /** Adds a source for as long as the scope lives. */
  readonly register: (readState: ReadSourceState) => Effect.Effect<void, never, Scope.Scope>
  /** The states, sorted by name. */
  readonly states: Effect.Effect<ReadonlyArray<SourceState>>
}>()("@tapeline/market-live/SourceHealth") {
  static readonly layer: Layer.Layer<SourceHealth> = Layer.sync(SourceHealth, () => {
    const registered = new Set<ReadSourceState>()
    return {
      register: (tells) =>
        Effect.acquireRelease(
          Effect.sync(() => void registered.add(tells)),
          () => Effect.sync(() => void registered.delete(tells))
        ),
      states: Effect.clockWith((clock) =>
        Effect.sync(() => {
          const now = clock.currentTimeMillisUnsafe()
          return Array.from(registered, (tells) => tells(now)).sort((a, b) => a.source < b.source ? -1 : 1)
        })
      )
    }
  })
}
