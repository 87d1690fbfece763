import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"

/**
 * What a run came to. `Elsewhere`: there was nothing to take (somebody runs it, it has ended, it never was).
 * `Lost`: it was taken from this runner, or ended by somebody else, meanwhile. `Ended`: this runner ended it.
 */
export type Advanced = "Ended" | "Lost" | "Elsewhere"

/** What a `GenerationRunner` runs. */
export class Advance extends Context.Service<Advance, {
  /**
   * Takes a generation, goes on from its last stored step, and runs it to its end, suggestions included. `halted`
   * returns each time the runner was told to `halt` it: the row is looked at then, and when it is no longer held, the
   * request to the model is stopped at once. An end of this run by interruption leaves the generation to whoever takes
   * it next. It fails when the store stays away; the generation is found again by the sweep of `Analyst`.
   *
   * `staleMs` says how long nobody must have renewed it, in place of `AgentTiming`'s: 0 for who knows that its runner
   * is gone. `epochs` is that of `GenerationStore.take`.
   */
  readonly advance: (
    generation: number,
    halted: Effect.Effect<void>,
    staleMs?: number,
    epochs?: number
  ) => Effect.Effect<Advanced, StoreUnavailable>
}>()("@tapeline/core/agent/Advance") {}
