import { Context, type Effect, type Scope } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { LoggedEvent } from "./event.ts"

/** The events of a log after a given number. */
export interface LogPage {
  readonly events: ReadonlyArray<LoggedEvent>
  /** No event follows this page, now or later: the generation is closed, deleted, or never existed. */
  readonly isEnded: boolean
}

/**
 * The events of generations, as `GenerationStore` appended them. Each node can read them any number of times, from any
 * number on, and always gets the same bytes.
 *
 * Notices only wake listeners. A notice can be lost, repeated, late or out of order, and means only that there may be
 * more events. Follow a log in this order: listen, read until nothing is new, then read again at each notice, and every
 * few seconds without one. Within a process, the notice follows directly after the transaction that appended. Between
 * nodes, notices travel in batches after the transaction, never within it.
 */
export class GenerationLog extends Context.Service<GenerationLog, {
  /** Returns events with numbers above `after`, in order, at most `limit`. */
  readonly read: (
    generation: number,
    after: number,
    limit: number
  ) => Effect.Effect<LogPage, StoreUnavailable>
  /**
   * Listens for notices of a generation until the scope closes. `awaitNotification` returns after the next notice, or
   * at once if a notice arrived since it last returned. Any number of callers may listen.
   */
  readonly listen: (
    generation: number
  ) => Effect.Effect<{ readonly awaitNotification: Effect.Effect<void> }, never, Scope.Scope>
}>()("@tapeline/core/agent/GenerationLog") {}
