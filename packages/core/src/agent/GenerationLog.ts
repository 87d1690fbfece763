import { Context, type Effect, type Scope } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { LoggedEvent } from "./event.ts"

/** The events of a generation's log after a given event number. */
export interface LogPage {
  readonly events: ReadonlyArray<LoggedEvent>
  /** Whether the log is complete, because its generation is closed, was deleted or never existed. */
  readonly isEnded: boolean
}

/**
 * The event logs of generations, which every node can read any number of times with identical bytes. A notice means
 * only that a log may have more events, and can be lost, repeated, late or out of order. To follow a log without
 * missing events, a reader first listens for notices, then reads until nothing is new. The reader of a log reads again
 * at each notice, and every few seconds without a notice. A store sends a notice after the transaction that appended
 * the events, never within the transaction.
 */
export class GenerationLog extends Context.Service<GenerationLog, {
  /** Returns at most `limit` events with numbers above `after`, in ascending order. */
  readonly read: (
    generation: number,
    after: number,
    limit: number
  ) => Effect.Effect<LogPage, StoreUnavailable>
  /**
   * Subscribes to notices that a generation's log may have more events, until the scope closes. `awaitNotification`
   * completes at the next notice. If a notice arrived after the previous completion, `awaitNotification` completes at
   * once.
   */
  readonly listen: (
    generation: number
  ) => Effect.Effect<{ readonly awaitNotification: Effect.Effect<void> }, never, Scope.Scope>
}>()("@tapeline/core/agent/GenerationLog") {}
