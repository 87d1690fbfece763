import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { type EntryNotifier, makeEntryNotifier } from "../listening/EntryNotifier.ts"
import type { PgListener } from "../PgListener.ts"

/** Notifies the nodes of new notifications of an account. */
export class NotificationChannel
  extends Context.Service<NotificationChannel, EntryNotifier>()("@tapeline/postgres/tasks/NotificationChannel")
{
  static readonly layer: Layer.Layer<NotificationChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    NotificationChannel,
    makeEntryNotifier("tapeline_bells")
  )
}
