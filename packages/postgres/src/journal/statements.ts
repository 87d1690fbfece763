import type { PgClient } from "@effect/sql-pg"
import { maxHistoryNotes, writeRetentionMs } from "@tapeline/core/personal"
import { idleTimeoutSql, nowMsOnceSql, nowMsSql } from "../rowLocks.ts"
import { noteColumns, positionColumns, profileColumns, selectJsonSql, tradeColumns } from "./rows.ts"

const profileJsonSql = (table: string) =>
  `(select row_to_json(r)::text from (select ${profileColumns} from ${table}) r)`

/**
 * Returns SQL that locks the journal row of an account. If another transaction has locked the row, the SQL returns no
 * row.
 */
export const lockJournal = (sql: PgClient.PgClient): string =>
  `with k as (
    select * from journals where account = $1::bigint for no key update skip locked
  )
  select ${idleTimeoutSql(sql)} as bound, exists (select from journals where account = $1::bigint) as there,
    k.positions, k.trades, k.notes, k.watchlist, ${profileJsonSql("k")} as profile
  from (select) one left join k on true`

export const insertJournal = "insert into journals (account) values ($1::bigint) on conflict do nothing"

/** Selects the rows that a change refers to. A statement that also locked the journal could read outdated rows. */
export const selectNamed = `select nextval('journal_ids')::float8 as id, ${nowMsSql}::float8 as now,
  (select answer from journal_writes where account = $1::bigint and call = $2
    and written_at > ${nowMsSql} - ${writeRetentionMs}) as answer,
  exists (select from journal_trades where account = $1::bigint and id = $3::bigint) as "hasTrade",
  (select row_to_json(r)::text from (
    select ${positionColumns} from journal_positions where account = $1::bigint and id = $4::bigint
  ) r) as position`

export const upsertPosition = `insert into journal_positions (account, id, coin, side, leverage, size_usd, entry, stop,
    initial_stop, takes, notes, share, opened_at, updated_at)
  select $1::bigint, id, coin, side, leverage, "sizeUsd", entry, stop, "initialStop", takes, notes, share, "openedAt",
    "updatedAt"
  from json_to_record($2::json) as r (id bigint, coin text, side text, leverage numeric, "sizeUsd" numeric,
    entry numeric, stop numeric, "initialStop" numeric, takes numeric[], notes text, share numeric, "openedAt" bigint,
    "updatedAt" bigint)
  on conflict (account, id) do update set leverage = excluded.leverage, size_usd = excluded.size_usd,
    entry = excluded.entry, stop = excluded.stop, initial_stop = excluded.initial_stop, takes = excluded.takes,
    notes = excluded.notes, share = excluded.share, updated_at = excluded.updated_at`

export const deletePosition = "delete from journal_positions where account = $1::bigint and id = $2::bigint"

export const insertTrade =
  `insert into journal_trades (account, id, position, coin, side, fraction, share, size_usd, entry,
    exit, initial_stop, fees_usd, pnl_usd, closes, notes, opened_at, closed_at)
  select $1::bigint, id, "positionId", coin, side, fraction, share, "sizeUsd", entry, exit, "initialStop", "feesUsd",
    "pnlUsd", closes, notes, "openedAt", "closedAt"
  from json_to_record($2::json) as r (id bigint, "positionId" bigint, coin text, side text, fraction numeric,
    share numeric, "sizeUsd" numeric, entry numeric, exit numeric, "initialStop" numeric, "feesUsd" numeric,
    "pnlUsd" numeric, closes boolean, notes text, "openedAt" bigint, "closedAt" bigint)`

export const insertNote = `insert into journal_notes (account, id, text, trade, coin, written_at)
  select $1::bigint, id, text, "tradeId", coin, "writtenAt"
  from json_to_record($2::json) as r (id bigint, text text, "tradeId" bigint, coin text, "writtenAt" bigint)`

export const updateProfile = `update journals set account_usd = "accountUsd", risk_pct = "riskPct",
    max_leverage = "maxLeverage", max_open_risk_pct = "maxOpenRiskPct"
  from json_to_record($2::json) as r ("accountUsd" numeric, "riskPct" numeric, "maxLeverage" numeric,
    "maxOpenRiskPct" numeric)
  where account = $1::bigint`

export const updateWatchlist = "update journals set watchlist = $2 where account = $1::bigint"

export const updateCounts = `update journals set positions = positions + $2::integer, trades = trades + $3::integer,
  notes = notes + $4::integer where account = $1::bigint`

/** The maximum number of expired journal writes that one new write deletes. */
const deletedAtOnce = 20

/** Stores the response of a call, and replaces an expired response of the same call. */
export const storeWrite = `with old as (
    delete from journal_writes where account = $1::bigint and call in (
      select call from journal_writes where account = $1::bigint and call <> $2
        and written_at <= ${nowMsOnceSql} - ${writeRetentionMs}
      order by written_at limit ${deletedAtOnce}
    )
  )
  insert into journal_writes (account, call, answer, written_at) values ($1::bigint, $2, $3, ${nowMsSql})
  on conflict (account, call) do update set answer = excluded.answer, written_at = excluded.written_at`

export const selectHoldings = `select ${
  selectJsonSql(`select ${positionColumns} from journal_positions where account = $1::bigint`, "r.id")
} as positions, ${profileJsonSql("journals where account = $1::bigint")} as profile,
  (select watchlist from journals where account = $1::bigint) as watchlist`

const closedWithinSql = `account = $1::bigint and closed_at > ${nowMsSql} - $2::bigint and ($3 = '' or coin = $3)`

export const selectHistory = `with t as materialized (
    select ${tradeColumns} from journal_trades where ${closedWithinSql} order by closed_at desc, journal_trades.id desc
    limit $4::bigint
  )
  select ${selectJsonSql("select * from t", `r."closedAt" desc, r.id desc`)} as trades,
    (select count(*)::float8 from journal_trades where ${closedWithinSql}) as total,
    ${
  selectJsonSql(
    `select ${noteColumns} from journal_notes where account = $1::bigint and (
      trade in (select t.id::bigint from t)
      or (trade is null and written_at > ${nowMsSql} - $2::bigint and ($3 = '' or coin = $3))
    ) order by journal_notes.id desc limit ${maxHistoryNotes}`,
    "r.id desc"
  )
} as notes`

export const selectClosed = `select ${
  selectJsonSql(
    `select ${tradeColumns} from journal_trades where account = $1::bigint and position in (
      select position from journal_trades
      where account = $1::bigint and closes and closed_at > ${nowMsSql} - $2::bigint
    )`,
    `r."closedAt", r.id`
  )
} as trades`
