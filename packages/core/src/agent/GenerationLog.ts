import { Context, type Effect, type Scope } from "effect"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"
import type { LoggedEvent } from "./event.ts"

/** Events of a log after a number. */
export interface LogPage {
  readonly events: ReadonlyArray<LoggedEvent>
  /** No event follows those of this page, now or ever: it is closed, dropped, or never was. */
  readonly ended: boolean
}

/**
 * What generations show, as it was appended by `GenerationStore`: read by anybody, on any node, any number of times,
 * from any number on, always the same bytes.
 *
 * Notices only wake. They may be lost, doubled, late and out of order, and tell nothing but that there may be more to
 * read: whoever follows a log subscribes first, reads until there is nothing new, and reads again at each notice, and
 * every few seconds without one. Within one process a notice is given right after the transaction that appended;
 * between nodes notices travel in batches, after it, and never within it.
 */
export class GenerationLog extends Context.Service<GenerationLog, {
  /** Events with numbers above `after`, in order, at most `limit`. */
  readonly read: (
    generation: number,
    after: number,
    limit: number
  ) => Effect.Effect<LogPage, StoreUnavailable>
  /**
   * From when it returns until its scope closes, `woken` returns once a notice of the generation has come since the
   * last time (at once, if one came meanwhile). Any number may listen.
   */
  readonly listen: (generation: number) => Effect.Effect<{ readonly woken: Effect.Effect<void> }, never, Scope.Scope>
}>()("@tapeline/core/agent/GenerationLog") {}
