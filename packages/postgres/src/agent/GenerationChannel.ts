import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { type EntryNotifier, makeEntryNotifier } from "../listening/EntryNotifier.ts"
import type { PgListener } from "../PgListener.ts"

/**
 * Informs the nodes that events were appended to the log of a generation. The notices contain the ids of generations.
 */
export class GenerationChannel extends Context.Service<GenerationChannel, EntryNotifier>()(
  "@tapeline/postgres/agent/GenerationChannel"
) {
  static readonly layer: Layer.Layer<GenerationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    GenerationChannel,
    makeEntryNotifier("tapeline_generations")
  )
}
