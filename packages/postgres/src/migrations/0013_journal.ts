import { statements } from "./statements.ts"

/**
 * Journals of accounts. A change locks its account's row of `journals`, which holds what changes are judged by, and
 * leaves its answer in `journal_writes`, by which its call is known again. Times are epoch ms.
 */
export default statements(
  "create sequence journal_ids",
  `create table journals (
    account bigint primary key,
    positions integer not null default 0,
    trades integer not null default 0,
    notes integer not null default 0,
    account_usd numeric,
    risk_pct numeric,
    max_leverage numeric,
    max_open_risk_pct numeric,
    watchlist text not null default '[]'
  ) with (fillfactor = 80)`,
  `create table journal_positions (
    account bigint not null,
    id bigint not null,
    coin text not null,
    side text not null check (side in ('long', 'short')),
    leverage numeric,
    size_usd numeric,
    entry numeric,
    stop numeric,
    initial_stop numeric,
    takes numeric[] not null,
    notes text,
    share numeric not null check (share > 0 and share <= 1),
    opened_at bigint not null,
    updated_at bigint not null,
    primary key (account, id)
  )`,
  `create table journal_trades (
    account bigint not null,
    id bigint not null,
    position bigint not null,
    coin text not null,
    side text not null check (side in ('long', 'short')),
    fraction numeric not null,
    share numeric not null,
    size_usd numeric,
    entry numeric,
    exit numeric not null,
    initial_stop numeric,
    fees_usd numeric not null,
    pnl_usd numeric,
    closes boolean not null,
    notes text,
    opened_at bigint not null,
    closed_at bigint not null,
    primary key (account, id)
  )`,
  "create index journal_trades_by_time on journal_trades (account, closed_at, id)",
  "create index journal_trades_by_position on journal_trades (account, position)",
  `create table journal_notes (
    account bigint not null,
    id bigint not null,
    text text not null,
    trade bigint,
    coin text,
    written_at bigint not null,
    primary key (account, id)
  )`,
  "create index journal_notes_by_trade on journal_notes (account, trade)",
  `create table journal_writes (
    account bigint not null,
    call text collate "C" not null,
    answer text not null,
    written_at bigint not null,
    primary key (account, call)
  )`,
  "create index journal_writes_by_time on journal_writes (account, written_at)"
)
