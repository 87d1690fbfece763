import { Context, type Effect } from "effect"

/**
 * Where generations run. It only hints: the rows of `GenerationStore` decide, so that a hint that is lost, doubled or
 * late costs time and nothing else. A started generation runs on when its caller is gone.
 */
export class GenerationRunner extends Context.Service<GenerationRunner, {
  /** Has a generation run, here or elsewhere; for a fresh one, and for one that was abandoned. Returns at once. */
  readonly wake: (generation: number) => Effect.Effect<void>
  /**
   * Whether this process runs the generations that it accepts. Other processes may have another model. A process that
   * has just joined a cluster is not ready for a few seconds.
   */
  readonly ready: Effect.Effect<boolean>
  /** Has its runner look whether it still holds it, so that an ended one consumes nothing more. Returns at once. */
  readonly halt: (generation: number) => Effect.Effect<void>
}>()("@tapeline/core/agent/GenerationRunner") {}
