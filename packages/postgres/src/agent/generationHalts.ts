import { PgClient } from "@effect/sql-pg"
import { Effect, Stream } from "effect"
import { SideSessions } from "../connection/SideSessions.ts"
import { PgListener } from "../PgListener.ts"

const channel = "tapeline_halts"

/**
 * How processes on one database tell one another to look whether a generation is still theirs, for a `GenerationRunner`
 * that has several: one notice for each, outside any transaction. One that is lost costs its runner some seconds. An
 * embedded database has one process, which is told nothing.
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
