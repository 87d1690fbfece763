import { statements } from "./statements.ts"

/**
 * Tasks of accounts, their firings, and the bell. A change by an owner, and what rings the bell, lock the account's row
 * of `task_accounts`. Times are epoch ms. Texts that people and models wrote stand in JSON, which has a form for every
 * one of them, also where PostgreSQL's own texts have none.
 */
export default statements(
  "create sequence task_ids",
  "create sequence firing_ids",
  // `notified` is the number of the newest notification: gapless, for it is counted under the row's lock.
  `create table task_accounts (
    account bigint primary key,
    notified bigint not null default 0
  ) with (fillfactor = 50)`,
  `create table tasks (
    account bigint not null,
    id bigint not null,
    kind text not null check (kind in ('watch', 'schedule')),
    status text not null check (status in ('active', 'paused', 'done')),
    version bigint not null,
    max_runs bigint,
    runs bigint not null,
    conversation bigint not null,
    key bigint not null,
    created_at bigint not null,
    updated_at bigint not null,
    done_at bigint check ((done_at is not null) = (status = 'done')),
    not_before bigint,
    next_at bigint check ((next_at is not null) = (kind = 'schedule')),
    said text not null,
    last text,
    primary key (account, id)
  ) with (fillfactor = 80)`,
  "create index tasks_by_id on tasks (id)",
  "create index tasks_watching on tasks (id) where kind = 'watch' and status = 'active'",
  "create index tasks_due on tasks (next_at) where kind = 'schedule' and status = 'active'",
  // How far watches have looked changes each minute, of all of them: a narrow row with room beside it, of which nothing
  // that changes is indexed. The version stands here as well, so that this row alone says whether it is as it was read.
  `create table task_watches (
    account bigint not null,
    task bigint not null,
    version bigint not null,
    arming bigint not null,
    armed boolean not null,
    checked_to bigint not null,
    last double precision,
    primary key (account, task)
  ) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05)`,
  "create index task_watches_by_task on task_watches (task)",
  `create table task_firings (
    account bigint not null,
    id bigint not null,
    task bigint not null,
    due text collate "C" not null,
    due_at bigint not null,
    late_by bigint not null,
    missed bigint not null,
    said text not null,
    lang text not null,
    key bigint not null,
    conversation bigint not null,
    claimed_at bigint not null,
    epoch bigint not null,
    renewed_at bigint not null,
    state text not null check (state in ('claimed', 'asked', 'ended')),
    generation bigint,
    outcome text,
    ended_at bigint check ((ended_at is not null) = (state = 'ended')),
    primary key (account, id)
  ) with (fillfactor = 70)`,
  // A task fires once for each time and each arming.
  "create unique index task_firings_by_due on task_firings (account, task, due)",
  "create index task_firings_by_id on task_firings (id)",
  "create index task_firings_unfinished on task_firings (id) where state <> 'ended'",
  "create index task_firings_ended on task_firings (ended_at) where state = 'ended'",
  `create table notifications (
    account bigint not null,
    n bigint not null,
    time bigint not null,
    kind text not null,
    said text not null,
    task bigint not null,
    conversation bigint,
    read boolean not null default false,
    primary key (account, n)
  ) with (fillfactor = 90)`,
  "create index notifications_unread on notifications (account, n) where not read",
  // What a call of an account wrote, and how many notifications another one marked as read.
  `create table task_writes (
    account bigint not null,
    call text collate "C" not null,
    answer text not null,
    written_at bigint not null,
    primary key (account, call)
  )`,
  "create index task_writes_by_time on task_writes (written_at)",
  `create table notification_marks (
    account bigint not null,
    call text collate "C" not null,
    marked bigint not null,
    written_at bigint not null,
    primary key (account, call)
  )`,
  "create index notification_marks_by_time on notification_marks (written_at)",
  // One row: who said last that it looks after tasks, and when.
  `create table task_leader (
    one boolean primary key check (one),
    holder text not null,
    said_at bigint not null
  )`
)
