import { statements } from "./statements.ts"

/** Erasures of accounts, and the accounts to which the stored responses of administrative requests belong. */
export default statements(
  // `check_at` is the time of the next search for data to erase; null if no search is due. `deleted` and `kept` are
  // JSON objects: the number of rows by kind.
  `create table erasures (
    account bigint primary key,
    requested_at bigint not null,
    requested_by text not null,
    check_at bigint,
    finished_at bigint,
    leaves_backups_at bigint,
    deleted text not null default '{}',
    kept text not null default '{}'
  )`,
  "create index erasures_due on erasures (check_at) where check_at is not null",
  // The accounts of the events that the request recorded, and 0 for an event without an account. Empty if the request
  // changed nothing, and null if a process of an earlier version stored the row.
  "alter table admin_requests add column accounts bigint[]"
)
