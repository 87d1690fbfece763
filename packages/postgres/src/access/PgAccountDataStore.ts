import { PgClient } from "@effect/sql-pg"
import { AccountDataStore, type ErasureOptions, type ErasureReport, type ErasureStep } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { nowMsSql } from "../rowLocks.ts"
import { exportKinds, readExportPage } from "./accountExport.ts"
import type { AccountTable } from "./accountTable.ts"
import { accountTables } from "./accountTables.ts"

const mapErrors = mapSqlErrors("AccountDataStore")

const dayMs = 86_400_000

/** The time for which a finished erasure is checked for data that was written later, and the pause between checks. */
const checkForMs = dayMs
const checkIntervalMs = 600_000
/**
 * The pause before the first check. No step waits for calls without a reservation. Such a call stores its response at
 * most 40 s after its admission: it runs for at most 30 s, and its charge is repeated for 9.5 s.
 */
const firstCheckMs = 60_000
/** The pause in ms between two checks whether the account's answers and calls have ended. */
const waitMs = 500

const requestErasure = `insert into erasures as e (account, requested_at, requested_by, check_at)
  select $1::bigint, now, $2, now from (select ${nowMsSql} as now) t
  on conflict (account) do update set check_at = least(e.check_at, excluded.check_at)`

const reportColumns = `account::float8 as account, requested_at::float8 as requested_at, requested_by,
  finished_at::float8 as finished_at, leaves_backups_at::float8 as leaves_backups_at, deleted, kept`

const selectHasDue = `select exists (select from erasures where check_at <= ${nowMsSql}) as due`

/** The order is random, so that an erasure whose steps fail does not keep others waiting. */
const lockDue = `select ${reportColumns}, ${nowMsSql}::float8 as now from erasures where check_at <= ${nowMsSql}
  order by random() limit 1 for no key update skip locked`

/** Whether answers run, or calls hold a reservation. A call can write until its reservation ends. */
const selectRunning = `select exists (select from generations where account = $1::bigint and state = 'running')
    or exists (select from credit_months where account = $1::bigint and reserved > 0) as running`

type Counts = Readonly<Record<string, number>>

interface ReportRow {
  readonly account: number
  readonly requested_at: number
  readonly requested_by: string
  readonly finished_at: number | null
  readonly leaves_backups_at: number | null
  readonly deleted: string
  readonly kept: string
}

const toReport = (row: ReportRow): ErasureReport => {
  const erased: Counts = JSON.parse(row.deleted)
  const kept: Counts = JSON.parse(row.kept)
  return {
    account: row.account,
    requestedAt: row.requested_at,
    requestedBy: row.requested_by,
    finishedAt: row.finished_at,
    leavesBackupsAt: row.leaves_backups_at,
    kinds: accountTables.map(({ erasure, kind }) => ({
      kind,
      deleted: erasure.action === "delete" ? erased[kind] ?? 0 : 0,
      redacted: erasure.action === "redact" ? erased[kind] ?? 0 : 0,
      kept: kept[kind] ?? 0,
      reason: erasure.action === "delete" ? null : erasure.reason
    }))
  }
}

/** The condition for the rows of account `$1` in tables whose rows belong to accounts through another table. */
const indirectConditions: Readonly<Record<string, string>> = {
  session_texts: "session in (select id from sessions where account = $1::bigint)",
  webhook_deliveries: "event in (select id from events where account = $1::bigint)",
  // The response of a request that changed nothing contains the unchanged object. A repeat of a request that changed
  // nothing changes nothing either, so the stored response is not needed.
  admin_requests: "(accounts @> array[$1::bigint] or accounts = '{}')"
}

const rowsOf = ({ account, table }: AccountTable): string =>
  account === null ? indirectConditions[table]! : `${account} = $1::bigint`

/** Returns SQL that erases at most `$2` rows of account `$1`. */
const eraseSql = (table: AccountTable): string => {
  const { erasure, key, table: name } = table
  const keys = [...(table.account === null ? [] : [table.account]), ...Object.keys(key)]
  const columns = [...new Set(keys)].map((column) => `"${column}"`).join(", ")
  const found = (condition: string) =>
    `(${columns}) in (select ${columns} from ${name} where ${rowsOf(table)} ${condition} limit $2::bigint)`
  switch (erasure.action) {
    case "delete":
      return `with gone as (delete from ${name} where ${
        found("")
      } returning 1) select count(*)::float8 as count from gone`
    case "redact":
      return `with redacted as (update ${name} set ${erasure.set} where ${found(`and ${erasure.where}`)} returning 1)
        select count(*)::float8 as count from redacted`
    case "keep":
      return ""
  }
}

// Sessions are deleted after their tokens, so that the deletion of a session does not delete any number of rows.
const erasedTables = accountTables
  .filter(({ erasure }) => erasure.action !== "keep")
  .map((table) => ({ table, text: eraseSql(table) }))
  .sort((a, b) => Number(a.table.table === "sessions") - Number(b.table.table === "sessions"))

/** Erases at most `maxRows` rows of the account, and returns their numbers by kind. */
const eraseRows = Effect.fnUntraced(function*(sql: PgClient.PgClient, account: number, maxRows: number) {
  const counts: Record<string, number> = {}
  let left = maxRows
  for (const { table, text } of erasedTables) {
    const limit = Math.min(left, table.pageSize)
    for (;;) {
      const [row] = yield* sql.unsafe<{ readonly count: number }>(text, [String(account), String(limit)])
      if (row!.count === 0) break
      counts[table.kind] = (counts[table.kind] ?? 0) + row!.count
      left -= row!.count
      if (left <= 0) return { counts, rows: maxRows - left }
      if (row!.count < limit) break
    }
  }
  return { counts, rows: maxRows - left }
})

const addCounts = (a: Counts, b: Counts): Counts => {
  const kinds = [...new Set([...Object.keys(a), ...Object.keys(b)])]
  return Object.fromEntries(kinds.map((kind) => [kind, (a[kind] ?? 0) + (b[kind] ?? 0)]))
}

const countKept = Effect.fnUntraced(function*(sql: PgClient.PgClient, account: number) {
  const kept: Record<string, number> = {}
  for (const table of accountTables.filter(({ erasure }) => erasure.action !== "delete")) {
    const [row] = yield* sql.unsafe<{ readonly count: number }>(
      `select count(*)::float8 as count from ${table.table} where ${rowsOf(table)}`,
      [String(account)]
    )
    kept[table.kind] = row!.count
  }
  return kept
})

const storeErased = `update erasures set deleted = $2, check_at = $3::bigint, finished_at = null,
  leaves_backups_at = null, kept = '{}' where account = $1::bigint`
const storeCheck = "update erasures set check_at = $2::bigint where account = $1::bigint"
const storeFinish =
  `update erasures set finished_at = $2::bigint, leaves_backups_at = $3::bigint, check_at = $4::bigint,
  kept = $5 where account = $1::bigint returning ${reportColumns}`

const continueErasure = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { backupDays, maxRows, settleMs }: ErasureOptions
): Effect.fn.Return<ErasureStep | null, SqlError> {
  const [due] = yield* sql.unsafe<ReportRow & { readonly now: number }>(lockDue)
  if (due === undefined) return null
  const { account, now } = due
  const id = String(account)
  const [{ running } = { running: false }] = yield* sql.unsafe<{ readonly running: boolean }>(selectRunning, [id])
  if (running || now < due.requested_at + settleMs) {
    yield* sql.unsafe(storeCheck, [id, String(now + waitMs)])
    return { _tag: "Waiting", account }
  }
  const { counts, rows } = yield* eraseRows(sql, account, maxRows)
  if (rows > 0) {
    const deleted = addCounts(JSON.parse(due.deleted), counts)
    yield* sql.unsafe(storeErased, [id, JSON.stringify(deleted), String(now)])
    return { _tag: "Erased", account, rows }
  }
  if (due.finished_at !== null) {
    const next = now - due.finished_at >= checkForMs ? null : String(now + checkIntervalMs)
    yield* sql.unsafe(storeCheck, [id, next])
    return { _tag: "Finished", account, report: null }
  }
  const kept = yield* countKept(sql, account)
  const [finished] = yield* sql.unsafe<ReportRow>(storeFinish, [
    id,
    String(now),
    String(now + backupDays * dayMs),
    String(now + firstCheckMs),
    JSON.stringify(kept)
  ])
  return { _tag: "Finished", account, report: toReport(finished!) }
})

/** Implements `AccountDataStore` with PostgreSQL or PGlite. */
export const PgAccountDataStore: Layer.Layer<AccountDataStore, never, PgClient.PgClient> = Layer.effect(
  AccountDataStore,
  Effect.map(makeBackgroundPool, (backgroundPool) =>
    AccountDataStore.of({
      exportKinds,
      exportPage: (request) => mapErrors(readExportPage(backgroundPool.run, request)),
      requestErasure: (account, requestedBy) =>
        Effect.asVoid(
          mapErrors(backgroundPool.run((sql) => sql.unsafe(requestErasure, [String(account), requestedBy])))
        ),
      erasure: (account) =>
        Effect.map(
          mapErrors(
            backgroundPool.run((sql) =>
              sql.unsafe<ReportRow>(`select ${reportColumns} from erasures where account = $1::bigint`, [
                String(account)
              ])
            )
          ),
          ([row]) => row === undefined ? null : toReport(row)
        ),
      hasDueErasure: Effect.map(
        mapErrors(backgroundPool.run((sql) => sql.unsafe<{ readonly due: boolean }>(selectHasDue))),
        ([row]) => row!.due
      ),
      continueErasure: (options) => mapErrors(backgroundPool.run((sql) => continueErasure(sql, options)))
    }))
)
