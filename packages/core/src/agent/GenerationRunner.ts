import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"

/**
 * The reason why a runner stopped running a generation.
 *
 * - `Ended`: the runner ended the generation.
 * - `Lost`: during the run, another runner took over the generation, or another caller ended the generation.
 * - `Elsewhere`: the runner did not start, because the generation had another runner, had ended or did not exist.
 */
export type ExecutionResult = "Ended" | "Lost" | "Elsewhere"

/** The function with which a `GenerationRunner` executes a generation. */
export class GenerationExecutor extends Context.Service<GenerationExecutor, {
  /**
   * Takes a generation, continues after the last stored step, and runs the generation to its end with the suggestions.
   * Each time `halted` completes, the run queries the store, and stops if another process has taken or ended the
   * generation. After an interruption or a failure of the store, another process can take the generation. `staleMs`
   * replaces `AgentTiming.staleMs` for this call. Pass a `staleMs` of 0 only if the previous runner has certainly
   * stopped.
   */
  readonly execute: (
    generation: number,
    halted: Effect.Effect<void>,
    staleMs?: number,
    epochs?: number
  ) => Effect.Effect<ExecutionResult, StoreUnavailable>
}>()("@tapeline/core/agent/GenerationExecutor") {}

/**
 * Runs generations independently of their callers. A lost, repeated or late call of `wake` or `halt` can only delay a
 * generation. The rows of `GenerationStore` decide which process runs a generation.
 */
export class GenerationRunner extends Context.Service<GenerationRunner, {
  /**
   * Requests that this or another process runs a generation, and returns at once. `abandoned` is true if
   * `GenerationStore.listAbandoned` returned the generation.
   */
  readonly wake: (generation: number, options?: { readonly abandoned: boolean }) => Effect.Effect<void>
  /** Succeeds if this process can run generations, or fails with the reason why it cannot. */
  readonly ready: Effect.Effect<void, StoreUnavailable>
  /** Requests that the runner checks whether it still holds the generation, and returns at once. */
  readonly halt: (generation: number) => Effect.Effect<void>
}>()("@tapeline/core/agent/GenerationRunner") {}
