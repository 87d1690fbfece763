import { statements } from "./statements.ts"

/*
 * Charges calls that ran without a reservation. `credit_charge` stores such a call as a reservation that is already
 * settled, or released if the call failed, so all other functions can process it.
 */

/** Settings of functions that run on every call: only plans that stay good as tables grow. */
const hot = `set plan_cache_mode = force_generic_plan set jit = off
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off`

/** The limit for rows that another session holds, unless the caller passes `p_wait`. */
const briefly = "set lock_timeout = '100ms'"

const clock = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"

/** The time in ms after the start of a month in which a late request of the previous month may arrive. */
const lateMs = 3_600_000

/** Locks the months of a batch. `locking` ends the statement. */
const lockMonths = (hotName: string, locking: string) =>
  `for r in /* hot ${hotName} */ select u.slot, m.month, m.allotted, m.used + m.reserved - m.adjusted as taken,
          m.key_caps
        from unnest(p_accounts) with ordinality as u (account, slot) cross join unnest(v_locked_months) as w (month)
        join credit_months m on m.account = u.account and m.month = w.month
        order by m.account, m.month
        for no key update of m${locking} /* end */ loop
        v_lock_counts[r.slot] := v_lock_counts[r.slot] + 1;
        if r.month = v_month then
          v_allotted[r.slot] := r.allotted; v_taken[r.slot] := r.taken; v_capped[r.slot] := r.key_caps;
        end if;
      end loop;`

/**
 * The parameters are those of `credit_reserve_3`, and the ids, the outcomes and the answers of the calls. An answer is
 * a JSON object, to which the function adds `credits_left`. `p_repeated` is true if an earlier batch may have charged
 * one of the ids. The verdict `charged` has the month of the charge in `details`. If an earlier batch charged the call
 * and stored its answer, `lefts` has the credits of the answer. A failed call has the verdict `recorded`.
 *
 * An id is charged once. The primary key ensures this within a month. Every batch in the first hour of a month also
 * locks the previous month and searches for its ids in both months. A repeated batch locks and searches the previous,
 * the current and the next month, because the clock may be behind the clock of the earlier batch after a failover. A
 * batch that got its locks after the end of its day is busy, because a repeated batch may have charged its ids in the
 * next month.
 */
const charge = `create function credit_charge(
    p_accounts bigint[], p_slots integer[], p_ids bigint[], p_keys bigint[], p_tasks bigint[], p_tools text[],
    p_credits integer[], p_settles boolean[], p_idems text[], p_prints text[], p_retains bigint[], p_twins integer[],
    p_answers text[], p_repeated boolean, p_wait integer, p_at bigint,
    out instant float8, out verdicts text[], out entries float8[], out lefts float8[], out details float8[],
    out answers text[]
  ) language plpgsql ${hot} ${briefly} as $$
  declare
    n constant integer := cardinality(p_slots);
    v_now constant bigint := coalesce(p_at, ${clock});
    v_day constant integer := v_now / 86400000;
    v_month constant integer := credit_month(v_now);
    v_months constant integer[] := array_fill(v_month, array[cardinality(p_accounts)]);
    v_locked_months integer[] := array[v_month];
    v_lock_counts integer[] := array_fill(0, array[cardinality(p_accounts)]);
    v_capped boolean[] := array_fill(false, array[cardinality(p_accounts)]);
    v_allotted bigint[] := array_fill(null::bigint, array[cardinality(p_accounts)]);
    v_taken bigint[] := v_allotted;
    v_busy integer[];
    v_ids bigint[] := array_fill(null::bigint, array[n]);
    v_limits integer[];
    v_limit_slots integer[];
    v_limit_keys bigint[];
    v_limit_credits bigint[];
    v_limit_taken bigint[];
    v_answers text[];
    v_origins bigint[];
    v_replaced bigint[];
    v_lapsed bigint[];
    v_lapsed_months integer[];
    v_keyed integer := 0;
    v_disarmed integer := 0;
    v_count integer;
    r record;
    s integer;
    l integer;
    twin integer;
  begin
    perform set_config('synchronous_commit', 'on', true);
    instant := v_now;
    verdicts := array_fill(null::text, array[n]);
    entries := array_fill(null::float8, array[n]);
    lefts := entries;
    details := entries;
    if p_wait is not null then
      perform set_config('lock_timeout', p_wait::text, true);
    end if;
    if p_repeated then
      v_locked_months := array[credit_month_after(v_month, -1), v_month, credit_month_after(v_month, 1)];
    elsif credit_month(v_now - ${lateMs}) <> v_month then
      v_locked_months := array[credit_month_after(v_month, -1), v_month];
    end if;
    if exists (/* hot missingChargeMonths */ select 1
      from unnest(p_accounts, v_months) as u (account, month)
      where not exists (select 1 from credit_months m where m.account = u.account and m.month = u.month)
    /* end */) then
      perform credit_open_months_2(p_accounts, v_month, p_wait is not null);
    end if;
    if p_wait is not null then
      ${lockMonths("lockChargeMonths", "")}
    else
      ${lockMonths("lockFreeChargeMonths", " skip locked")}
      if cardinality(v_locked_months) > 1 then
        for r in /* hot findUnlockedMonths */ select u.slot
          from unnest(p_accounts) with ordinality as u (account, slot)
          where v_lock_counts[u.slot] < (
            select count(*) from credit_months m where m.account = u.account and m.month = any(v_locked_months)
          ) /* end */ loop
          v_allotted[r.slot] := null;
        end loop;
      end if;
    end if;
    if p_at is null and ${clock} / 86400000 <> v_day then
      verdicts := array_fill('busy'::text, array[n]);
      return;
    end if;
    if array_position(v_allotted, null) is not null then
      select array_agg(u.slot) into v_busy
      from unnest(p_accounts) with ordinality as u (account, slot) join accounts a on a.id = u.account
      where v_allotted[u.slot] is null;
    end if;

    if true = any(v_capped) then
      v_limits := array_fill(null::integer, array[n]);
      for r in /* hot findChargeKeys */ select u.n, u.slot, c.key, c.credits, c.used + c.reserved as taken
        from unnest(p_slots, p_keys) with ordinality as u (slot, key, n)
        join keys k on k.id = u.key
        join credit_key_months c on c.account = p_accounts[u.slot] and c.month = v_months[u.slot]
          and c.key = coalesce(k.first_key, k.id)
        where v_capped[u.slot] /* end */ loop
        l := array_position(v_limit_keys, r.key);
        if l is null then
          v_limit_keys := v_limit_keys || r.key;
          v_limit_slots := v_limit_slots || r.slot::integer;
          v_limit_credits := v_limit_credits || r.credits;
          v_limit_taken := v_limit_taken || r.taken;
          l := cardinality(v_limit_keys);
        end if;
        v_limits[r.n] := l;
      end loop;
    end if;

    if p_idems is not null then
      v_origins := v_ids;
      v_lapsed := v_ids;
      v_lapsed_months := array_fill(null::integer, array[n]);
      v_answers := array_fill(null::text, array[n]);
      answers := v_answers;
      for r in /* hot findChargeIdempotency */ select u.n, u.slot, i.month, i.entry, i.origin, i.fingerprint,
          i.retained_until, i.answer, e.state, e.expires_at
        from unnest(p_slots, p_idems) with ordinality as u (slot, idem, n)
        join credit_idempotency i on i.account = p_accounts[u.slot] and i.key = u.idem
        left join credit_reservations e on e.account = i.account and e.month = i.month and e.id = i.entry
        /* end */ loop
        if r.state = 'reserved' and r.expires_at > v_now or r.state = 'settled' and r.retained_until > v_now then
          if r.fingerprint <> p_prints[r.n] then
            verdicts[r.n] := 'reused';
          elsif r.state = 'reserved' then
            verdicts[r.n] := 'in_progress';
            details[r.n] := r.expires_at - v_now;
          else
            verdicts[r.n] := 'replayed';
            entries[r.n] := r.entry;
            details[r.n] := r.month;
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

    if cardinality(v_locked_months) > 1 then
      for r in /* hot findCharged */ select u.n, e.month, e.id
        from unnest(p_ids, p_slots) with ordinality as u (id, slot, n)
        join credit_reservations e
          on e.account = p_accounts[u.slot] and e.month = any(v_locked_months) and e.id = u.id
        where e.state = 'settled' /* end */ loop
        if entries[r.n] = r.id then
          lefts[r.n] := substring(answers[r.n] from '^{"credits_left":([0-9]+)')::float8;
        end if;
        verdicts[r.n] := 'charged';
        entries[r.n] := r.id;
        details[r.n] := r.month;
      end loop;
    end if;

    for i in 1..n loop
      s := p_slots[i];
      if v_allotted[s] is null then
        verdicts[i] := case when s = any(v_busy) then 'busy' else 'no_account' end;
        continue;
      end if;
      l := v_limits[i];
      if verdicts[i] is null and p_idems[i] is not null then
        twin := p_twins[i];
        while twin is not null and v_ids[twin] is null loop
          twin := p_twins[twin];
        end loop;
        if twin is not null then
          verdicts[i] := case when p_prints[twin] = p_prints[i] then 'replayed' else 'reused' end;
          entries[i] := v_ids[twin];
          details[i] := v_month;
          answers[i] := v_answers[twin];
        end if;
      end if;
      if verdicts[i] is null and not p_settles[i] then
        verdicts[i] := 'recorded';
        v_ids[i] := p_ids[i];
      elsif verdicts[i] is null and v_taken[s] + p_credits[i] > v_allotted[s] then
        verdicts[i] := 'refused';
        details[i] := v_allotted[s];
      elsif verdicts[i] is null and v_limit_taken[l] + p_credits[i] > v_limit_credits[l] then
        verdicts[i] := 'key_limit';
        details[i] := v_limit_credits[l];
      elsif verdicts[i] is null then
        verdicts[i] := 'charged';
        v_ids[i] := p_ids[i];
        entries[i] := v_ids[i];
        details[i] := v_month;
        v_taken[s] := v_taken[s] + p_credits[i];
        if l is not null then
          v_limit_taken[l] := v_limit_taken[l] + p_credits[i];
        end if;
      end if;
      lefts[i] := coalesce(
        lefts[i], greatest(0, least(v_allotted[s] - v_taken[s], v_limit_credits[l] - v_limit_taken[l]))
      );
      if v_ids[i] is not null and p_idems[i] is not null then
        v_keyed := v_keyed + 1;
        if v_lapsed[i] is not null then
          v_disarmed := v_disarmed + 1;
        end if;
        v_answers[i] := '{"credits_left":' || least(lefts[i], ${Number.MAX_SAFE_INTEGER})::bigint || ','
          || substr(p_answers[i], 2);
        if octet_length(v_answers[i]) > 262144 then
          v_answers[i] := null;
        end if;
      end if;
    end loop;

    /* hot writeCharges */ with written as (
        select p_accounts[a.slot] as account, a.id, a.key, a.task, a.tool, a.credits, a.settle, a.idem, a.retain
        from unnest(v_ids, p_slots, p_keys, p_tasks, p_tools, p_credits, p_settles, p_idems, p_retains)
          as a (id, slot, key, task, tool, credits, settle, idem, retain)
        where a.id is not null
      ),
      usage as (
        insert into credit_usage_days as u (account, month, day, caller, tool, calls, failed, credits)
        select account, v_month, v_day, case when key > 0 then key when key < 0 then -1 else 0 end, tool, count(*),
          count(*) filter (where not settle), coalesce(sum(credits) filter (where settle), 0)
        from written group by 1, 2, 3, 4, 5
        on conflict (account, month, day, caller, tool) do update set
          calls = u.calls + excluded.calls, failed = u.failed + excluded.failed, credits = u.credits + excluded.credits
      ),
      months as (
        update credit_months m set used = t.taken + m.adjusted - m.reserved
        from unnest(p_accounts, v_months, v_taken) as t (account, month, taken)
        where m.account = t.account and m.month = t.month and m.used + m.reserved - m.adjusted <> t.taken
      )
      insert into credit_reservations (
        account, month, id, key, task, tool, credits, state, reserved_at, expires_at, ended_at, idempotency_key,
        retained_until
      )
      select account, v_month, id, key, task, tool, credits, case when settle then 'settled' else 'released' end, v_now,
        v_now + 1, v_now, idem, v_now + retain
      from written /* end */;
    if v_limit_keys is not null then
      /* hot chargeKeyMonths */ update credit_key_months c set used = t.taken - c.reserved
        from unnest(v_limit_slots, v_limit_keys, v_limit_taken) as t (slot, key, taken)
        where c.account = p_accounts[t.slot] and c.month = v_months[t.slot] and c.key = t.key
          and c.used + c.reserved <> t.taken /* end */;
    end if;
    if v_keyed > 0 then
      -- A lapsed reservation of another month is not locked, so another transaction may have changed it.
      if v_disarmed > 0 then
        /* hot disarmBeforeCharge */ update credit_reservations e set expires_at = 0
          from unnest(v_ids, p_slots, v_lapsed, v_lapsed_months) as l (charged, slot, id, month)
          where l.charged is not null and e.account = p_accounts[l.slot] and e.month = l.month and e.id = l.id
            and e.ended_at is null and e.expires_at <= v_now /* end */;
        get diagnostics v_count = row_count;
        if v_count <> v_disarmed then
          raise serialization_failure using message = 'a lapsed reservation changed';
        end if;
      end if;
      /* hot keepAnswers */ insert into credit_idempotency as i
          (account, key, fingerprint, month, entry, origin, retained_until, answer)
        select p_accounts[a.slot], a.idem, a.print, v_month, a.id, coalesce(a.origin, a.id), v_now + a.retain, a.answer
        from unnest(v_ids, p_slots, p_idems, p_prints, p_retains, v_origins, v_answers)
          as a (id, slot, idem, print, retain, origin, answer)
        where a.id is not null and a.idem is not null
        order by 1, 2
        on conflict (account, key) do update set
          fingerprint = excluded.fingerprint, month = excluded.month, entry = excluded.entry, origin = excluded.origin,
          retained_until = excluded.retained_until, answer = excluded.answer
        where i.entry = any(v_replaced) /* end */;
      get diagnostics v_count = row_count;
      if v_count <> v_keyed then
        raise serialization_failure using message = 'another transaction took an idempotency key';
      end if;
    end if;
  end
$$`

/** Charges of calls that ran without a reservation. */
export default statements(charge)
