import { statements } from "./statements.ts"

/*
 * Reservations by month, so that old ones can be dropped; idempotency keys in a table of their own; the database's time;
 * months that somebody holds are passed over. Programs of the version before go on working beside newer ones: what they
 * call and read keeps its name. `hot` marks a statement on the path of every call, whose plan a test looks at.
 *
 * Locks are taken in this order, so that none waits in a circle: the plans' table, accounts by id, months by account and
 * month, reservations, idempotency keys. Times are epoch ms, and the database's: `p_at` stands for now in tests.
 */

/**
 * Settings of the functions on that path. Their plans are made once for a session, perhaps while the tables are empty,
 * and kept while these grow; so what they may choose from is what stays right: indexes, one row after the other.
 */
const hot = `set plan_cache_mode = force_generic_plan set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

/** An answer is acknowledged only once it is on disk, whatever the server's default says. */
const durable = "perform set_config('synchronous_commit', 'on', true)"

const now = "coalesce(p_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** Takes ended reservations out of their months and writes them into the usage by tool. */
const bookEnded = `months as (
      update credit_months m set reserved = m.reserved - d.credits, used = m.used + d.charged
      from (select account, month, sum(credits) as credits, coalesce(sum(credits) filter (where state = 'settled'), 0) as charged
        from ended group by account, month) d
      where m.account = d.account and m.month = d.month
    ),
    usage as (
      insert into credit_usage as u (account, month, tool, calls, failed, credits)
      select account, month, tool, count(*), count(*) filter (where state <> 'settled'),
        coalesce(sum(credits) filter (where state = 'settled'), 0)
      from ended group by account, month, tool
      on conflict (account, month, tool) do update set
        calls = u.calls + excluded.calls, failed = u.failed + excluded.failed, credits = u.credits + excluded.credits
    )`

export default statements(
  `lock table plans, accounts, keys, credit_months, credit_entries in access exclusive mode`,
  `alter table plans add column laid boolean not null default true`,
  `create index accounts_plan on accounts (plan, id)`,
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
  `create sequence credit_reservation_ids cache 64`,
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
  // What no other partition takes: a call must never fail for want of one.
  `create table credit_reservations_default partition of credit_reservations default with (fillfactor = 80)`,
  `create index credit_reservations_lapse on credit_reservations (expires_at) where state = 'reserved'`,
  // The days of what a quota counts.
  `create index credit_reservations_day on credit_reservations (account, day) where day is not null`,
  // Who holds a key: the reservation, while it runs or its answer is retained. `origin` is the first reservation that was
  // made under the key for the same request: what the call is known by, however often it is made again.
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
  `create index credit_idempotency_retention on credit_idempotency (retained_until)`,
  `create function credit_month(p_at bigint) returns integer language sql stable as $$
    select (extract(year from t) * 100 + extract(month from t))::integer
    from (select to_timestamp(p_at / 1000) at time zone 'UTC' as t) x
  $$`,
  `create function credit_month_after(p_month integer, p_months integer) returns integer language sql immutable as $$
    select (m / 12) * 100 + m % 12 + 1 from (select p_month / 100 * 12 + p_month % 100 - 1 + p_months as m) x
  $$`,
  // A month whose reservations went to the default partition stays there.
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
  `select credit_make_partition(month) from (
    select distinct month from credit_entries
    union select credit_month_after(credit_month((extract(epoch from clock_timestamp()) * 1000)::bigint), n)
      from generate_series(0, 2) n
  ) m`,
  `insert into credit_reservations (account, month, id, key, tool, credits, state, reserved_at, expires_at, ended_at, day,
      idempotency_key, retained_until)
    select account, month, id, key, tool, credits, state, reserved_at, expires_at, ended_at,
      case when tool = 'agent.answer' then reserved_at / 86400000 end, idempotency_key, retained_until
    from credit_entries`,
  `insert into credit_idempotency (account, key, fingerprint, month, entry, origin, retained_until, answer)
    select account, idempotency_key, fingerprint, month, id, id, retained_until, answer
    from credit_entries
    where idempotency_key is not null and state in ('reserved', 'settled')`,
  `select setval('credit_reservation_ids', greatest(1, (select max(id) from credit_entries)))`,
  `drop table credit_entries`,
  // Opens months with the allotment of the accounts' plans as they stand, and not as they stood before a change.
  `create function credit_open_months_2(p_accounts bigint[], p_month integer, p_wait boolean)
    returns void language plpgsql as $$
  declare
    v_accounts bigint[];
  begin
    lock table plans in row share mode;
    if p_wait then
      select array_agg(id) into v_accounts from (
        select id from accounts a where id = any(p_accounts)
          and not exists (select 1 from credit_months m where m.account = a.id and m.month = p_month)
        order by id for no key update
      ) held;
    else
      select array_agg(id) into v_accounts from (
        select id from accounts a where id = any(p_accounts)
          and not exists (select 1 from credit_months m where m.account = a.id and m.month = p_month)
        order by id for no key update skip locked
      ) held;
    end if;
    insert into credit_months (account, month, allotted, cap)
    select a.id, p_month, coalesce(p.monthly_credits, 0), coalesce(p.monthly_credits, 0)
    from accounts a left join plans p on p.name = a.plan
    where a.id = any(v_accounts)
    order by a.id
    on conflict do nothing;
  end
$$`,
  // Judges a batch of requests, in order. `p_accounts` are its distinct accounts in order, `p_slots` says which of them a
  // request is for. `p_wait` is how long to wait for a lock before the statement fails; without it, what is locked is
  // passed over and `busy`. `p_quotas` is null when no request has one. `p_idems`, `p_prints`, `p_retains` and
  // `p_twins` are null when none has an idempotency key; `p_twins` is the request before it in the batch with the same
  // account and key.
  `create function credit_reserve_2(
    p_accounts bigint[], p_slots integer[], p_keys bigint[], p_tasks bigint[], p_tools text[], p_credits integer[],
    p_ttls bigint[], p_quotas integer[], p_idems text[], p_prints text[], p_retains bigint[], p_twins integer[],
    p_wait integer, p_at bigint,
    out instant float8, out verdicts text[], out entries float8[], out origins float8[], out lefts float8[],
    out details float8[], out answers text[]
  ) language plpgsql ${hot} as $$
  declare
    n constant integer := cardinality(p_slots);
    v_now constant bigint := ${now};
    v_month constant integer := credit_month(v_now);
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
      from unnest(p_accounts) as u (account)
      where not exists (select 1 from credit_months m where m.account = u.account and m.month = v_month)
    /* end */) then
      perform credit_open_months_2(p_accounts, v_month, p_wait is not null);
    end if;
    if p_wait is not null then
      for r in /* hot lockMonths */ select u.slot, m.allotted, m.used + m.reserved as taken
        from unnest(p_accounts) with ordinality as u (account, slot)
        join credit_months m on m.account = u.account and m.month = v_month
        order by m.account
        for no key update of m /* end */ loop
        v_allotted[r.slot] := r.allotted;
        v_taken[r.slot] := r.taken;
      end loop;
    else
      for r in /* hot lockFreeMonths */ select u.slot, m.allotted, m.used + m.reserved as taken
        from unnest(p_accounts) with ordinality as u (account, slot)
        join credit_months m on m.account = u.account and m.month = v_month
        order by m.account
        for no key update of m skip locked /* end */ loop
        v_allotted[r.slot] := r.allotted;
        v_taken[r.slot] := r.taken;
      end loop;
    end if;
    if array_position(v_allotted, null) is not null then
      select array_agg(u.slot) into v_busy
      from unnest(p_accounts) with ordinality as u (account, slot) join accounts a on a.id = u.account
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
      from unnest(p_accounts, v_taken) as t (account, taken)
      where m.account = t.account and m.month = v_month and m.used + m.reserved <> t.taken /* end */;

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
  // Ends a batch of distinct reservations. `p_accounts` and `p_months` are the distinct months in order, `p_slots` says
  // in which a reservation is. `lefts` is what each month had left before; a verdict is `ended`, or how the reservation
  // had ended, or `unknown`, or `busy`.
  `create function credit_end_2(
    p_accounts bigint[], p_months integer[], p_entries bigint[], p_slots integer[], p_settles boolean[], p_answers text[],
    p_wait integer, p_at bigint, out lefts float8[], out verdicts text[]
  ) language plpgsql ${hot} as $$
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
      returning u.n, u.answer, e.id, e.account, e.month, e.tool, e.credits, e.state, e.idempotency_key
    ),
    ${bookEnded},
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
    returns boolean language plpgsql ${hot} as $$
  declare
    v_now constant bigint := ${now};
  begin
    ${durable};
    /* hot renew */ update credit_reservations set expires_at = greatest(expires_at, v_now + p_ttl)
      where account = p_account and month = p_month and id = p_entry and ended_at is null and expires_at > v_now /* end */;
    return found;
  end
$$`,
  // One sweep. Of several nodes that sweep at once one does, the others find nothing to do. Reservations are looked up
  // without a lock and judged again under their month's; those of a month that somebody holds are left to a later sweep.
  `create function credit_expire_2(p_limit integer, p_at bigint) returns integer language plpgsql ${hot} as $$
  declare
    v_now constant bigint := ${now};
    v_accounts bigint[];
    v_months integer[];
    v_ids bigint[];
    v_held_accounts bigint[];
    v_held_months integer[];
    v_busy bigint[] := '{}';
    v_left integer := p_limit;
    v_count integer;
  begin
    if not pg_try_advisory_xact_lock(hashtext('tapeline.credit_expire')) then
      return 0;
    end if;
    ${durable};
    loop
      select array_agg(f.account), array_agg(f.month), array_agg(f.id) into v_accounts, v_months, v_ids
      from (/* hot findLapsed */ select account, month, id from credit_reservations
        where state = 'reserved' and expires_at <= v_now and account <> all(v_busy)
        order by expires_at limit v_left /* end */) f;
      exit when v_ids is null;
      select array_agg(l.account), array_agg(l.month) into v_held_accounts, v_held_months
      from (/* hot lockLapsed */ select m.account, m.month
        from (select distinct u.account, u.month from unnest(v_accounts, v_months) as u (account, month)) u
        join credit_months m on m.account = u.account and m.month = u.month
        order by m.account, m.month
        for no key update of m skip locked /* end */) l;
      /* hot expireReservations */ with ended as (
        update credit_reservations e set state = 'expired', ended_at = v_now
        from unnest(v_accounts, v_months, v_ids) as u (account, month, id)
        where e.account = u.account and e.month = u.month and e.id = u.id
          and exists (select 1 from unnest(v_held_accounts, v_held_months) as h (account, month)
            where h.account = u.account and h.month = u.month)
          and e.ended_at is null and e.expires_at <= v_now
        returning e.id, e.account, e.month, e.tool, e.credits, e.state
      ),
      ${bookEnded}
      select count(*) from ended /* end */ into v_count;
      v_left := v_left - v_count;
      -- Only what was passed over calls for another look.
      select v_busy || array_agg(distinct u.account) into v_busy
      from unnest(v_accounts, v_months) as u (account, month)
      where not exists (select 1 from unnest(v_held_accounts, v_held_months) as h (account, month)
        where h.account = u.account and h.month = u.month);
      exit when v_left <= 0 or v_count = cardinality(v_ids);
    end loop;
    return p_limit - v_left;
  end
$$`,
  // Forgets what has passed its retention, but for what has not ended: whoever takes its key must find it.
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
$$`,
  // Makes room for this month and the two to come; drops the oldest month beyond `p_keep`, unless something of it is
  // reserved or an answer of it is retained; gives the month that it dropped.
  `create function credit_tend(p_keep integer, p_at bigint) returns integer language plpgsql as $$
  declare
    v_now constant bigint := ${now};
    v_month constant integer := credit_month(v_now);
    v_oldest constant integer := credit_month_after(v_month, 1 - p_keep);
    v_table text;
    v_drop integer;
    v_needed boolean;
  begin
    if not pg_try_advisory_xact_lock(hashtext('tapeline.credit_tend')) then
      return null;
    end if;
    -- What runs holds up a change of the table, and what comes then waits behind it; so it is given up soon.
    perform set_config('lock_timeout', '200', true);
    for n in 0..2 loop
      perform credit_make_partition(credit_month_after(v_month, n));
    end loop;
    delete from credit_reservations_default where month < v_oldest and state <> 'reserved';
    select c.relname, right(c.relname, 6)::integer into v_table, v_drop
    from pg_inherits h join pg_class c on c.oid = h.inhrelid
    where h.inhparent = 'credit_reservations'::regclass and c.relname ~ '^credit_reservations_[0-9]{6}$'
      and right(c.relname, 6)::integer < v_oldest
    order by 2 limit 1;
    if v_table is null then
      return null;
    end if;
    lock table credit_reservations in access exclusive mode;
    execute format('select exists (select 1 from %I where state = ''reserved'')', v_table) into v_needed;
    if v_needed or exists (select 1 from credit_idempotency where month = v_drop and retained_until > v_now) then
      return null;
    end if;
    execute format('drop table %I', v_table);
    return v_drop;
  end
$$`,
  // Puts an account on a plan, and lays the plan's allotment over its months that are open, from the one that runs on.
  `create function credit_change_plan_2(p_account bigint, p_plan text, p_at bigint) returns boolean language plpgsql as $$
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
  // Says what plans allot. One that changed is yet to be laid over the months that are open.
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
  // Lays a plan's allotment over the open months of some of its accounts, those after `p_after`; `last` is the last of
  // them, and null when there were none. `missed` says that somebody held one of them.
  `create function credit_lay_plan(p_plan text, p_after bigint, p_limit integer, p_at bigint, out last bigint, out missed boolean)
    language plpgsql ${hot} as $$
  declare
    v_month constant integer := credit_month(${now});
    v_credits bigint;
    v_ids bigint[];
    v_held bigint[];
  begin
    ${durable};
    select monthly_credits into v_credits from plans where name = p_plan;
    select array_agg(f.id), max(f.id) into v_ids, last
    from (/* hot findOnPlan */ select id from accounts where plan = p_plan and id > p_after order by id limit p_limit /* end */) f;
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
$$`,
  // For programs of the version before, until none of them runs any more.
  `create view credit_entries as
    select id, account, key, month, credits, tool, state, reserved_at, expires_at, ended_at, null::text as idempotency_key,
      null::text as fingerprint, null::bigint as retained_until, null::text as answer
    from credit_reservations`,
  `create or replace function credit_reserve(
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
  `create or replace function credit_end(
    p_accounts bigint[], p_months integer[], p_entries bigint[], p_slots integer[], p_nows bigint[], p_settles boolean[],
    p_answers text[], out lefts float8[], out ended float8[]
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
  `create or replace function credit_expire(p_now bigint, p_limit integer) returns integer language sql as $$
    select credit_expire_2(p_limit, null)
  $$`,
  `create or replace function credit_prune(p_now bigint, p_limit integer) returns integer language sql as $$
    select credit_prune_2(p_limit, null)
  $$`,
  `drop function credit_open_months(bigint[], integer[])`,
  `create or replace function credit_change_plan(p_account bigint, p_plan text, p_month integer)
    returns boolean language sql as $$
    select credit_change_plan_2(p_account, p_plan, null)
  $$`,
  `create or replace function credit_define_plans(p_names text[], p_credits bigint[], p_month integer)
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
)
