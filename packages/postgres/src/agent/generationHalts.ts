import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { SideSessions } from "../connection/SideSessions.ts"
import { PgListener } from "../PgListener.ts"

const channel = "tapeline_halts"

/**
 * Notifies other processes on the database that they must check whether a generation is still theirs. A
 * `GenerationRunner` of several processes uses it: one notice for each halt, outside any transaction. A lost notice
 * delays its runner by some seconds. An embedded database has one process, which receives no notices.
 */
export const generationHalts: Effect.Effect<
  { readonly tell: (generation: number) => Effect.Effect<void>; readonly told: Stream.Stream<number> },
  never,
  PgClient.PgClient | PgListener
> = Effect.gen(function*() {
  const [own, side, listener] = yield* Effect.all([PgClient.PgClient, SideSessions, PgListener])
  const client = side?.client ?? own
  return {
    tell: (generation) => Effect.ignore(client.unsafe("select pg_notify($1, $2)", [channel, String(generation)])),
    told: listener.listen(channel).pipe(
      Stream.flatMap((heard) => heard._tag === "Gap" ? Stream.empty : Stream.succeed(Number(heard.payload))),
      Stream.filter(Number.isSafeInteger)
    )
  }
})
