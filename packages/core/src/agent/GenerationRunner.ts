import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"

/**
 * The result with which a runner stops running a generation.
 *
 * - `Ended`: the runner ended the generation.
 * - `Lost`: during the run, another runner took the generation over, or another caller ended the generation.
 * - `Elsewhere`: the runner could not take the generation, because another runner has taken the generation, or the
 *   generation has ended or does not exist.
 */
export type ExecutionResult = "Ended" | "Lost" | "Elsewhere"

/** The function with which a `GenerationRunner` executes a generation. */
export class GenerationExecutor extends Context.Service<GenerationExecutor, {
  /**
   * Takes a generation, continues after the last stored step, and runs the generation to its end with the suggestions.
   * After each return of `halted`, the run checks the generation's row, and stops if the runner no longer holds the
   * generation. After an interruption or a failure of the store, another process can take the generation. `staleMs`
   * replaces the limit of `AgentTiming`; 0 means that the previous runner is known to be gone.
   */
  readonly execute: (
    generation: number,
    halted: Effect.Effect<void>,
    staleMs?: number,
    epochs?: number
  ) => Effect.Effect<ExecutionResult, StoreUnavailable>
}>()("@tapeline/core/agent/GenerationExecutor") {}

/**
 * Runs generations after their callers have disconnected, by hints whose loss, repetition or delay costs only time. The
 * rows of `GenerationStore` decide which process runs a generation.
 */
export class GenerationRunner extends Context.Service<GenerationRunner, {
  /** Requests that this or another process runs a generation, and returns at once. */
  readonly wake: (generation: number, options?: { readonly abandoned: boolean }) => Effect.Effect<void>
  /** Succeeds if this process runs the generations that it accepts, or fails with the reason why it does not. */
  readonly ready: Effect.Effect<void, StoreUnavailable>
  /** Makes the runner check whether its fence on the generation still holds, and returns at once. */
  readonly halt: (generation: number) => Effect.Effect<void>
}>()("@tapeline/core/agent/GenerationRunner") {}
