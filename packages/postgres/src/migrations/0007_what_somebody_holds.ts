import { statements } from "./statements.ts"

/*
 * What somebody else holds delays its own account alone, whatever row it is; and what cannot be dropped undoes no room.
 * Functions that older programs call keep their names and what they promise.
 *
 * Locks are taken in the order that stands in the migration of reservations. What a sweep takes after the months it
 * waits for in no case, so that the order of it does not matter.
 */

/** As in the migration of reservations: settings of the functions on the path of every call. */
const hot = `set plan_cache_mode = force_generic_plan set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

const now = "coalesce(p_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** Whether a window was over at the instant at which the new row was formed; and how much room is left in it. */
const ended = "w.ends_at <= excluded.ends_at - p_window * interval '1 millisecond'"
const room = "greatest(0, least(excluded.asked, excluded.most - w.taken))"

/** Judges the requests of some accounts, all at the instant at which their rows were formed. */
const take = (hotName: string, which: string) =>
  `return query /* hot ${hotName} */ ${which}
        on conflict on constraint request_windows_pkey do update set
          ends_at = case when ${ended} then excluded.ends_at else w.ends_at end,
          admitted = case when ${ended} then excluded.taken else ${room} end,
          taken = case when ${ended} then excluded.taken else w.taken + ${room} end
        returning w.account::float8, w.admitted, w.taken,
          greatest(0, ceil(extract(epoch from w.ends_at - clock_timestamp()) * 1000))::float8 /* end */`

const insertWindows = `insert into request_windows as w (account, ends_at, taken, admitted, asked, most)
        select u.account, clock_timestamp() + p_window * interval '1 millisecond', least(u.asked, u.most),
          least(u.asked, u.most), u.asked, u.most
        from unnest(p_accounts, p_asked, p_most) as u (account, asked, most)`

export default statements(
  // In the order in which calls take them.
  `lock table plans, credit_idempotency in access exclusive mode`,
  // A plan that was changed and changed back is not the one that was laid meanwhile.
  `alter table plans add column version bigint not null default 1`,
  `create function count_plan_version() returns trigger language plpgsql as $$
  begin
    new.version := old.version + 1;
    return new;
  end
$$`,
  `create trigger plans_version before update of monthly_credits on plans
    for each row execute function count_plan_version()`,
  // Judges requests by account (distinct, and in order, so that statements that meet do not wait in a circle). `p_wait`
  // is how long to wait for a row that somebody holds before the statement fails; without it such rows are passed over,
  // and their accounts are not among the answers.
  `create function take_requests(
    p_accounts bigint[], p_asked integer[], p_most integer[], p_window float8, p_wait integer
  ) returns table (account float8, admitted integer, taken integer, reset_ms float8)
  language plpgsql ${hot} set lock_timeout = '100ms' as $$
  begin
    if p_wait is not null then
      perform set_config('lock_timeout', p_wait::text, true);
      ${take("takeRequests", `${insertWindows} order by u.account`)};
    else
      ${
    take(
      "takeFreeRequests",
      `with held as materialized (
          select h.account from request_windows h where h.account = any(p_accounts)
          order by h.account for no key update skip locked
        )
        ${insertWindows}
        where u.account in (select h.account from held h)
          or (select h.account from request_windows h where h.account = u.account) is null
        order by u.account`
    )
  };
    end if;
  end
$$`,
  // What these cannot pass over they wait for no longer than this, unless they are told how long.
  `alter function credit_reserve_2(bigint[], integer[], bigint[], bigint[], text[], integer[], bigint[], integer[],
    text[], text[], bigint[], integer[], integer, bigint) set lock_timeout = '100ms'`,
  `alter function credit_end_2(bigint[], integer[], bigint[], integer[], boolean[], text[], integer, bigint)
    set lock_timeout = '100ms'`,
  `alter function credit_renew(bigint, integer, bigint, bigint, bigint) set lock_timeout = '100ms'`,
  // One sweep, which passes over every row that somebody holds: a month's, a usage row's, a reservation's. An account
  // of which it could not end all that it found is left to a later sweep.
  `create or replace function credit_expire_2(p_limit integer, p_at bigint)
    returns integer language plpgsql ${hot} set lock_timeout = '100ms' as $$
  declare
    v_now constant bigint := ${now};
    v_accounts bigint[];
    v_months integer[];
    v_ids bigint[];
    v_tools text[];
    v_held_accounts bigint[];
    v_held_months integer[];
    v_free_accounts bigint[];
    v_free_months integer[];
    v_free_tools text[];
    v_stuck bigint[];
    v_ended bigint[];
    v_busy bigint[] := '{}';
    v_left integer := p_limit;
  begin
    if not pg_try_advisory_xact_lock(hashtext('tapeline.credit_expire')) then
      return 0;
    end if;
    perform set_config('synchronous_commit', 'on', true);
    loop
      select array_agg(f.account), array_agg(f.month), array_agg(f.id), array_agg(f.tool)
      into v_accounts, v_months, v_ids, v_tools
      from (/* hot findLapsed */ select account, month, id, tool from credit_reservations
        where state = 'reserved' and expires_at <= v_now and account <> all(v_busy)
        order by expires_at limit v_left /* end */) f;
      exit when v_ids is null;
      select array_agg(l.account), array_agg(l.month) into v_held_accounts, v_held_months
      from (/* hot lockLapsed */ select m.account, m.month
        from (select distinct u.account, u.month from unnest(v_accounts, v_months) as u (account, month)) u
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account, m.month
        for no key update of m skip locked /* end */) l;
      select array_agg(l.account), array_agg(l.month), array_agg(l.tool)
      into v_free_accounts, v_free_months, v_free_tools
      from (/* hot lockUsage */ select c.account, c.month, c.tool
        from (select distinct u.account, u.month, u.tool
          from unnest(v_accounts, v_months, v_tools) as u (account, month, tool)) u
        join credit_usage c on c.account = u.account and c.month = u.month and c.tool = u.tool
        order by c.account, c.month, c.tool
        for no key update of c skip locked /* end */) l;
      select coalesce(array_agg(distinct s.account), '{}') into v_stuck
      from (/* hot findStuckUsage */ select c.account
        from unnest(v_accounts, v_months, v_tools) as u (account, month, tool)
        join credit_usage c on c.account = u.account and c.month = u.month and c.tool = u.tool
        where not exists (select 1 from unnest(v_free_accounts, v_free_months, v_free_tools) as f (account, month, tool)
          where f.account = c.account and f.month = c.month and f.tool = c.tool) /* end */) s;
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
        returning e.id, e.account, e.month, e.tool, e.credits, e.state
      ),
      months as (
        update credit_months m set reserved = m.reserved - d.credits
        from (select account, month, sum(credits) as credits from ended group by account, month) d
        where m.account = d.account and m.month = d.month
      ),
      usage as (
        insert into credit_usage as u (account, month, tool, calls, failed, credits)
        select account, month, tool, count(*), count(*), 0 from ended group by account, month, tool
        on conflict (account, month, tool) do update set
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
  // Whether an answer of some month is still retained, in an instant.
  `create index credit_idempotency_month on credit_idempotency (month, retained_until)`,
  // Makes room for this month and the two to come.
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
  // Older programs drop nothing any more; they may go on making room.
  `create or replace function credit_tend(p_keep integer, p_at bigint) returns integer language plpgsql as $$
  begin
    perform credit_make_room(p_at);
    return null;
  end
$$`,
  `create function credit_oldest_month(p_keep integer, p_at bigint) returns integer language sql stable as $$
    select credit_month_after(credit_month(${now}), 1 - p_keep)
  $$`,
  // Forgets what has ended of old months in the table that takes what no other does, but for what is still replayed.
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
  // The old months that have a table of their own, the oldest first.
  `create function credit_old_months(p_keep integer, p_at bigint) returns setof integer language sql stable as $$
    select month from (
      select right(c.relname, 6)::integer as month
      from pg_inherits h join pg_class c on c.oid = h.inhrelid
      where h.inhparent = 'credit_reservations'::regclass and c.relname ~ '^credit_reservations_[0-9]{6}$'
    ) m
    where month < credit_oldest_month(p_keep, p_at) order by 1
  $$`,
  // Drops the table of an old month: `dropped`. What is reserved of it, or retained, is asked for before any lock, and
  // in an old month there can only be less of it later: `needed`. Who reads it is not waited for: `held`; nor for long
  // who uses them all: `in_use`.
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
  // As it was, but that the plan does not change while some of it is laid.
  `create or replace function credit_lay_plan(
    p_plan text, p_after bigint, p_limit integer, p_at bigint, out last bigint, out missed boolean
  ) language plpgsql ${hot} as $$
  declare
    v_month constant integer := credit_month(${now});
    v_credits bigint;
    v_ids bigint[];
    v_held bigint[];
  begin
    perform set_config('synchronous_commit', 'on', true);
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
)
