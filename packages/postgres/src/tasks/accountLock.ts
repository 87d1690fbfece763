import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { idleTimeoutSql, RowLocked } from "../rowLocks.ts"

const lockAccountSql = (sql: PgClient.PgClient): string =>
  `with k as (
    select account from task_accounts where account = $1::bigint for no key update skip locked
  )
  select ${idleTimeoutSql(sql)} as bound, exists (select from k) as locked,
    exists (select from task_accounts where account = $1::bigint) as there`

const insertAccount = "insert into task_accounts (account) values ($1::bigint) on conflict do nothing"

/** Locks the row of an account in the first statement of a transaction, and creates a missing row. */
export const lockAccount = (sql: PgClient.PgClient, account: number): Effect.Effect<void, SqlError | RowLocked> =>
  Effect.gen(function*() {
    for (let hasInserted = false;; hasInserted = true) {
      const [row] = yield* sql.unsafe<{ locked: boolean; there: boolean }>(lockAccountSql(sql), [String(account)])
      if (row!.locked) return
      if (row!.there || hasInserted) return yield* new RowLocked()
      yield* sql.unsafe(insertAccount, [String(account)])
    }
  })
