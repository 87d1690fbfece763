import { layerMigrations, layerPostgres } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"

export interface Template {
  readonly name: string
  readonly drop: () => Promise<void>
}

/**
 * Creates an empty database with the current schema. Copying the database takes a tenth of the time that the migrations
 * take.
 */
export const makeTemplate = async (server: string): Promise<Template> => {
  const name = `t_${crypto.randomUUID().replaceAll("-", "")}`
  const run = (text: string) =>
    Effect.runPromise(
      Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared).pipe(
        Effect.provide(layerPostgres({ url: server, maxConnections: 1 })),
        Effect.asVoid
      )
    )
  await run(`create database ${name} template template0`)
  const url = new URL(server)
  url.pathname = `/${name}`
  await Effect.runPromise(
    Effect.scoped(Layer.build(layerMigrations.pipe(Layer.provide(layerPostgres({ url: url.href })))))
  )
  return { name, drop: () => run(`drop database ${name} with (force)`) }
}
