import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"

/**
 * Where generations run. It only hints: the rows of `GenerationStore` decide, so that a hint that is lost, doubled or
 * late costs time and nothing else. A started generation runs on when its caller is gone.
 */
export class GenerationRunner extends Context.Service<GenerationRunner, {
  /**
   * Has a generation run, here or elsewhere; for a fresh one, and for an `abandoned` one that a search found. Returns
   * at once.
   */
  readonly wake: (generation: number, options?: { readonly abandoned: boolean }) => Effect.Effect<void>
  /**
   * Succeeds if this process runs the generations that it accepts. Other processes may have another model. Fails with
   * the reason, for example for a few seconds after the process joined a cluster.
   */
  readonly ready: Effect.Effect<void, StoreUnavailable>
  /** Has its runner look whether it still holds it, so that an ended one consumes nothing more. Returns at once. */
  readonly halt: (generation: number) => Effect.Effect<void>
}>()("@tapeline/core/agent/GenerationRunner") {}
