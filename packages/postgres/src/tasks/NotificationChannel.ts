import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { type EntryNotifier, makeEntryNotifier } from "../listening/EntryNotifier.ts"
import type { PgListener } from "../PgListener.ts"

/** Informs the nodes of new notifications. The notices contain the ids of accounts. */
export class NotificationChannel
  extends Context.Service<NotificationChannel, EntryNotifier>()("@tapeline/postgres/tasks/BellChannel")
{
  static readonly layer: Layer.Layer<NotificationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    NotificationChannel,
    makeEntryNotifier("tapeline_bells")
  )
}
