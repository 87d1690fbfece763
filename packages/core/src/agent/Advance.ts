import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"

/**
 * The result of a run.
 * - `Ended`: this runner ended the generation.
 * - `Lost`: meanwhile another runner took the generation, or something else ended it.
 * - `Elsewhere`: there was nothing to take. Another runner has the generation, it has ended, or it does not exist.
 */
export type Advanced = "Ended" | "Lost" | "Elsewhere"

/** The function with which a `GenerationRunner` runs a generation. */
export class Advance extends Context.Service<Advance, {
  /**
   * Takes a generation, continues after its last stored step, and runs it to its end, including the suggestions.
   *
   * `halted` returns each time the runner receives a `halt` for the generation. The run then checks its row. If the
   * fence no longer holds, the run stops the request to the model at once.
   *
   * If this run is interrupted, the generation stays for the next process that takes it. Fails while the store is
   * unavailable; the sweep of `Analyst` finds the generation again.
   *
   * `staleMs` replaces the limit of `AgentTiming`: the generation can be taken if it was not renewed for this time.
   * Pass 0 if its runner is known to be gone. `epochs` is the argument of `GenerationStore.take`.
   */
  readonly advance: (
    generation: number,
    halted: Effect.Effect<void>,
    staleMs?: number,
    epochs?: number
  ) => Effect.Effect<Advanced, StoreUnavailable>
}>()("@tapeline/core/agent/Advance") {}
