import { PgClient } from "@effect/sql-pg"
import { type EventKind, GenerationLog } from "@tapeline/core/agent"
import { Effect, Layer } from "effect"
import { mapSqlErrors } from "../errors.ts"
import { GenerationChannel } from "./GenerationChannel.ts"

interface Row {
  readonly over: boolean
  readonly next_n: number
  readonly n: number | null
  readonly kind: EventKind | null
  readonly data: string | null
}

// A single statement reads the state and the events, so that a log that is read as closed contains all events.
const readLogSql = `select g.state = 'closed' or not g.logged as over, g.next_n, e.n, e.kind, e.data
  from generations g
  left join lateral (
    select n, kind, data from generation_events
    where account = g.account and generation = g.id and n > least($2::bigint, 2147483647)::integer
    order by n limit $3::integer
  ) e on true
  where g.id = $1::bigint
  order by e.n`

/** Implements `GenerationLog` with PostgreSQL or PGlite. */
export const PgGenerationLog: Layer.Layer<GenerationLog, never, PgClient.PgClient | GenerationChannel> = Layer.effect(
  GenerationLog,
  Effect.gen(function*() {
    const [sql, { waiters }] = yield* Effect.all([PgClient.PgClient, GenerationChannel])
    const mapErrors = mapSqlErrors("GenerationLog")
    return GenerationLog.of({
      read: (generation, after, limit) =>
        Effect.map(
          mapErrors(sql.unsafe<Row>(readLogSql, [String(generation), String(after), String(limit)])),
          (rows) => {
            const [first] = rows
            if (first === undefined) return { events: [], isEnded: true }
            const events = rows.flatMap(({ data, kind, n }) =>
              n === null || kind === null || data === null ? [] : [{ n, kind, data }]
            )
            const isComplete = events.length < limit || (events.at(-1)?.n ?? after) >= first.next_n - 1
            return { events, isEnded: first.over && isComplete }
          }
        ),
      listen: (generation) => waiters.listen(generation)
    })
  })
)
