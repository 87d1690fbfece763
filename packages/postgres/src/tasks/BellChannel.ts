import type { PgClient } from "@effect/sql-pg"
import { Context, Layer } from "effect"
import { makeNotices, type Notices } from "../listening/Notices.ts"
import type { PgListener } from "../PgListener.ts"

/** Informs the nodes of new notifications, by the ids of their accounts. */
export class BellChannel extends Context.Service<BellChannel, Notices>()("@tapeline/postgres/tasks/BellChannel") {
  static readonly layer: Layer.Layer<BellChannel, never, PgClient.PgClient | PgListener> = Layer.effect(
    BellChannel,
    makeNotices("tapeline_bells")
  )
}
