import { type AccountTable, defineTable as table } from "./accountTable.ts"

const call = { call: "text" } as const
const id = { id: "bigint" } as const

/** The tables of the journal, for `accountTables`. */
export const journalTables: ReadonlyArray<AccountTable> = [
  table("journals", "journal", {}, {
    positions: "value",
    trades: "value",
    notes: "value",
    account_usd: "number",
    risk_pct: "number",
    max_leverage: "number",
    max_open_risk_pct: "number",
    watchlist: "json"
  }),
  table("journal_positions", "position", id, {
    id: "number",
    coin: "value",
    side: "value",
    leverage: "number",
    size_usd: "number",
    entry: "number",
    stop: "number",
    initial_stop: "number",
    takes: "numbers",
    notes: "json",
    share: "number",
    opened_at: "time",
    updated_at: "time"
  }),
  table("journal_trades", "trade", id, {
    id: "number",
    position: "number",
    coin: "value",
    side: "value",
    fraction: "number",
    share: "number",
    size_usd: "number",
    entry: "number",
    exit: "number",
    initial_stop: "number",
    fees_usd: "number",
    pnl_usd: "number",
    closes: "value",
    notes: "json",
    opened_at: "time",
    closed_at: "time"
  }),
  table("journal_notes", "note", id, {
    id: "number",
    text: "json",
    trade: "number",
    coin: "value",
    written_at: "time"
  }),
  table("journal_writes", "journal_write", call, { call: "value", answer: "json", written_at: "time" }, {
    pageSize: 50
  })
]
