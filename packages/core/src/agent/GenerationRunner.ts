import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"

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
