import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { type EntryNotifier, makeEntryNotifier } from "../listening/EntryNotifier.ts"
import type { PgListener } from "../PgListener.ts"

/** Informs the nodes of events that were appended to logs of generations, by the ids of the generations. */
export class GenerationChannel extends Context.Service<GenerationChannel, EntryNotifier>()(
  "@tapeline/postgres/agent/GenerationChannel"
) {
  static readonly layer: Layer.Layer<GenerationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    GenerationChannel,
    makeEntryNotifier("tapeline_generations")
  )
}
