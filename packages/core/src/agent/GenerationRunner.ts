import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"

/**
 * The result of a run.
 * - `Ended`: this runner ended the generation.
 * - `Lost`: meanwhile another runner took the generation, or something else ended it.
 * - `Elsewhere`: there was nothing to take. Another runner has the generation, it has ended, or it does not exist.
 */
export type ExecutionResult = "Ended" | "Lost" | "Elsewhere"

/** The function with which a `GenerationRunner` runs a generation. */
export class GenerationExecutor extends Context.Service<GenerationExecutor, {
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
  readonly execute: (
    generation: number,
    halted: Effect.Effect<void>,
    staleMs?: number,
    epochs?: number
  ) => Effect.Effect<ExecutionResult, StoreUnavailable>
}>()("@tapeline/core/agent/Advance") {}

/**
 * Runs generations. Its methods are only hints, because the rows of `GenerationStore` decide: a lost, repeated or late
 * hint costs time only. A started generation continues after its caller has disconnected.
 */
export class GenerationRunner extends Context.Service<GenerationRunner, {
  /**
   * Requests that a generation runs, in this process or another one. Used for a new generation, and for an `abandoned`
   * one that a search found. Returns at once.
   */
  readonly wake: (generation: number, options?: { readonly abandoned: boolean }) => Effect.Effect<void>
  /**
   * Succeeds if this process runs the generations that it accepts. Other processes may have another model. Fails with
   * the reason, for example for a few seconds after the process joined a cluster.
   */
  readonly ready: Effect.Effect<void, StoreUnavailable>
  /**
   * Makes the runner check whether it still holds the generation, so that an ended one consumes nothing more. Returns
   * at once.
   */
  readonly halt: (generation: number) => Effect.Effect<void>
}>()("@tapeline/core/agent/GenerationRunner") {}
