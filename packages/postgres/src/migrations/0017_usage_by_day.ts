import { statements } from "./statements.ts"

/*
 * Usage by day, by who called and by tool, in one row each, written where the usage by tool was: as many rows a batch
 * as before, unless its calls of one account differ in who made them. What programs of the version before call and read
 * keeps its name: their calls are counted by day too, and what they read by tool is a view.
 *
 * Locks are taken in the order that stands in the migration of reservations.
 */

/** As in the migration of reservations: settings of the functions on the path of every call. */
const hot = `set plan_cache_mode = force_generic_plan set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

const now = "coalesce(p_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** The day of a reservation, and who made it: a key by its id, -1 for who signed in, 0 for tasks. */
const day = "(reserved_at / 86400000)::integer"
const caller = "case when key > 0 then key when key < 0 then -1 else 0 end"

/** What of `credit_end_2` is another: what it does stays as it was, so it keeps its name. */
const changes: ReadonlyArray<readonly [from: string, to: string]> = [
  ["e.credits, e.state, e.idempotency_key", "e.credits, e.state, e.idempotency_key, e.reserved_at, e.key"],
  [
    "insert into credit_usage as u (account, month, tool, calls, failed, credits)",
    "insert into credit_usage_days as u (account, month, day, caller, tool, calls, failed, credits)"
  ],
  ["select account, month, tool, count(*),", `select account, month, ${day}, ${caller}, tool, count(*),`],
  ["from ended group by account, month, tool", "from ended group by 1, 2, 3, 4, 5"],
  ["on conflict (account, month, tool)", "on conflict (account, month, day, caller, tool)"]
]

export default statements(
  // Whoever writes usage holds its month; who reads it is not held up.
  `lock table credit_months in exclusive mode`,
  // Days are counted from 1970 in UTC: the day on which a call was admitted. 0 is for days that nobody knows any more.
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
  ) with (fillfactor = 50)`,
  `insert into credit_usage_days (account, month, day, caller, tool, calls, failed, credits)
    select account, month, ${day}, ${caller}, tool, count(*), count(*) filter (where state <> 'settled'),
      coalesce(sum(credits) filter (where state = 'settled'), 0)
    from credit_reservations where state <> 'reserved'
    group by 1, 2, 3, 4, 5`,
  // What was used by reservations that were dropped since.
  `insert into credit_usage_days (account, month, day, caller, tool, calls, failed, credits)
    select u.account, u.month, 0, 0, u.tool, u.calls - coalesce(d.calls, 0), u.failed - coalesce(d.failed, 0),
      u.credits - coalesce(d.credits, 0)
    from credit_usage u
    left join (
      select account, month, tool, sum(calls) as calls, sum(failed) as failed, sum(credits) as credits
      from credit_usage_days group by account, month, tool
    ) d on d.account = u.account and d.month = u.month and d.tool = u.tool
    where u.calls > coalesce(d.calls, 0)`,
  `do $do$
  declare
    v_text text := pg_get_functiondef('credit_end_2'::regproc);
  begin
    ${
    changes.map(([from, to]) =>
      `if position($from$${from}$from$ in v_text) = 0 then
      raise exception 'credit_end_2 is not as it was made';
    end if;
    v_text := replace(v_text, $from$${from}$from$, $to$${to}$to$);`
    ).join("\n    ")
  }
    execute v_text;
  end
$do$`,
  // As it was, but for the rows of usage.
  `create or replace function credit_expire_2(p_limit integer, p_at bigint)
    returns integer language plpgsql ${hot} set lock_timeout = '100ms' as $$
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
    perform set_config('synchronous_commit', 'on', true);
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
  // For programs of the version before, until none of them runs any more. It begins with the month's row, so that one
  // account's month is read by itself.
  `drop table credit_usage`,
  `create view credit_usage as
    select m.account, m.month, u.tool, u.calls, u.failed, u.credits
    from credit_months m
    cross join lateral (
      select d.tool, sum(d.calls)::bigint as calls, sum(d.failed)::bigint as failed, sum(d.credits)::bigint as credits
      from credit_usage_days d where d.account = m.account and d.month = m.month
      group by d.tool
    ) u`
)
