import type { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { boundIdle, RowHeld } from "../patiently.ts"

const lock = (sql: PgClient.PgClient): string =>
  `with k as (
    select account from task_accounts where account = $1::bigint for no key update skip locked
  )
  select ${boundIdle(sql)} as bound, exists (select from k) as locked,
    exists (select from task_accounts where account = $1::bigint) as there`

const make = "insert into task_accounts (account) values ($1::bigint) on conflict do nothing"

/** Locks the row of an account. Must be the first statement of a transaction. Makes the row if the account has none. */
export const lockAccount = (sql: PgClient.PgClient, account: number): Effect.Effect<void, SqlError | RowHeld> =>
  Effect.gen(function*() {
    for (let made = false;; made = true) {
      const [row] = yield* sql.unsafe<{ locked: boolean; there: boolean }>(lock(sql), [String(account)])
      if (row!.locked) return
      if (row!.there || made) return yield* new RowHeld()
      yield* sql.unsafe(make, [String(account)])
    }
  })
