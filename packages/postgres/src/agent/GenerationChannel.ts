import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { type EntryNotifier, makeEntryNotifier } from "../listening/EntryNotifier.ts"
import type { PgListener } from "../PgListener.ts"

/** Notifies the nodes of new events in a generation's log. */
export class GenerationChannel extends Context.Service<GenerationChannel, EntryNotifier>()(
  "@tapeline/postgres/agent/GenerationChannel"
) {
  static readonly layer: Layer.Layer<GenerationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    GenerationChannel,
    makeEntryNotifier("tapeline_generations")
  )
}
