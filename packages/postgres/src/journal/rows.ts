import {
  JournalChangeResult,
  JournalNote,
  type JournalState,
  Position,
  RiskProfile,
  Trade
} from "@tapeline/core/personal"
import { Schema } from "effect"

/* Decimals are transferred as text, because JavaScript numbers are not exact. */

export const positionColumns = `id::float8 as id, coin, side, leverage::text as leverage, size_usd::text as "sizeUsd",
  entry::text as entry, stop::text as stop, initial_stop::text as "initialStop", takes::text[] as takes, notes,
  share::text as share, opened_at::float8 as "openedAt", updated_at::float8 as "updatedAt"`

export const tradeColumns = `id::float8 as id, position::float8 as "positionId", coin, side, fraction::text as fraction,
  share::text as share, size_usd::text as "sizeUsd", entry::text as entry, exit::text as exit,
  initial_stop::text as "initialStop", fees_usd::text as "feesUsd", pnl_usd::text as "pnlUsd", closes, notes,
  opened_at::float8 as "openedAt", closed_at::float8 as "closedAt"`

export const noteColumns = `id::float8 as id, text, trade::float8 as "tradeId", coin, written_at::float8 as "writtenAt"`

export const profileColumns = `account_usd::text as "accountUsd", risk_pct::text as "riskPct",
  max_leverage::text as "maxLeverage", max_open_risk_pct::text as "maxOpenRiskPct"`

/** Returns SQL that selects the rows of a query as a JSON array. The array is empty if the query returns no rows. */
export const selectJsonSql = (query: string, order: string): string =>
  `(select coalesce(json_agg(r order by ${order}), '[]')::text from (${query}) r)`

const makeJsonCodec = <S extends Schema.Codec<unknown, unknown>>(schema: S) => ({
  read: Schema.decodeUnknownSync(Schema.fromJsonString(schema)),
  write: Schema.encodeSync(Schema.fromJsonString(schema))
})

export const positionJson = makeJsonCodec(Position)
export const positionsJson = makeJsonCodec(Schema.Array(Position))
export const tradeJson = makeJsonCodec(Trade)
export const tradesJson = makeJsonCodec(Schema.Array(Trade))
export const noteJson = makeJsonCodec(JournalNote)
export const notesJson = makeJsonCodec(Schema.Array(JournalNote))
export const profileJson = makeJsonCodec(RiskProfile)
export const coinsJson = makeJsonCodec(Schema.Array(Schema.String))
export const writtenJson = makeJsonCodec(JournalChangeResult)

export interface JournalRow {
  readonly positions: number
  readonly trades: number
  readonly notes: number
  readonly profile: string
  readonly watchlist: string
}

export const toState = (
  row: JournalRow,
  named: { readonly position: string | null; readonly hasTrade: boolean }
): Omit<JournalState, "hasEnded"> => ({
  position: named.position === null ? null : positionJson.read(named.position),
  hasTrade: named.hasTrade,
  counts: { positions: row.positions, trades: row.trades, notes: row.notes },
  profile: profileJson.read(row.profile),
  watchlist: coinsJson.read(row.watchlist)
})
