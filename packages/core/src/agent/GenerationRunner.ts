import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"

/**
 * The result of a run.
 * - `Ended`: this runner ended the generation.
 * - `Lost`: during the run, another runner took the generation over, or something else ended the generation.
 * - `Elsewhere`: the runner could not take the generation. Another runner has the generation, or the generation has
 *   ended or does not exist.
 */
export type ExecutionResult = "Ended" | "Lost" | "Elsewhere"

/** The function with which a `GenerationRunner` executes a generation. */
export class GenerationExecutor extends Context.Service<GenerationExecutor, {
  /**
   * Takes a generation, continues after its last stored step, and runs the generation to its end, including the
   * suggestions.
   *
   * `halted` returns each time the runner receives a `halt` for the generation. On a halt, the run checks the
   * generation's row. If the fence no longer holds, the run stops the request to the model at once.
   *
   * If the run is interrupted, another process can take the generation later. Fails while the store is unavailable; the
   * sweep of `Analyst` then finds the generation again.
   *
   * `staleMs` replaces the limit of `AgentTiming`: the generation can be taken if its runner has not renewed it for
   * `staleMs`. Pass 0 if the runner is known to be gone. `epochs` is the argument of `GenerationStore.take`.
   */
  readonly execute: (
    generation: number,
    halted: Effect.Effect<void>,
    staleMs?: number,
    epochs?: number
  ) => Effect.Effect<ExecutionResult, StoreUnavailable>
}>()("@tapeline/core/agent/Advance") {}

/**
 * Runs generations. The methods are only hints, because the rows of `GenerationStore` decide which process runs a
 * generation. A lost, repeated or late hint costs time only. A started generation continues after its caller has
 * disconnected.
 */
export class GenerationRunner extends Context.Service<GenerationRunner, {
  /**
   * Requests that a generation runs, in this process or another one. Callers pass a new generation, or an `abandoned`
   * generation that a search found. Returns at once.
   */
  readonly wake: (generation: number, options?: { readonly abandoned: boolean }) => Effect.Effect<void>
  /**
   * Succeeds if this process runs the generations that it accepts, although other processes may have another model.
   * Fails with the reason, for example for a few seconds after the process joined a cluster.
   */
  readonly ready: Effect.Effect<void, StoreUnavailable>
  /**
   * Makes the runner check whether its fence on the generation still holds, so that an ended generation consumes
   * nothing more. Returns at once.
   */
  readonly halt: (generation: number) => Effect.Effect<void>
}>()("@tapeline/core/agent/GenerationRunner") {}
