import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/** The database's clock goes its own way: what the tables of tasks keep as a time is put back instead. */
export const ageTasks = (ms: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.gen(function*() {
      const by = String(ms)
      yield* sql`update tasks set not_before = not_before - ${by}::bigint, next_at = next_at - ${by}::bigint,
        done_at = done_at - ${by}::bigint`
      yield* sql`update task_firings set renewed_at = renewed_at - ${by}::bigint, ended_at = ended_at - ${by}::bigint`
      yield* sql`update task_writes set written_at = written_at - ${by}::bigint`
      yield* sql`update notification_marks set written_at = written_at - ${by}::bigint`
      yield* sql`update task_leader set said_at = said_at - ${by}::bigint`
    }))
