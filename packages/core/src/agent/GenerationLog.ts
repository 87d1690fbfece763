import { Context, type Effect, type Scope } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { LoggedEvent } from "./event.ts"

/** The events of a generation log after a given event number. */
export interface LogPage {
  readonly events: ReadonlyArray<LoggedEvent>
  /** Whether no event can follow this page: the generation is closed, deleted, or never existed. */
  readonly isEnded: boolean
}

/**
 * The event logs of generations, as `GenerationStore` appended the events. Each node can read a log any number of
 * times, from any event number, and always receives identical bytes.
 *
 * Notices only wake listeners. A notice can be lost, repeated, late or out of order, and means only that there may be
 * more events. To follow a log, a reader first listens for notices, then reads until nothing is new. Afterwards the
 * reader reads again at each notice, and every few seconds without a notice. Within a process, a notice follows
 * directly after the transaction that appended the events. Between nodes, notices travel in batches after the
 * transaction, never within it.
 */
export class GenerationLog extends Context.Service<GenerationLog, {
  /** Returns events with numbers above `after`, in ascending order, at most `limit`. */
  readonly read: (
    generation: number,
    after: number,
    limit: number
  ) => Effect.Effect<LogPage, StoreUnavailable>
  /**
   * Listens for notices of a generation until the scope closes. `awaitNotification` returns after the next notice, or
   * at once if a notice has arrived since its last return. Any number of callers may listen.
   */
  readonly listen: (
    generation: number
  ) => Effect.Effect<{ readonly awaitNotification: Effect.Effect<void> }, never, Scope.Scope>
}>()("@tapeline/core/agent/GenerationLog") {}
