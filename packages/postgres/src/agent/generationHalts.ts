import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { BackgroundSessions } from "../connection/sessions.ts"
import { PgListener } from "../PgListener.ts"

const channel = "tapeline_halts"

/**
 * Notifies other processes on the same database that a generation was halted, so that they check their runs. If a
 * notice is lost, the other processes detect the halt some seconds later.
 */
export const generationHalts: Effect.Effect<
  { readonly notify: (generation: number) => Effect.Effect<void>; readonly notifications: Stream.Stream<number> },
  never,
  PgClient.PgClient | PgListener
> = Effect.gen(function*() {
  const [mainClient, backgroundSessions, listener] = yield* Effect.all([
    PgClient.PgClient,
    BackgroundSessions,
    PgListener
  ])
  const client = backgroundSessions?.client ?? mainClient
  return {
    notify: (generation) => Effect.ignore(client.unsafe("select pg_notify($1, $2)", [channel, String(generation)])),
    notifications: listener.listen(channel).pipe(
      Stream.flatMap((notice) => notice._tag === "Gap" ? Stream.empty : Stream.succeed(Number(notice.payload))),
      Stream.filter(Number.isSafeInteger)
    )
  }
})
