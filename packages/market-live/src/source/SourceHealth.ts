import type { SourceFailure } from "@tapeline/core/engine"
import { Context, Effect, Layer, type Scope } from "effect"
import type { BreakerState } from "./CircuitBreaker.ts"

/** The last known state of a source, as reported by `/readyz` and metrics. */
export interface SourceState {
  /** The name of the source, with its part if the source has several parts: `binance/spot`. */
  readonly source: string
  /**
   * The state of the source:
   *
   * - `unknown`: no request has been sent yet;
   * - `up`: the newest request succeeded;
   * - `failing`: the newest request failed;
   * - `limited`: no requests are sent for a while because of a rate limit;
   * - `blocked`: the source does not serve the server's location, which is remembered until `blockedUntil`.
   */
  readonly state: "unknown" | "up" | "failing" | "limited" | "blocked"
  readonly breaker: BreakerState
  readonly lastSuccessAt: number | null
  /** The fault that explains the source's state, or the newest fault if the state is `up`. */
  readonly lastFault: { readonly at: number; readonly failure: SourceFailure; readonly reason: string } | null
  /** The time of the first fault after the last success, or null if the source is available. */
  readonly unavailableSince: number | null
  readonly blockedUntil: number | null
  readonly limitedUntil: number | null
  /** The name of another source with the same data. */
  readonly next: string | null
  /**
   * The source's clock minus the local clock in milliseconds, exact to about a second, or null before the first
   * response.
   */
  readonly skewMs: number | null
  /** The numbers of successful responses, and of faults by kind, since the start of the process. */
  readonly successes: number
  readonly faults: Readonly<Record<SourceFailure, number>>
  readonly waiting: number
}

/** Returns the state of a source at the time `now` of the local clock. */
export type ReadSourceState = (now: number) => SourceState

/** The states of all sources that the process uses, sorted by name. */
export class SourceHealth extends Context.Service<SourceHealth, {
  readonly register: (readState: ReadSourceState) => Effect.Effect<void, never, Scope.Scope>
  readonly states: Effect.Effect<ReadonlyArray<SourceState>>
}>()("@tapeline/market-live/SourceHealth") {
  static readonly layer: Layer.Layer<SourceHealth> = Layer.sync(SourceHealth, () => {
    const registered = new Set<ReadSourceState>()
    return {
      register: (readState) =>
        Effect.acquireRelease(
          Effect.sync(() => void registered.add(readState)),
          () => Effect.sync(() => void registered.delete(readState))
        ),
      states: Effect.clockWith((clock) =>
        Effect.sync(() => {
          const now = clock.currentTimeMillisUnsafe()
          return Array.from(registered, (readState) => readState(now)).sort((a, b) => a.source < b.source ? -1 : 1)
        })
      )
    }
  })
}
