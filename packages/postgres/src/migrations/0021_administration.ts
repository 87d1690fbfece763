import { statements } from "./statements.ts"

/**
 * The operator's data about accounts, the status of accounts, recorded events, and the responses to administrative
 * requests.
 */
export default statements(
  // `metadata` is a JSON object of texts.
  `alter table accounts
    add column external_id text,
    add column metadata text not null default '{}',
    add column status text not null default 'active' check (status in ('active', 'suspended', 'closed')),
    add column status_reason text`,
  "create unique index accounts_external_id on accounts (external_id)",
  "create index accounts_inactive on accounts (id) where status <> 'active'",
  `create trigger accounts_status_durable before update of status on accounts
    for each statement execute function commit_durably()`,
  `create trigger accounts_status_changed after update of status on accounts
    for each row execute function tell_access_changed()`,
  // Append-only. `before` and `after` are JSON objects.
  `create table events (
    id bigint generated always as identity primary key,
    time bigint not null,
    type text not null,
    actor text not null,
    account bigint,
    target text,
    before text,
    after text,
    request_id text,
    address text
  )`,
  "create index events_account on events (account, id)",
  "create index events_type on events (type, id)",
  "create index events_time on events (time)",
  // The lock makes ids ascend in the order of commits.
  `create function order_events() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock(hashtext('tapeline.events'));
    perform set_config('synchronous_commit', 'on', true);
    return null;
  end
$$`,
  `create trigger events_ordered before insert on events for each statement execute function order_events()`,
  `create table admin_requests (
    actor text not null,
    key text not null,
    fingerprint text not null,
    response text,
    created_at bigint not null,
    primary key (actor, key)
  )`,
  "create index admin_requests_old on admin_requests (created_at)"
)
