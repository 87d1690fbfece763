import { statements } from "./statements.ts"

/*
 * The schema that migrations 0001 to 0018 created before they were replaced by this file (decision 0076). A database
 * that ran them skips it.
 *
 * Times are epoch ms, and months are numbers such as 202611. Days of the ledger are counted from 1970-01-01 (UTC).
 * Other days are the epoch ms of their start. Texts of people, models and tools are stored as JSON, because the type
 * `text` cannot hold U+0000.
 *
 * Locks are always taken in this order, so that no two transactions wait for each other: the table `plans`, accounts by
 * id, months by account and month, reservations, idempotency keys. The sweep locks usage and reservations with `skip
 * locked`, so their order does not matter there.
 *
 * Functions whose names end in `_2` replaced functions of an earlier version. The comment `hot` marks a statement that
 * runs on every call. `plans.test.ts` checks its query plan.
 */

/**
 * Settings of functions that run on every call. A session may plan them while the tables are empty and keeps the plans.
 * The planner may therefore choose only plans that stay good as tables grow: index scans in nested loops.
 */
const hot = `set plan_cache_mode = force_generic_plan set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

/** The limit for rows that another session holds, unless the caller passes `p_wait`. */
const briefly = "set lock_timeout = '100ms'"

/** Acknowledges a change only when it is on the disk, whatever the server's default is. */
const durable = "perform set_config('synchronous_commit', 'on', true)"

/** The database's time in epoch ms. Tests pass another time as `p_at`. */
const now = "coalesce(p_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** The day of a reservation. */
const day = "(reserved_at / 86400000)::integer"

/** The caller of a reservation: the id of a key, -1 for a session, 0 for a task. */
const caller = "case when key > 0 then key when key < 0 then -1 else 0 end"

/** The credits of those reservations of a group that were settled. */
const charged = "coalesce(sum(credits) filter (where state = 'settled'), 0)"

/** Whether a rate-limit window is over at the time of the new row. */
const ended = "w.ends_at <= excluded.ends_at - p_window * interval '1 millisecond'"

/** The number of requests that the window still admits. */
const room = "greatest(0, least(excluded.asked, excluded.most - w.taken))"

/** Counts requests in their accounts' windows. `source` inserts a new window for each account. */
const take = (hotName: string, source: string) =>
  `return query /* hot ${hotName} */ ${source}
        on conflict on constraint request_windows_pkey do update set
          ends_at = case when ${ended} then excluded.ends_at else w.ends_at end,
          admitted = case when ${ended} then excluded.taken else ${room} end,
          taken = case when ${ended} then excluded.taken else w.taken + ${room} end
        returning w.account::float8, w.admitted, w.taken,
          greatest(0, ceil(extract(epoch from w.ends_at - clock_timestamp()) * 1000))::float8 /* end */`

const newWindows = `insert into request_windows as w (account, ends_at, taken, admitted, asked, most)
        select u.account, clock_timestamp() + p_window * interval '1 millisecond', least(u.asked, u.most),
          least(u.asked, u.most), u.asked, u.most
        from unnest(p_accounts, p_asked, p_most) as u (account, asked, most)`

/** A partitioned table of points: at most one row for each series and time. */
const points = (name: string, ...columns: ReadonlyArray<string>): string =>
  `create table market_${name} (
    time bigint not null,
    ${columns.map((column) => `${column} double precision`).join(", ")},
    series integer not null,
    source smallint not null,
    primary key (series, time)
  ) partition by range (time)`

/**
 * A partitioned table of events. An event has a row for each of its subjects; `leads` is true in the first of them. An
 * event without a subject belongs to its kind's own series.
 */
const events = (name: string, ...columns: ReadonlyArray<string>): ReadonlyArray<string> => [
  `create table market_${name} (
    time bigint not null,
    ${columns.map((column) => `${column} double precision`).join(", ")},
    series integer not null,
    source smallint not null,
    leads boolean not null,
    id text collate "C" not null,
    label text collate "C",
    document text,
    primary key (series, time, id)
  ) partition by range (time)`,
  `create index market_${name}_by_id on market_${name} (id)`,
  `create index market_${name}_by_time on market_${name} (time, id) where leads`
]

const bars = ["open", "high", "low", "close", "volume", "quote_volume"]

/** Plans, accounts, and their API keys. */
const accounts = [
  // `laid` is false until a changed allotment was applied to the accounts' open months. `version` counts the changes of
  // the allotment, so that a change there and back is noticed.
  `create table plans (
    name text primary key,
    monthly_credits bigint not null check (monthly_credits >= 0),
    laid boolean not null default true,
    version bigint not null default 1
  )`,
  `create function count_plan_version() returns trigger language plpgsql as $$
  begin
    new.version := old.version + 1;
    return new;
  end
$$`,
  `create trigger plans_version before update of monthly_credits on plans
    for each row execute function count_plan_version()`,
  `create table accounts (
    id bigint generated by default as identity primary key,
    name text not null,
    plan text not null,
    created_at bigint not null
  )`,
  "create index accounts_plan on accounts (plan, id)",
  // A key is stored only as its SHA-256.
  `create table keys (
    id bigint generated by default as identity primary key,
    account bigint not null references accounts (id),
    name text not null,
    prefix text not null,
    hash text not null unique,
    scopes text[] not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  ) with (fillfactor = 80)`,
  "create index keys_account on keys (account, id)",
  // Makes the commit of a transaction wait for the disk.
  `create function commit_durably() returns trigger language plpgsql as $$
  begin
    ${durable};
    return null;
  end
$$`,
  `create trigger keys_durable before insert or update of scopes, expires_at, revoked_at on keys
    for each statement execute function commit_durably()`,
  `create trigger accounts_durable before insert or update of plan on accounts
    for each statement execute function commit_durably()`,
  // Publishes the account whose access changed to all processes.
  `create function tell_access_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('tapeline_access', case tg_table_name when 'keys' then to_jsonb(new)->>'account' else new.id::text end);
      return null;
    end
  $$`,
  `create trigger keys_changed after update of scopes, expires_at, revoked_at on keys
    for each row execute function tell_access_changed()`,
  `create trigger accounts_changed after update of plan on accounts
    for each row execute function tell_access_changed()`,
  // Locking the account and counting its keys are two statements, so that the count sees all keys that existed when the
  // lock was taken.
  `create function create_key(
    p_account bigint, p_name text, p_prefix text, p_hash text, p_scopes text[], p_expires_at bigint, p_limit integer,
    p_now bigint, out verdict text, out key_id bigint
  ) language plpgsql as $$
    begin
      perform 1 from accounts where id = p_account for no key update;
      if not found then
        verdict := 'no_account';
      elsif (
        select count(*) from keys
        where account = p_account and revoked_at is null and (expires_at is null or expires_at > p_now)
      ) >= p_limit then
        verdict := 'limit';
      else
        insert into keys (account, name, prefix, hash, scopes, created_at, expires_at)
        values (p_account, p_name, p_prefix, p_hash, p_scopes, p_now, p_expires_at)
        returning id into key_id;
        verdict := 'created';
      end if;
    end
  $$`
]

/** Sign-in links, browser sessions, and identities from OpenID providers. Secrets are stored only as their SHA-256. */
const signIn = [
  `create table sign_in_links (
    hash text primary key,
    account bigint not null references accounts (id),
    expires_at bigint not null,
    used_at bigint
  )`,
  "create index sign_in_links_waiting on sign_in_links (account) where used_at is null",
  "create index sign_in_links_over on sign_in_links (coalesce(used_at, expires_at))",
  `create trigger sign_in_links_durable before insert or update on sign_in_links
    for each statement execute function commit_durably()`,
  `create table sessions (
    id bigint generated by default as identity primary key,
    account bigint not null references accounts (id),
    signed_in_by text not null check (signed_in_by in ('link', 'openid')),
    device text not null,
    created_at bigint not null,
    last_used_at bigint not null,
    ends_at bigint not null,
    idle_ms bigint not null,
    ended_at bigint,
    ended_how text check (ended_how in ('signed_out', 'revoked', 'replaced', 'stolen')),
    check ((ended_at is null) = (ended_how is null))
  ) with (fillfactor = 80)`,
  "create index sessions_account on sessions (account, id)",
  `create trigger sessions_durable before insert or update of ended_at on sessions
    for each statement execute function commit_durably()`,
  // Every cookie text that a session had: the current one, the offered next one, and past ones.
  `create table session_texts (
    hash text primary key,
    session bigint not null references sessions (id) on delete cascade,
    state text not null check (state in ('current', 'offered', 'past')),
    since bigint not null
  ) with (fillfactor = 80)`,
  "create index session_texts_session on session_texts (session)",
  "create unique index session_texts_current on session_texts (session) where state = 'current'",
  "create unique index session_texts_offered on session_texts (session) where state = 'offered'",
  `create trigger session_texts_durable before insert or update on session_texts
    for each statement execute function commit_durably()`,
  // Publishes the account if one of its sessions ends or gets another current text.
  `create function tell_session_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('tapeline_access', new.account::text);
      return null;
    end
  $$`,
  `create function tell_text_changed() returns trigger language plpgsql as $$
    begin
      perform pg_notify('tapeline_access', s.account::text) from sessions s where s.id = new.session;
      return null;
    end
  $$`,
  `create trigger sessions_changed after update of ended_at on sessions
    for each row execute function tell_session_changed()`,
  `create trigger session_texts_changed after update of state on session_texts
    for each row when (new.state = 'current') execute function tell_text_changed()`,
  `create table identities (
    issuer text not null,
    subject text not null,
    account bigint not null references accounts (id),
    created_at bigint not null,
    primary key (issuer, subject)
  )`,
  "create index identities_account on identities (account)",
  `create trigger identities_durable before insert or update on identities
    for each statement execute function commit_durably()`,
  // Provider responses that were used recently, so that each signs in only once.
  `create table identity_answers (
    hash text primary key,
    used_at bigint not null
  )`,
  "create index identity_answers_old on identity_answers (used_at)",
  `create trigger identity_answers_durable before insert on identity_answers
    for each statement execute function commit_durably()`
]

/** Rate-limit windows. */
const rateLimits = [
  // Unlogged: a crash of the database loses at most the counts of one window. `asked`, `most` and `admitted` belong to
  // the last statement that wrote the row.
  `create unlogged table request_windows (
    account bigint primary key,
    ends_at timestamptz not null,
    taken integer not null,
    admitted integer not null,
    asked integer not null,
    most integer not null
  ) with (fillfactor = 50)`,
  // Admits requests by account. `p_accounts` are distinct and sorted, so that concurrent statements do not deadlock.
  // `p_wait` is the lock timeout in ms. If it is null, locked rows are skipped, and their accounts are missing from the
  // result.
  `create function take_requests(
    p_accounts bigint[], p_asked integer[], p_most integer[], p_window float8, p_wait integer
  ) returns table (account float8, admitted integer, taken integer, reset_ms float8)
  language plpgsql ${hot} ${briefly} as $$
  begin
    if p_wait is not null then
      perform set_config('lock_timeout', p_wait::text, true);
      ${take("takeRequests", `${newWindows} order by u.account`)};
    else
      ${
    take(
      "takeFreeRequests",
      `with held as materialized (
          select h.account from request_windows h where h.account = any(p_accounts)
          order by h.account for no key update skip locked
        )
        ${newWindows}
        where u.account in (select h.account from held h)
          or (select h.account from request_windows h where h.account = u.account) is null
        order by u.account`
    )
  };
    end if;
  end
$$`
]

/** Monthly credits, reservations, idempotency keys, and usage. */
const ledger = [
  // Half of each page stays free, because rows are updated often and in place.
  `create table credit_months (
    account bigint not null,
    month integer not null,
    allotted bigint not null check (allotted >= 0),
    cap bigint not null,
    used bigint not null default 0,
    reserved bigint not null default 0,
    primary key (account, month),
    constraint credit_months_hold
      check (used >= 0 and reserved >= 0 and cap >= allotted and used + reserved <= cap)
  ) with (fillfactor = 50)`,
  "create sequence credit_reservation_ids cache 64",
  // Partitioned by month, so that old months can be dropped.
  `create table credit_reservations (
    account bigint not null,
    month integer not null,
    id bigint not null,
    key bigint,
    task bigint,
    tool text not null,
    credits integer not null check (credits >= 1),
    state text not null check (state in ('reserved', 'settled', 'released', 'expired')),
    reserved_at bigint not null,
    expires_at bigint not null,
    ended_at bigint,
    day integer,
    idempotency_key text,
    retained_until bigint,
    primary key (account, month, id),
    check ((state = 'reserved') = (ended_at is null)),
    check (num_nonnulls(key, task) = 1)
  ) partition by range (month)`,
  // Takes reservations of months without a partition, so that no call fails because a partition is missing.
  "create table credit_reservations_default partition of credit_reservations default with (fillfactor = 80)",
  "create index credit_reservations_lapse on credit_reservations (expires_at) where state = 'reserved'",
  // `day` is set if the reservation counts towards a daily quota.
  "create index credit_reservations_day on credit_reservations (account, day) where day is not null",
  // The owner of an idempotency key: a reservation that runs, or whose answer is retained. `origin` is the first
  // reservation for the same key and request; it identifies the call in every retry.
  `create table credit_idempotency (
    account bigint not null,
    key text not null,
    fingerprint text not null,
    month integer not null,
    entry bigint not null,
    origin bigint not null,
    retained_until bigint not null,
    answer text check (octet_length(answer) <= 262144),
    primary key (account, key)
  ) with (fillfactor = 80)`,
  "create index credit_idempotency_retention on credit_idempotency (retained_until)",
  "create index credit_idempotency_month on credit_idempotency (month, retained_until)",
  // `day` and `caller` are 0 if they are unknown.
  `create table credit_usage_days (
    account bigint not null,
    month integer not null,
    day integer not null,
    caller bigint not null,
    tool text not null,
    calls bigint not null check (calls >= 0),
    failed bigint not null check (failed >= 0 and failed <= calls),
    credits bigint not null check (credits >= 0),
    primary key (account, month, day, caller, tool)
  ) with (fillfactor = 50)`
]

/** Functions for months, their partitions, and their retention. */
const months = [
  `create function credit_month(p_at bigint) returns integer language sql stable as $$
    select (extract(year from t) * 100 + extract(month from t))::integer
    from (select to_timestamp(p_at / 1000) at time zone 'UTC' as t) x
  $$`,
  `create function credit_month_after(p_month integer, p_months integer) returns integer language sql immutable as $$
    select (m / 12) * 100 + m % 12 + 1 from (select p_month / 100 * 12 + p_month % 100 - 1 + p_months as m) x
  $$`,
  `create function credit_oldest_month(p_keep integer, p_at bigint) returns integer language sql stable as $$
    select credit_month_after(credit_month(${now}), 1 - p_keep)
  $$`,
  // Does nothing if reservations of the month are already in the default partition.
  `create function credit_make_partition(p_month integer) returns void language plpgsql as $$
  declare
    v_name constant text := 'credit_reservations_' || p_month;
  begin
    if to_regclass(v_name) is not null or exists (select 1 from credit_reservations_default where month = p_month) then
      return;
    end if;
    execute format('create table %I (like credit_reservations including constraints) with (fillfactor = 80)', v_name);
    execute format('alter table credit_reservations attach partition %I for values from (%s) to (%s)',
      v_name, p_month, credit_month_after(p_month, 1));
  end
$$`,
  // Creates the partitions of the current month and the next two.
  `create function credit_make_room(p_at bigint) returns void language plpgsql as $$
  declare
    v_month constant integer := credit_month(${now});
  begin
    if not pg_try_advisory_xact_lock(hashtext('tapeline.credit_tend')) then
      return;
    end if;
    -- What runs holds up a change of the table, and what comes then waits behind it; so it is given up soon.
    perform set_config('lock_timeout', '100', true);
    for n in 0..2 loop
      perform credit_make_partition(credit_month_after(v_month, n));
    end loop;
  end
$$`,
  // Returns the months older than the last `p_keep` that have partitions, the oldest first.
  `create function credit_old_months(p_keep integer, p_at bigint) returns setof integer language sql stable as $$
    select month from (
      select right(c.relname, 6)::integer as month
      from pg_inherits h join pg_class c on c.oid = h.inhrelid
      where h.inhparent = 'credit_reservations'::regclass and c.relname ~ '^credit_reservations_[0-9]{6}$'
    ) m
    where month < credit_oldest_month(p_keep, p_at) order by 1
  $$`,
  // Drops the partition of an old month and returns `dropped`. Returns `needed` if the partition has an open
  // reservation or a retained answer, `held` if another session uses the partition, and `in_use` if the parent table is
  // locked. The check of the contents needs no lock, because an old month gets no new reservations.
  `create function credit_drop_month(p_month integer, p_keep integer, p_at bigint)
    returns text language plpgsql ${hot} as $$
  declare
    v_now constant bigint := ${now};
    v_table constant text := 'credit_reservations_' || p_month;
    v_needed boolean;
    v_locked boolean := false;
  begin
    if p_month >= credit_oldest_month(p_keep, v_now)
      or not pg_try_advisory_xact_lock(hashtext('tapeline.credit_tend')) then
      return 'needed';
    end if;
    /* hot monthIsNeeded */ select (
        select e.expires_at from credit_reservations e where e.month = p_month and e.state = 'reserved'
        order by e.expires_at limit 1
      ) is not null or (
        select i.retained_until from credit_idempotency i where i.month = p_month and i.retained_until > v_now
        order by i.retained_until limit 1
      ) is not null as needed /* end */ into v_needed;
    if v_needed then
      return 'needed';
    end if;
    perform set_config('lock_timeout', '100', true);
    begin
      lock table only credit_reservations in access exclusive mode;
      v_locked := true;
      execute format('lock table only %I, only credit_reservations_default in access exclusive mode nowait', v_table);
      execute format('drop table %I', v_table);
    exception when lock_not_available then
      return case when v_locked then 'held' else 'in_use' end;
    end;
    return 'dropped';
  end
$$`,
  // Removes ended reservations of old months from the default partition, except those with retained answers.
  `create function credit_forget_default(p_keep integer, p_limit integer, p_at bigint)
    returns integer language plpgsql as $$
  declare
    v_now constant bigint := ${now};
    v_oldest constant integer := credit_oldest_month(p_keep, v_now);
    v_count integer;
  begin
    delete from credit_reservations_default d using (
      select e.account, e.month, e.id from credit_reservations_default e
      where e.month < v_oldest and e.ended_at is not null and not exists (
        select 1 from credit_idempotency i where i.account = e.account and i.key = e.idempotency_key and i.entry = e.id
          and i.retained_until > v_now
      )
      limit p_limit for update of e skip locked
    ) o
    where d.account = o.account and d.month = o.month and d.id = o.id;
    get diagnostics v_count = row_count;
    return v_count;
  end
$$`,
  // Opens a month for accounts with the current allotment of their plans. The subselect always uses the primary key of
  // each account's month. `not exists` could be planned as a scan of all months.
  `create function credit_open_months_2(p_accounts bigint[], p_month integer, p_wait boolean)
    returns void language plpgsql as $$
  declare
    v_accounts bigint[];
  begin
    lock table plans in row share mode;
    if p_wait then
      select array_agg(id) into v_accounts from (
        /* hot openMonths */ select id from accounts a where id = any(p_accounts)
          and (select m.month from credit_months m where m.account = a.id and m.month = p_month) is null
        order by id for no key update  /* end */
      ) held;
    else
      select array_agg(id) into v_accounts from (
        /* hot openFreeMonths */ select id from accounts a where id = any(p_accounts)
          and (select m.month from credit_months m where m.account = a.id and m.month = p_month) is null
        order by id for no key update skip locked /* end */
      ) held;
    end if;
    insert into credit_months (account, month, allotted, cap)
    select a.id, p_month, coalesce(p.monthly_credits, 0), coalesce(p.monthly_credits, 0)
    from accounts a left join plans p on p.name = a.plan
    where a.id = any(v_accounts)
    order by a.id
    on conflict do nothing;
  end
$$`
]

/** Functions that reserve, settle, release, renew and expire. */
const reservations = [
  // Admits or rejects a batch of requests in order. `p_accounts` has the distinct accounts, sorted. `p_slots` has the
  // position of each request's account in it. `p_wait` is the lock timeout in ms; if it is null, requests of locked
  // accounts get the verdict `busy`. `p_quotas` is null if no request has a quota. `p_idems`, `p_prints`, `p_retains`
  // and `p_twins` are null if no request has an idempotency key. `p_twins` has the position of the previous request
  // with the same account and key.
  `create function credit_reserve_2(
    p_accounts bigint[], p_slots integer[], p_keys bigint[], p_tasks bigint[], p_tools text[], p_credits integer[],
    p_ttls bigint[], p_quotas integer[], p_idems text[], p_prints text[], p_retains bigint[], p_twins integer[],
    p_wait integer, p_at bigint,
    out instant float8, out verdicts text[], out entries float8[], out origins float8[], out lefts float8[],
    out details float8[], out answers text[]
  ) language plpgsql ${hot} ${briefly} as $$
  declare
    n constant integer := cardinality(p_slots);
    v_now constant bigint := ${now};
    v_month constant integer := credit_month(v_now);
    v_months constant integer[] := array_fill(v_month, array[cardinality(p_accounts)]);
    v_day constant integer := v_now / 86400000;
    v_ids bigint[] := array_fill(null::bigint, array[n]);
    v_origins bigint[];
    v_replaced bigint[];
    v_lapsed bigint[];
    v_lapsed_months integer[];
    v_disarmed integer := 0;
    v_allotted bigint[] := array_fill(null::bigint, array[cardinality(p_accounts)]);
    v_taken bigint[] := v_allotted;
    v_busy integer[];
    v_keyed integer := 0;
    v_count integer;
    r record;
    s integer;
    twin integer;
    p_account bigint;
    p_tool text;
  begin
    ${durable};
    instant := v_now;
    verdicts := array_fill('admitted'::text, array[n]);
    entries := array_fill(null::float8, array[n]);
    lefts := entries;
    details := entries;
    if p_wait is not null then
      perform set_config('lock_timeout', p_wait::text, true);
    end if;
    if exists (/* hot missingMonths */ select 1
      from unnest(p_accounts, v_months) as u (account, month)
      where not exists (select 1 from credit_months m where m.account = u.account and m.month = u.month)
    /* end */) then
      perform credit_open_months_2(p_accounts, v_month, p_wait is not null);
    end if;
    if p_wait is not null then
      for r in /* hot lockMonths */ select u.slot, m.allotted, m.used + m.reserved as taken
        from unnest(p_accounts, v_months) with ordinality as u (account, month, slot)
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account
        for no key update of m /* end */ loop
        v_allotted[r.slot] := r.allotted;
        v_taken[r.slot] := r.taken;
      end loop;
    else
      for r in /* hot lockFreeMonths */ select u.slot, m.allotted, m.used + m.reserved as taken
        from unnest(p_accounts, v_months) with ordinality as u (account, month, slot)
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account
        for no key update of m skip locked /* end */ loop
        v_allotted[r.slot] := r.allotted;
        v_taken[r.slot] := r.taken;
      end loop;
    end if;
    if array_position(v_allotted, null) is not null then
      select array_agg(u.slot) into v_busy
      from unnest(p_accounts, v_months) with ordinality as u (account, month, slot) join accounts a on a.id = u.account
      where v_allotted[u.slot] is null;
    end if;

    if p_idems is not null then
      v_origins := v_ids;
      v_lapsed := v_ids;
      v_lapsed_months := array_fill(null::integer, array[n]);
      for r in /* hot findIdempotent */ select u.n, u.slot, i.month, i.entry, i.origin, i.fingerprint, i.retained_until,
          i.answer, e.state, e.expires_at
        from unnest(p_slots, p_idems) with ordinality as u (slot, idem, n)
        join credit_idempotency i on i.account = p_accounts[u.slot] and i.key = u.idem
        left join credit_reservations e on e.account = i.account and e.month = i.month and e.id = i.entry
        /* end */ loop
        if r.state = 'reserved' and r.expires_at > v_now or r.state = 'settled' and r.retained_until > v_now then
          verdicts[r.n] := case
            when r.fingerprint <> p_prints[r.n] then 'reused'
            when r.state = 'reserved' then 'in_progress'
            else 'replayed'
          end;
          if verdicts[r.n] = 'in_progress' then
            details[r.n] := r.expires_at - v_now;
          elsif verdicts[r.n] = 'replayed' then
            answers := coalesce(answers, array_fill(null::text, array[n]));
            answers[r.n] := r.answer;
          end if;
        else
          v_replaced := v_replaced || r.entry;
          if r.state = 'reserved' then
            v_lapsed[r.n] := r.entry;
            v_lapsed_months[r.n] := r.month;
          end if;
          if r.fingerprint = p_prints[r.n] and r.retained_until > v_now then
            v_origins[r.n] := r.origin;
          end if;
        end if;
      end loop;
    end if;

    for i in 1..n loop
      s := p_slots[i];
      if v_allotted[s] is null then
        verdicts[i] := case when s = any(v_busy) then 'busy' else 'no_account' end;
        continue;
      end if;
      continue when verdicts[i] <> 'admitted';
      if p_twins is not null then
        twin := p_twins[i];
        while twin is not null and v_ids[twin] is null loop
          twin := p_twins[twin];
        end loop;
        if twin is not null then
          verdicts[i] := case when p_prints[twin] = p_prints[i] then 'in_progress' else 'reused' end;
          details[i] := p_ttls[twin];
          continue;
        end if;
      end if;
      if p_quotas is not null and p_quotas[i] is not null then
        p_account := p_accounts[s];
        p_tool := p_tools[i];
        /* hot countDay */ select count(*) from credit_reservations e
          where e.account = p_account and e.month = v_month and e.day = v_day and e.tool = p_tool
            and (e.state = 'settled' or e.state = 'reserved' and e.expires_at > v_now) /* end */ into v_count;
        for j in 1..i - 1 loop
          if v_ids[j] is not null and p_slots[j] = s and p_tools[j] = p_tool
            and (p_quotas[j] is not null or p_tool = 'agent.answer') then
            v_count := v_count + 1;
          end if;
        end loop;
        if v_count >= p_quotas[i] then
          verdicts[i] := 'quota';
          details[i] := v_count;
          continue;
        end if;
      end if;
      if v_taken[s] + p_credits[i] <= v_allotted[s] then
        v_taken[s] := v_taken[s] + p_credits[i];
        v_ids[i] := nextval('credit_reservation_ids');
        entries[i] := v_ids[i];
        if p_idems is not null and p_idems[i] is not null then
          v_keyed := v_keyed + 1;
          if v_lapsed[i] is not null then
            v_disarmed := v_disarmed + 1;
          end if;
        end if;
      else
        verdicts[i] := 'refused';
        details[i] := v_allotted[s];
      end if;
      lefts[i] := greatest(0, v_allotted[s] - v_taken[s]);
    end loop;

    /* hot insertReservations */ insert into credit_reservations (
        account, month, id, key, task, tool, credits, state, reserved_at, expires_at, day, idempotency_key, retained_until
      )
      select p_accounts[a.slot], v_month, a.id, a.key, a.task, a.tool, a.credits, 'reserved', v_now, v_now + a.ttl,
        case when a.quota is not null or a.tool = 'agent.answer' then v_day end, a.idem, v_now + a.retain
      from unnest(v_ids, p_slots, p_keys, p_tasks, p_tools, p_credits, p_ttls, p_quotas, p_idems, p_retains)
        as a (id, slot, key, task, tool, credits, ttl, quota, idem, retain)
      where a.id is not null /* end */;
    /* hot reserveMonths */ update credit_months m set reserved = t.taken - m.used
      from unnest(p_accounts, v_months, v_taken) as t (account, month, taken)
      where m.account = t.account and m.month = t.month and m.used + m.reserved <> t.taken /* end */;

    if v_keyed > 0 then
      -- A lapsed reservation whose key is given away can then be settled by nobody. One of another month is not under
      -- this batch's lock: was it changed meanwhile, all is judged again.
      if v_disarmed > 0 then
        /* hot disarmLapsed */ update credit_reservations e set expires_at = 0
          from unnest(v_ids, p_slots, v_lapsed, v_lapsed_months) as l (admitted, slot, id, month)
          where l.admitted is not null and e.account = p_accounts[l.slot] and e.month = l.month and e.id = l.id
            and e.ended_at is null and e.expires_at <= v_now /* end */;
        get diagnostics v_count = row_count;
        if v_count <> v_disarmed then
          raise serialization_failure using message = 'a lapsed reservation changed';
        end if;
      end if;
      /* hot holdKeys */ insert into credit_idempotency as i (account, key, fingerprint, month, entry, origin, retained_until)
        select p_accounts[a.slot], a.idem, a.print, v_month, a.id, coalesce(a.origin, a.id), v_now + a.retain
        from unnest(v_ids, p_slots, p_idems, p_prints, p_retains, v_origins) as a (id, slot, idem, print, retain, origin)
        where a.id is not null and a.idem is not null
        order by 1, 2
        on conflict (account, key) do update set
          fingerprint = excluded.fingerprint, month = excluded.month, entry = excluded.entry, origin = excluded.origin,
          retained_until = excluded.retained_until, answer = null
        where i.entry = any(v_replaced) /* end */;
      get diagnostics v_count = row_count;
      if v_count <> v_keyed then
        raise serialization_failure using message = 'an idempotency key was taken meanwhile';
      end if;
      for i in 1..n loop
        if v_ids[i] is not null then
          v_origins[i] := coalesce(v_origins[i], v_ids[i]);
        end if;
      end loop;
      origins := v_origins;
    end if;
  end
$$`,
  // Ends a batch of distinct reservations. `p_accounts` and `p_months` have the distinct months, sorted. `p_slots` has
  // the position of each reservation's month in them. `lefts` are the credits that each month had left before. A
  // verdict is `ended`, `busy`, `unknown`, or the state in which the reservation had already ended.
  `create function credit_end_2(
    p_accounts bigint[], p_months integer[], p_entries bigint[], p_slots integer[], p_settles boolean[],
    p_answers text[], p_wait integer, p_at bigint, out lefts float8[], out verdicts text[]
  ) language plpgsql ${hot} ${briefly} as $$
  declare
    n constant integer := cardinality(p_entries);
    v_now constant bigint := ${now};
    v_held boolean[] := array_fill(false, array[cardinality(p_accounts)]);
    v_there boolean[] := v_held;
    v_ended integer[];
    r record;
  begin
    ${durable};
    verdicts := array_fill('unknown'::text, array[n]);
    lefts := array_fill(0::float8, array[cardinality(p_accounts)]);
    if p_wait is not null then
      perform set_config('lock_timeout', p_wait::text, true);
      for r in /* hot lockEnding */ select u.slot, m.allotted, m.used + m.reserved as taken
        from unnest(p_accounts, p_months) with ordinality as u (account, month, slot)
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account, m.month
        for no key update of m /* end */ loop
        lefts[r.slot] := r.allotted - r.taken;
        v_held[r.slot] := true;
      end loop;
    else
      for r in /* hot lockFreeEnding */ select u.slot, m.allotted, m.used + m.reserved as taken
        from unnest(p_accounts, p_months) with ordinality as u (account, month, slot)
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account, m.month
        for no key update of m skip locked /* end */ loop
        lefts[r.slot] := r.allotted - r.taken;
        v_held[r.slot] := true;
      end loop;
    end if;
    -- Reserved is written as \`ended_at is null\`, which is the same, so that the index of what is reserved cannot be
    -- mistaken for a way to find them.
    /* hot endReservations */ with ended as (
      update credit_reservations e set
        state = case when u.settle then 'settled' else 'released' end,
        ended_at = v_now
      from unnest(p_entries, p_slots, p_settles, p_answers) with ordinality as u (entry, slot, settle, answer, n)
      where e.account = p_accounts[u.slot] and e.month = p_months[u.slot] and e.id = u.entry and v_held[u.slot]
        and e.ended_at is null and e.expires_at > v_now
      returning u.n, u.answer, e.id, e.account, e.month, e.tool, e.credits, e.state, e.idempotency_key, e.reserved_at, e.key
    ),
    months as (
      update credit_months m set reserved = m.reserved - d.credits, used = m.used + d.charged
      from (select account, month, sum(credits) as credits, ${charged} as charged
        from ended group by account, month) d
      where m.account = d.account and m.month = d.month
    ),
    usage as (
      insert into credit_usage_days as u (account, month, day, caller, tool, calls, failed, credits)
      select account, month, ${day}, ${caller}, tool, count(*), count(*) filter (where state <> 'settled'),
        ${charged}
      from ended group by 1, 2, 3, 4, 5
      on conflict (account, month, day, caller, tool) do update set
        calls = u.calls + excluded.calls, failed = u.failed + excluded.failed, credits = u.credits + excluded.credits
    ),
    kept as (
      update credit_idempotency i set answer = d.answer from ended d
      where d.state = 'settled' and d.answer is not null
        and i.account = d.account and i.key = d.idempotency_key and i.entry = d.id
    )
    select array_agg(ended.n) from ended /* end */ into v_ended;
    if coalesce(cardinality(v_ended), 0) < n then
      for r in /* hot findEnded */ select u.n, u.slot, e.state
        from unnest(p_entries, p_slots) with ordinality as u (entry, slot, n)
        left join credit_reservations e
          on e.account = p_accounts[u.slot] and e.month = p_months[u.slot] and e.id = u.entry /* end */ loop
        if not v_held[r.slot] and exists (
          select 1 from credit_months m where m.account = p_accounts[r.slot] and m.month = p_months[r.slot]
        ) then
          verdicts[r.n] := 'busy';
        elsif r.state is not null then
          verdicts[r.n] := case when r.state = 'reserved' then 'expired' else r.state end;
        end if;
      end loop;
    end if;
    if v_ended is not null then
      for i in 1..cardinality(v_ended) loop
        verdicts[v_ended[i]] := 'ended';
      end loop;
    end if;
  end
$$`,
  `create function credit_renew(p_account bigint, p_month integer, p_entry bigint, p_ttl bigint, p_at bigint)
    returns boolean language plpgsql ${hot} ${briefly} as $$
  declare
    v_now constant bigint := ${now};
  begin
    ${durable};
    /* hot renew */ update credit_reservations set expires_at = greatest(expires_at, v_now + p_ttl)
      where account = p_account and month = p_month and id = p_entry and ended_at is null and expires_at > v_now /* end */;
    return found;
  end
$$`,
  // Expires at most `p_limit` reservations. One process sweeps at a time. Locked months, usage rows and reservations
  // are skipped, and their accounts are left to a later sweep.
  `create function credit_expire_2(p_limit integer, p_at bigint)
    returns integer language plpgsql ${hot} ${briefly} as $$
  declare
    v_now constant bigint := ${now};
    v_accounts bigint[];
    v_months integer[];
    v_ids bigint[];
    v_days integer[];
    v_callers bigint[];
    v_tools text[];
    v_held_accounts bigint[];
    v_held_months integer[];
    v_free_accounts bigint[];
    v_free_months integer[];
    v_free_days integer[];
    v_free_callers bigint[];
    v_free_tools text[];
    v_stuck bigint[];
    v_ended bigint[];
    v_busy bigint[] := '{}';
    v_left integer := p_limit;
  begin
    if not pg_try_advisory_xact_lock(hashtext('tapeline.credit_expire')) then
      return 0;
    end if;
    ${durable};
    loop
      select array_agg(f.account), array_agg(f.month), array_agg(f.id), array_agg(f.day), array_agg(f.caller),
        array_agg(f.tool)
      into v_accounts, v_months, v_ids, v_days, v_callers, v_tools
      from (/* hot findLapsed */ select account, month, id, ${day} as day, ${caller} as caller, tool
        from credit_reservations
        where state = 'reserved' and expires_at <= v_now and account <> all(v_busy)
        order by expires_at limit v_left /* end */) f;
      exit when v_ids is null;
      select array_agg(l.account), array_agg(l.month) into v_held_accounts, v_held_months
      from (/* hot lockLapsed */ select m.account, m.month
        from (select distinct u.account, u.month from unnest(v_accounts, v_months) as u (account, month)) u
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account, m.month
        for no key update of m skip locked /* end */) l;
      select array_agg(l.account), array_agg(l.month), array_agg(l.day), array_agg(l.caller), array_agg(l.tool)
      into v_free_accounts, v_free_months, v_free_days, v_free_callers, v_free_tools
      from (/* hot lockUsage */ select c.account, c.month, c.day, c.caller, c.tool
        from (select distinct u.account, u.month, u.day, u.caller, u.tool
          from unnest(v_accounts, v_months, v_days, v_callers, v_tools) as u (account, month, day, caller, tool)) u
        join credit_usage_days c on c.account = u.account and c.month = u.month and c.day = u.day
          and c.caller = u.caller and c.tool = u.tool
        order by c.account, c.month, c.day, c.caller, c.tool
        for no key update of c skip locked /* end */) l;
      select coalesce(array_agg(distinct s.account), '{}') into v_stuck
      from (/* hot findStuckUsage */ select c.account
        from unnest(v_accounts, v_months, v_days, v_callers, v_tools) as u (account, month, day, caller, tool)
        join credit_usage_days c on c.account = u.account and c.month = u.month and c.day = u.day
          and c.caller = u.caller and c.tool = u.tool
        where not exists (
          select 1 from unnest(v_free_accounts, v_free_months, v_free_days, v_free_callers, v_free_tools)
            as f (account, month, day, caller, tool)
          where f.account = c.account and f.month = c.month and f.day = c.day and f.caller = c.caller
            and f.tool = c.tool
        ) /* end */) s;
      /* hot expireReservations */ with free as (
        select e.account, e.month, e.id
        from unnest(v_accounts, v_months, v_ids) as u (account, month, id)
        join credit_reservations e on e.account = u.account and e.month = u.month and e.id = u.id
        where u.account <> all(v_stuck)
          and exists (select 1 from unnest(v_held_accounts, v_held_months) as h (account, month)
            where h.account = u.account and h.month = u.month)
          and e.ended_at is null and e.expires_at <= v_now
        for no key update of e skip locked
      ),
      ended as (
        update credit_reservations e set state = 'expired', ended_at = v_now
        from free f
        where e.account = f.account and e.month = f.month and e.id = f.id
        returning e.id, e.account, e.month, e.tool, e.credits, e.state, e.reserved_at, e.key
      ),
      months as (
        update credit_months m set reserved = m.reserved - d.credits
        from (select account, month, sum(credits) as credits from ended group by account, month) d
        where m.account = d.account and m.month = d.month
      ),
      usage as (
        insert into credit_usage_days as u (account, month, day, caller, tool, calls, failed, credits)
        select account, month, ${day}, ${caller}, tool, count(*), count(*), 0 from ended group by 1, 2, 3, 4, 5
        on conflict (account, month, day, caller, tool) do update set
          calls = u.calls + excluded.calls, failed = u.failed + excluded.failed
      )
      select coalesce(array_agg(id), '{}') from ended /* end */ into v_ended;
      v_left := v_left - cardinality(v_ended);
      -- Only what was passed over calls for another look.
      exit when v_left <= 0 or cardinality(v_ended) = cardinality(v_ids);
      select v_busy || array_agg(distinct u.account) into v_busy
      from unnest(v_accounts, v_ids) as u (account, id) where u.id <> all(v_ended);
    end loop;
    return p_limit - v_left;
  end
$$`,
  // Removes idempotency keys whose retention is over. Keys of open reservations stay: a request that takes over the key
  // must find the reservation.
  `create function credit_prune_2(p_limit integer, p_at bigint) returns integer language plpgsql ${hot} as $$
  declare
    v_now constant bigint := ${now};
    v_count integer;
  begin
    /* hot pruneKeys */ delete from credit_idempotency d using (
      select i.account, i.key from credit_idempotency i
      where i.retained_until <= v_now and not exists (
        select 1 from credit_reservations e where e.account = i.account and e.month = i.month and e.id = i.entry
          and e.ended_at is null
      )
      order by i.retained_until limit p_limit for update of i skip locked
    ) o
    where d.account = o.account and d.key = o.key /* end */;
    get diagnostics v_count = row_count;
    return v_count;
  end
$$`
]

/** Functions that change plans. Applying a changed allotment to open months is a separate step. */
const planChanges = [
  // Moves an account to a plan, and applies the plan's allotment to the current and later months.
  `create function credit_change_plan_2(p_account bigint, p_plan text, p_at bigint)
    returns boolean language plpgsql as $$
  declare
    v_month constant integer := credit_month(${now});
    v_allotted bigint;
  begin
    ${durable};
    lock table plans in row share mode;
    update accounts set plan = p_plan where id = p_account;
    if not found then
      return false;
    end if;
    select coalesce((select monthly_credits from plans where name = p_plan), 0) into v_allotted;
    perform 1 from credit_months where account = p_account and month >= v_month order by month for no key update;
    update credit_months set allotted = v_allotted, cap = greatest(v_allotted, used + reserved)
    where account = p_account and month >= v_month;
    return true;
  end
$$`,
  // Stores the plans' allotments. Changed plans get `laid` false.
  `create function credit_define_plans_2(p_names text[], p_credits bigint[]) returns void language plpgsql as $$
  begin
    ${durable};
    perform set_config('lock_timeout', '1000', true);
    lock table plans in exclusive mode;
    insert into plans as p (name, monthly_credits, laid)
    select u.name, u.credits, false from unnest(p_names, p_credits) as u (name, credits)
    on conflict (name) do update set monthly_credits = excluded.monthly_credits, laid = false
    where p.monthly_credits <> excluded.monthly_credits;
  end
$$`,
  // Applies a plan's allotment to the current and later months of at most `p_limit` accounts with ids above `p_after`.
  // `last` is the last of them, or null if there were none. `missed` is true if a row was locked.
  `create function credit_lay_plan(
    p_plan text, p_after bigint, p_limit integer, p_at bigint, out last bigint, out missed boolean
  ) language plpgsql ${hot} as $$
  declare
    v_month constant integer := credit_month(${now});
    v_credits bigint;
    v_ids bigint[];
    v_held bigint[];
  begin
    ${durable};
    lock table plans in row share mode;
    select monthly_credits into v_credits from plans where name = p_plan;
    select array_agg(f.id), max(f.id) into v_ids, last
    from (/* hot findOnPlan */ select id from accounts where plan = p_plan and id > p_after
      order by id limit p_limit /* end */) f;
    missed := false;
    if v_ids is null then
      return;
    end if;
    select array_agg(h.id) into v_held
    from (select id from accounts where id = any(v_ids) and plan = p_plan order by id for no key update skip locked) h;
    with held as (
      select m.account, m.month from credit_months m
      where m.account = any(v_held) and m.month >= v_month and m.allotted <> v_credits
      order by m.account, m.month for no key update skip locked
    )
    update credit_months m set allotted = v_credits, cap = greatest(v_credits, m.used + m.reserved)
    from held where m.account = held.account and m.month = held.month;
    missed := exists (
      select 1 from accounts a join credit_months m on m.account = a.id
      where a.id = any(v_ids) and a.plan = p_plan and m.month >= v_month and m.allotted <> v_credits
    );
  end
$$`
]

/** Views and functions with the names and signatures of earlier versions, for processes that still run one. */
const compatibility = [
  `create view credit_entries as
    select id, account, key, month, credits, tool, state, reserved_at, expires_at, ended_at,
      null::text as idempotency_key, null::text as fingerprint, null::bigint as retained_until, null::text as answer
    from credit_reservations`,
  `create view credit_usage as
    select m.account, m.month, u.tool, u.calls, u.failed, u.credits
    from credit_months m
    cross join lateral (
      select d.tool, sum(d.calls)::bigint as calls, sum(d.failed)::bigint as failed, sum(d.credits)::bigint as credits
      from credit_usage_days d where d.account = m.account and d.month = m.month
      group by d.tool
    ) u`,
  `create function credit_reserve(
    p_accounts bigint[], p_months integer[], p_slots integer[], p_keys bigint[], p_tools text[], p_credits integer[],
    p_nows bigint[], p_expires bigint[], p_idems text[], p_prints text[], p_retained bigint[], p_twins integer[],
    out verdicts text[], out entries float8[], out lefts float8[], out details float8[], out answers text[]
  ) language plpgsql as $$
  declare
    n constant integer := cardinality(p_slots);
    v_now constant bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint;
    v_at bigint;
    v_month integer;
    s integer;
    r record;
  begin
    verdicts := array_fill(null::text, array[n]);
    entries := array_fill(null::float8, array[n]);
    lefts := entries;
    details := entries;
    for v_month in select distinct month from unnest(p_months) as u (month) order by 1 loop
      perform credit_open_months_2(
        array(select u.account from unnest(p_accounts, p_months) as u (account, month) where u.month = v_month), v_month, true
      );
    end loop;
    -- All of them first and in order: two such batches must not wait for each other.
    perform 1 from (select 1
      from unnest(p_accounts, p_months) as u (account, month)
      join credit_months m on m.account = u.account and m.month = u.month
      order by m.account, m.month for no key update of m) l;
    for i in 1..n loop
      s := p_slots[i];
      -- That program has fixed the month already, by a clock of its own.
      v_at := case when credit_month(v_now) = p_months[s] then v_now else p_nows[i] end;
      select * into r from credit_reserve_2(
        array[p_accounts[s]], array[1], array[p_keys[i]], array[null::bigint], array[p_tools[i]], array[p_credits[i]],
        array[p_expires[i] - p_nows[i]], null,
        case when p_idems[i] is not null then array[p_idems[i]] end, array[p_prints[i]],
        array[p_retained[i] - p_nows[i]], array[null::integer], null, v_at
      );
      verdicts[i] := r.verdicts[1];
      entries[i] := r.entries[1];
      lefts[i] := r.lefts[1];
      details[i] := case when verdicts[i] = 'in_progress' then v_at + r.details[1] else r.details[1] end;
      if r.answers is not null then
        answers := coalesce(answers, array_fill(null::text, array[n]));
        answers[i] := r.answers[1];
      end if;
    end loop;
  end
$$`,
  `create function credit_end(
    p_accounts bigint[], p_months integer[], p_entries bigint[], p_slots integer[], p_nows bigint[],
    p_settles boolean[], p_answers text[], out lefts float8[], out ended float8[]
  ) language plpgsql as $$
  declare
    r record;
  begin
    lefts := array_fill(0::float8, array[cardinality(p_accounts)]);
    for r in select u.slot, m.allotted - m.used - m.reserved as free
      from unnest(p_accounts, p_months) with ordinality as u (account, month, slot)
      join credit_months m on m.account = u.account and m.month = u.month
      order by m.account, m.month for no key update of m loop
      lefts[r.slot] := r.free;
    end loop;
    select * into r from credit_end_2(p_accounts, p_months, p_entries, p_slots, p_settles, p_answers, null, null);
    for i in 1..cardinality(p_entries) loop
      if r.verdicts[i] = 'ended' then
        ended := ended || p_entries[i]::float8;
      end if;
    end loop;
  end
$$`,
  `create function credit_expire(p_now bigint, p_limit integer) returns integer language sql as $$
    select credit_expire_2(p_limit, null)
  $$`,
  `create function credit_prune(p_now bigint, p_limit integer) returns integer language sql as $$
    select credit_prune_2(p_limit, null)
  $$`,
  `create function credit_tend(p_keep integer, p_at bigint) returns integer language plpgsql as $$
  begin
    perform credit_make_room(p_at);
    return null;
  end
$$`,
  `create function credit_change_plan(p_account bigint, p_plan text, p_month integer)
    returns boolean language sql as $$
    select credit_change_plan_2(p_account, p_plan, null)
  $$`,
  `create function credit_define_plans(p_names text[], p_credits bigint[], p_month integer)
    returns void language plpgsql as $$
  declare
    v_plan text;
    v_last bigint;
  begin
    perform credit_define_plans_2(p_names, p_credits);
    for v_plan in select name from plans where not laid order by name loop
      v_last := 0;
      while v_last is not null loop
        select l.last into v_last from credit_lay_plan(v_plan, v_last, 1000, null) l;
      end loop;
    end loop;
  end
$$`
]

/** The state of an empty ledger. */
const emptyLedger = [
  // The first reservation has the id 2, as after migrations 0001 to 0018.
  "select setval('credit_reservation_ids', 1)",
  // Partitions of the current month and the next two.
  `select credit_make_partition(credit_month_after(credit_month(t), n))
    from (select (extract(epoch from clock_timestamp()) * 1000)::bigint as t) x cross join generate_series(0, 2) n`
]

/** Derived market values, and images of charts. */
const derivedData = [
  // Values of one UTC day. Unlogged: values that a crash of the database loses are computed again.
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
  "create index derived_days_by_writing on derived_days (written_at)",
  // Images that a call made for its account, at most one for each call. PNG files are compressed already. PostgreSQL 15
  // cannot set the storage in `create table`.
  `create table artifacts (
    account bigint not null,
    id text collate "C" not null,
    call text collate "C" not null,
    about bytea not null,
    png bytea not null,
    svg bytea not null,
    kept_at timestamptz not null default clock_timestamp(),
    primary key (account, id),
    unique (account, call)
  )`,
  "alter table artifacts alter column png set storage external",
  "create index artifacts_by_age on artifacts (kept_at)"
]

/** Searchable articles by embedding model, and the days of the feed that were read. */
const news = [
  `create table news_days (
    model text collate "C" not null,
    day bigint not null,
    read_at bigint not null,
    as_of bigint not null,
    sources text[] not null,
    primary key (model, day)
  )`,
  `create table news_articles (
    model text collate "C" not null,
    id text collate "C" not null,
    day bigint not null,
    time bigint not null,
    digest text not null,
    source text not null,
    url text not null,
    title text not null,
    body text not null,
    coins text[] not null,
    terms integer[] not null,
    primary key (model, id)
  )`,
  "create index news_articles_by_day on news_articles (model, day)",
  "create index news_articles_by_time on news_articles (model, time)",
  "create index news_articles_by_term on news_articles using gin (terms)",
  // Components are integers, which `real` holds exactly. If pgvector is installed, it compares `numbers`. `packed`
  // holds the same components as 16-bit little-endian integers, because PostgreSQL is slow at sending arrays. The tuple
  // target keeps vectors of several kilobytes in their rows.
  `create table news_vectors (
    model text collate "C" not null,
    id text collate "C" not null,
    time bigint not null,
    coins text[] not null,
    numbers real[] not null,
    packed bytea not null,
    primary key (model, id),
    foreign key (model, id) references news_articles (model, id) on delete cascade
  ) with (toast_tuple_target = 8160)`,
  "create index news_vectors_by_time on news_vectors (model, time, id)"
]

/** Conversations, their messages, and the generations that answer them. */
const agent = [
  "create sequence conversation_ids",
  "create sequence message_ids",
  "create sequence generation_ids",
  // `running`, `question` and `answer` are the open generation, the last question and its current answer. A process
  // therefore needs to lock only this row to continue a conversation.
  `create table conversations (
    account bigint not null,
    id bigint not null,
    title text not null,
    mode text not null,
    lang text not null,
    created_at bigint not null,
    updated_at bigint not null,
    messages integer not null,
    running bigint,
    question bigint,
    answer bigint,
    summary text,
    summary_up_to bigint,
    primary key (account, id)
  ) with (fillfactor = 80)`,
  "create index conversations_by_saying on conversations (account, updated_at, id)",
  `create table messages (
    account bigint not null,
    conversation bigint not null,
    id bigint not null,
    role text not null check (role in ('user', 'assistant', 'task')),
    created_at bigint not null,
    replaced boolean not null default false,
    identity text collate "C",
    body text not null,
    suggestions text not null,
    primary key (account, conversation, id)
  )`,
  `create unique index messages_of_reports on messages (account, conversation, identity) where identity is not null`,
  // In pieces, because a row must fit in a protocol message. Images are compressed already.
  `create table message_images (
    account bigint not null,
    message bigint not null,
    image integer not null,
    piece integer not null,
    media_type text not null,
    width integer not null,
    height integer not null,
    bytes bytea not null,
    primary key (account, message, image, piece)
  )`,
  "alter table message_images alter column bytes set storage external",
  // Every append updates the row, so no index contains a column that an append changes. Long values are stored outside
  // of the row.
  `create table generations (
    account bigint not null,
    id bigint not null,
    conversation bigint not null,
    question bigint not null,
    state text not null check (state in ('running', 'ended', 'closed')),
    epoch integer not null,
    next_n integer not null,
    next_step integer not null,
    started_at bigint not null,
    renewed_at bigint not null,
    ended_at bigint,
    outcome text,
    answer bigint,
    origin bigint not null,
    idempotency_key text collate "C",
    logged boolean not null default true,
    brief text not null,
    reservation text not null,
    consumed text,
    primary key (account, id)
  ) with (fillfactor = 50, toast_tuple_target = 512, autovacuum_vacuum_scale_factor = 0.05)`,
  "create index generations_by_id on generations (id)",
  // A failed or cancelled generation does not block another one for the same call.
  `create unique index generations_by_origin on generations (account, origin)
    where state = 'running' or outcome = 'finished'`,
  "create unique index generations_running on generations (account, conversation) where state = 'running'",
  "create index generations_by_key on generations (account, idempotency_key) where idempotency_key is not null",
  "create index generations_open on generations (ended_at) where state = 'ended'",
  "create index generations_logged on generations (ended_at) where logged and ended_at is not null",
  "create index generations_ended on generations (ended_at) where ended_at is not null",
  `create table generation_steps (
    account bigint not null,
    generation bigint not null,
    name text collate "C" not null,
    place integer not null,
    content text not null,
    primary key (account, generation, name)
  ) with (autovacuum_vacuum_scale_factor = 0.05)`,
  `create table generation_events (
    account bigint not null,
    generation bigint not null,
    n integer not null,
    kind text not null,
    data text not null,
    primary key (account, generation, n)
  ) with (autovacuum_vacuum_scale_factor = 0.02)`
]

/** Journals. A change locks the account's row of `journals`. */
const journal = [
  "create sequence journal_ids",
  // Values that changes are validated against.
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
  // The answer of each call that wrote, so that a retry returns it.
  `create table journal_writes (
    account bigint not null,
    call text collate "C" not null,
    answer text not null,
    written_at bigint not null,
    primary key (account, call)
  )`,
  "create index journal_writes_by_time on journal_writes (account, written_at)"
]

/**
 * Tasks, their firings, and notifications. A change by the owner and a new notification lock the account's row of
 * `task_accounts`.
 */
const tasks = [
  "create sequence task_ids",
  "create sequence firing_ids",
  // `notified` is the number of the newest notification. Numbers have no gaps, because they are assigned under the
  // row's lock.
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
  // Progress of watches. All rows change each minute, so they are narrow, pages have free space, and no index contains
  // a changing column. `version` is repeated here, so that this row is enough to detect a change of the task.
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
  // A task fires once for each due time and each arming.
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
  // The answer of each call that wrote, and the number of notifications that a call marked as read.
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
  // One row: the process that runs tasks, and when it last renewed its claim.
  `create table task_leader (
    one boolean primary key check (one),
    holder text not null,
    said_at bigint not null
  )`
]

/**
 * The service's own market series. Points and events have a table for each kind, with a partition for each UTC month or
 * year. Writers create partitions when they need them, and old data is removed by dropping partitions.
 */
const market = [
  // The process that collects from a source, and until when. Epochs start at the clock's time, so that a restored
  // database never assigns the same epoch twice.
  `create table market_leases (
    source text collate "C" primary key,
    holder text not null,
    epoch bigint not null,
    until bigint not null
  ) with (fillfactor = 50)`,
  `create table market_sources (
    id smallint generated always as identity primary key,
    name text collate "C" not null unique
  )`,
  // One row for each subject: the start of recording, the time up to which data is complete, and the covered and lost
  // intervals as alternating starts and ends. The series with the subject '' belongs to the kind itself; writers of its
  // events or documents lock it. No index contains a changing column.
  `create table market_series (
    id integer generated always as identity primary key,
    kind text collate "C" not null,
    subject text collate "C" not null,
    first_at bigint,
    since bigint,
    mark bigint not null default 0,
    covered bigint[] not null default '{}',
    lost bigint[] not null default '{}',
    sources smallint[] not null default '{}',
    revision uuid not null default gen_random_uuid(),
    unique (kind, subject)
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)`,
  `create table market_documents (
    kind text collate "C" not null,
    key text collate "C" not null,
    time bigint not null,
    source smallint not null,
    document text not null,
    primary key (kind, key)
  ) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)`,
  points("candles", ...bars, "taker_buy_volume"),
  points("prices", "price"),
  points(
    "perpetuals",
    "funding_rate",
    "funding_interval_hours",
    "open_interest",
    "open_interest_usd",
    "long_short_ratio",
    "mark_price",
    "index_price"
  ),
  points("funding_prints", "funding_rate", "interval_hours"),
  points("taker_flow", "buy_usd", "sell_usd"),
  points("krw_markets", "krw_price", "usdt_price", "change24h_pct", "volume24h_krw"),
  points("fx_rates", "rate"),
  points("implied_volatilities", "iv_pct"),
  points("market_caps", "market_cap_usd", "circulating_supply", "volume24h_usd"),
  points("dex_activity", "buy_usd", "sell_usd", "trades"),
  points("equity_days", ...bars, "previous_close", "closed_at"),
  points("equity_candles", ...bars),
  points("equity_prices", "price", "volume", "turnover"),
  points("moods", "value"),
  ...events("liquidations", "price", "size_usd"),
  ...events("posts", "sentiment"),
  ...events("articles", "sentiment")
]

export default statements(
  ...accounts,
  ...signIn,
  ...rateLimits,
  ...ledger,
  ...months,
  ...reservations,
  ...planChanges,
  ...compatibility,
  ...emptyLedger,
  ...derivedData,
  ...news,
  ...agent,
  ...journal,
  ...tasks,
  ...market
)
