import { type PgClient, PgTypes } from "@effect/sql-pg"
import { DerivedDays, DerivedDaysUnavailable } from "@tapeline/core/analysis"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect, Layer, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { bigints } from "../parameters.ts"

interface Row {
  readonly day: number
  readonly until: number
  readonly bytes: Uint8Array
}

const selectDays = `select day::float8, until::float8, bytes from derived_days
  where rule = $1 and series = $2 and revision = $3 and day >= $4 and day < $5
  order by day`

// The rows are written in the order of the days, so that two writers of the same series do not deadlock.
const insertDays = `insert into derived_days as kept (rule, series, revision, day, until, bytes)
  select $1, $2, $3, put.day, put.until, put.bytes
  from unnest($4::bigint[], $5::bigint[], $6::bytea[]) as put (day, until, bytes)
  order by put.day
  on conflict (rule, series, day) do update
  set revision = excluded.revision, until = excluded.until, bytes = excluded.bytes, written_at = excluded.written_at
  where kept.revision <> excluded.revision or kept.until <= excluded.until`

/**
 * The number of days after the last write for which derived values are kept; deleted values are computed again on
 * request.
 */
const retentionDays = 200
const maxDeletedRows = 1_000

const deleteOldRows = `with old as (
    select rule, series, day from derived_days
    where written_at < now() - $1::integer * interval '1 day'
    limit $2 for update skip locked
  ), gone as (
    delete from derived_days using old
    where derived_days.rule = old.rule and derived_days.series = old.series and derived_days.day = old.day
    returning 1
  ) select count(*)::integer as count from gone`

const mapErrors = <A>(effect: Effect.Effect<A, SqlError>): Effect.Effect<A, DerivedDaysUnavailable> =>
  Effect.mapError(
    mapSqlErrors("DerivedDays")(effect),
    ({ cause, message }: StoreUnavailable) =>
      new DerivedDaysUnavailable({ reason: cause instanceof Error ? cause.message : message })
  )

/**
 * Implements `DerivedDays` with PostgreSQL. Statements never run within a caller's transaction, because a failed
 * statement would undo the transaction. Each write also deletes some derived values that are too old. The deletion of
 * old values starts with the first write of a UTC day, and ends when no old values remain.
 */
export const PgDerivedDays: Layer.Layer<never, never, PgClient.PgClient> = Layer.effect(
  DerivedDays,
  Effect.gen(function*() {
    const context = yield* Effect.context<PgClient.PgClient>()
    const { run } = yield* makeBackgroundPool
    const runApart = <A>(useClient: (sql: PgClient.PgClient) => Effect.Effect<A, SqlError>) =>
      mapErrors(Effect.updateContext(run(useClient), () => context))

    let newestDay = -Infinity
    let isDeletionDue = false
    const deleteSome = runApart((sql) =>
      sql.unsafe<{ readonly count: number }>(deleteOldRows, [retentionDays, maxDeletedRows])
    )
      .pipe(
        Effect.map(([row]) => {
          isDeletionDue = row!.count === maxDeletedRows
        }),
        // A failed deletion is ignored, because the new values are stored and the next write tries the deletion again.
        Effect.ignore
      )

    return {
      get: ({ from, revision, rule, series, to }) =>
        runApart((sql) => sql.unsafe<Row>(selectDays, [rule, series, revision, String(from), String(to)])),
      put: Effect.fnUntraced(function*({ days, revision, rule, series }) {
        yield* runApart((sql) =>
          sql.unsafe(insertDays, [
            rule,
            series,
            revision,
            bigints(days.map(({ day }) => day)),
            bigints(days.map(({ until }) => until)),
            Result.getOrThrow(PgTypes.array(days.map(({ bytes }) => bytes), PgTypes.OID.bytea))
          ])
        )
        for (const { day } of days) {
          if (day > newestDay) [newestDay, isDeletionDue] = [day, true]
        }
        if (isDeletionDue) yield* deleteSome
      })
    }
  })
)
