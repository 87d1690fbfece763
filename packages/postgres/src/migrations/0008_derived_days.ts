import { statements } from "./statements.ts"

/**
 * Derived values by UTC day. Not logged: what a crash of the database loses is computed again. Times are epoch ms.
 */
export default statements(
  `create unlogged table derived_days (
    rule text collate "C" not null,
    series text collate "C" not null,
    day bigint not null,
    revision text collate "C" not null,
    until bigint not null,
    bytes bytea not null,
    written_at timestamptz not null default now(),
    primary key (rule, series, day)
  )`,
  "create index derived_days_by_writing on derived_days (written_at)"
)
