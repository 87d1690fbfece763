import { statements } from "./statements.ts"

/** Webhooks, and the deliveries of events to them. Times are in epoch ms. */
export default statements(
  // `secret` and `previous_secret` sign messages, so they are not hashed. All events up to `cursor` have a delivery if
  // the webhook selects them. Nothing is sent before `paused_until`, and only the lease `lease` sends before
  // `lease_until`.
  `create table webhooks (
    id bigint generated always as identity primary key,
    url text not null,
    description text,
    types text[],
    secret text not null,
    previous_secret text,
    previous_secret_expires_at bigint,
    disabled_reason text check (disabled_reason in ('operator', 'gone', 'failing')),
    created_at bigint not null,
    deleted_at bigint,
    cursor bigint not null,
    lease bigint not null default 0,
    lease_until bigint not null default 0,
    paused_until bigint not null default 0,
    failures integer not null default 0,
    failing_since bigint
  )`,
  `create table webhook_deliveries (
    webhook bigint not null references webhooks,
    event bigint not null references events on delete cascade,
    state text not null check (state in ('waiting', 'delivered', 'failed')),
    attempts integer not null default 0,
    last_attempt_at bigint,
    last_status integer,
    last_error text,
    next_at bigint,
    primary key (webhook, event)
  )`,
  "create index webhook_deliveries_event on webhook_deliveries (event)",
  "create index webhook_deliveries_due on webhook_deliveries (webhook, next_at) where state = 'waiting'",
  "create index webhook_deliveries_waiting on webhook_deliveries (webhook, event) where state = 'waiting'"
)
