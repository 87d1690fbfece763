import { statements } from "./statements.ts"

/*
 * Limits of API keys. `credit_key_months` counts the credits of each key that has monthly credits of its own. Keys of
 * one chain of rotations share a row, whose `key` is the first key of the chain. The lock of an account's month also
 * protects these rows of the month. `key_caps` of a month is true if the month has such rows, so that calls of other
 * accounts do not search for them.
 */

/** The database's time in epoch ms. Tests pass another time as `p_at`. */
const now = "coalesce(p_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** Acknowledges a change only when it is on the disk, whatever the server's default is. */
const durable = "perform set_config('synchronous_commit', 'on', true)"

/** The first key of a chain of rotations. */
const firstKey = "coalesce(k.first_key, k.id)"

type Replacement = readonly [before: string, after: string, count?: number]

/** Replaces parts of a function's stored text. Each part must occur exactly `count` times, 1 by default. */
const replaceIn = (name: string, ...replacements: ReadonlyArray<Replacement>): string =>
  `do $do$
  declare
    v_text text := pg_get_functiondef('${name}'::regproc);
  begin
    ${
    replacements.map(([before, after, count = 1]) =>
      `if (length(v_text) - length(replace(v_text, $q$${before}$q$, ''))) / length($q$${before}$q$) <> ${count} then
        raise exception 'unexpected text of ${name}';
      end if;
      v_text := replace(v_text, $q$${before}$q$, $q$${after}$q$);`
    ).join("\n    ")
  }
    execute v_text;
  end
$do$`

const keys = [
  `alter table keys
    add column monthly_credits bigint check (monthly_credits >= 0),
    add column requests_per_minute integer check (requests_per_minute >= 1),
    add column allowed_ips text[] not null default '{}',
    add column first_key bigint`,
  `create trigger keys_limits_durable before update of monthly_credits, requests_per_minute, allowed_ips on keys
    for each statement execute function commit_durably()`,
  `create trigger keys_limits_changed after update of monthly_credits, requests_per_minute, allowed_ips on keys
    for each row execute function tell_access_changed()`,
  // A key and its successor count as one key while both are valid.
  replaceIn("create_key", ["select count(*) from keys", "select count(distinct coalesce(first_key, id)) from keys"])
]

const months = [
  "alter table credit_months add column key_caps boolean not null default false",
  // `credits` is what the key may use. `cap` is larger if `credits` was lowered below the sum of used and reserved.
  `create table credit_key_months (
    account bigint not null,
    month integer not null,
    key bigint not null,
    credits bigint not null check (credits >= 0),
    cap bigint not null,
    used bigint not null default 0,
    reserved bigint not null default 0,
    primary key (account, month, key),
    constraint credit_key_months_hold
      check (used >= 0 and reserved >= 0 and cap >= credits and used + reserved <= cap)
  ) with (fillfactor = 50)`,
  replaceIn("credit_open_months_2", [
    "insert into credit_months (account, month, allotted, cap)",
    "with opened as (insert into credit_months (account, month, allotted, cap, key_caps)"
  ], [
    "select a.id, p_month, coalesce(p.monthly_credits, 0), coalesce(p.monthly_credits, 0)",
    `select a.id, p_month, coalesce(p.monthly_credits, 0), coalesce(p.monthly_credits, 0),
      exists (select 1 from keys k where k.account = a.id and k.monthly_credits is not null)`
  ], [
    "on conflict do nothing;",
    `on conflict do nothing returning account, key_caps)
    insert into credit_key_months (account, month, key, credits, cap)
    select distinct k.account, p_month, ${firstKey}, k.monthly_credits, k.monthly_credits
    from opened o join keys k on k.account = o.account where o.key_caps and k.monthly_credits is not null;`
  ]),
  // Changes the monthly credits of a key and of the keys that share them; null removes the limit. What the keys have
  // used in the current month counts. Returns false for an unknown key.
  `create function credit_limit_key(p_key bigint, p_credits bigint, p_at bigint) returns boolean language plpgsql as $$
  declare
    v_month constant integer := credit_month(${now});
    v_account bigint;
    v_first bigint;
    v_keys bigint[];
  begin
    ${durable};
    select k.account, ${firstKey} into v_account, v_first from keys k where k.id = p_key;
    if not found then
      return false;
    end if;
    perform 1 from accounts where id = v_account for no key update;
    select array_agg(k.id) into v_keys from keys k where k.account = v_account and ${firstKey} = v_first;
    perform 1 from credit_months where account = v_account and month >= v_month order by month for no key update;
    update keys set monthly_credits = p_credits where id = any(v_keys);
    if p_credits is null then
      delete from credit_key_months where account = v_account and key = v_first and month >= v_month;
    else
      insert into credit_key_months (account, month, key, credits, cap, used, reserved)
      select m.account, m.month, v_first, p_credits, greatest(p_credits, c.used + c.reserved), c.used, c.reserved
      from credit_months m
      cross join lateral (
        select
          coalesce((select sum(u.credits) from credit_usage_days u
            where u.account = m.account and u.month = m.month and u.caller = any(v_keys)), 0) as used,
          coalesce((select sum(e.credits) from credit_reservations e
            where e.account = m.account and e.month = m.month and e.state = 'reserved' and e.key = any(v_keys)), 0)
            as reserved
      ) c
      where m.account = v_account and m.month >= v_month
      on conflict (account, month, key) do update set
        credits = excluded.credits, cap = excluded.cap, used = excluded.used, reserved = excluded.reserved;
    end if;
    update credit_months m set key_caps = exists (
      select 1 from credit_key_months c where c.account = m.account and c.month = m.month
    )
    where m.account = v_account and m.month >= v_month;
    return true;
  end
$$`
]

const takenWithCaps = "m.used + m.reserved - m.adjusted as taken, m.key_caps"

/** `credit_reserve_3` has the additional verdict `key_limit`, whose `details` are the monthly credits of the key. */
const reserve = [
  "alter function credit_reserve_2 rename to credit_reserve_3",
  replaceIn(
    "credit_reserve_3",
    [
      "v_busy integer[];",
      `v_busy integer[];
    v_capped boolean[] := array_fill(false, array[cardinality(p_accounts)]);
    v_limits integer[];
    v_limit_slots integer[];
    v_limit_keys bigint[];
    v_limit_credits bigint[];
    v_limit_taken bigint[];
    l integer;`
    ],
    ["m.used + m.reserved - m.adjusted as taken", takenWithCaps, 2],
    ["v_taken[r.slot] := r.taken;", "v_taken[r.slot] := r.taken; v_capped[r.slot] := r.key_caps;", 2],
    // `v_limits` has the position of each request's key in `v_limit_keys`, or null for a key without a limit.
    [
      "if p_idems is not null then",
      `if true = any(v_capped) then
      v_limits := array_fill(null::integer, array[n]);
      for r in /* hot findKeyMonths */ select u.n, u.slot, c.key, c.credits, c.used + c.reserved as taken
        from unnest(p_slots, p_keys) with ordinality as u (slot, key, n)
        join keys k on k.id = u.key
        join credit_key_months c on c.account = p_accounts[u.slot] and c.month = v_months[u.slot]
          and c.key = ${firstKey}
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

    if p_idems is not null then`
    ],
    [
      "if v_taken[s] + p_credits[i] <= v_allotted[s] then",
      `l := v_limits[i];
      if v_taken[s] + p_credits[i] <= v_allotted[s] and v_limit_taken[l] + p_credits[i] > v_limit_credits[l] then
        verdicts[i] := 'key_limit';
        details[i] := v_limit_credits[l];
      elsif v_taken[s] + p_credits[i] <= v_allotted[s] then
        if l is not null then
          v_limit_taken[l] := v_limit_taken[l] + p_credits[i];
        end if;`
    ],
    [
      "greatest(0, v_allotted[s] - v_taken[s])",
      "greatest(0, least(v_allotted[s] - v_taken[s], v_limit_credits[l] - v_limit_taken[l]))"
    ],
    [
      "if v_keyed > 0 then",
      `if v_limit_keys is not null then
      /* hot reserveKeyMonths */ update credit_key_months c set reserved = t.taken - c.used
        from unnest(v_limit_slots, v_limit_keys, v_limit_taken) as t (slot, key, taken)
        where c.account = p_accounts[t.slot] and c.month = v_months[t.slot] and c.key = t.key
          and c.used + c.reserved <> t.taken /* end */;
    end if;
    if v_keyed > 0 then`
    ]
  ),
  // For processes of earlier versions. They name the plans with more credits than `details`, and no plan helps.
  `create function credit_reserve_2(
    p_accounts bigint[], p_slots integer[], p_keys bigint[], p_tasks bigint[], p_tools text[], p_credits integer[],
    p_ttls bigint[], p_quotas integer[], p_idems text[], p_prints text[], p_retains bigint[], p_twins integer[],
    p_wait integer, p_at bigint,
    out instant float8, out verdicts text[], out entries float8[], out origins float8[], out lefts float8[],
    out details float8[], out answers text[]
  ) language plpgsql as $$
  begin
    select r.* into instant, verdicts, entries, origins, lefts, details, answers
    from credit_reserve_3(
      p_accounts, p_slots, p_keys, p_tasks, p_tools, p_credits, p_ttls, p_quotas, p_idems, p_prints, p_retains, p_twins,
      p_wait, p_at
    ) r;
    for i in 1..cardinality(verdicts) loop
      if verdicts[i] = 'key_limit' then
        verdicts[i] := 'refused';
        details[i] := ${Number.MAX_SAFE_INTEGER};
      end if;
    end loop;
  end
$$`
]

/**
 * `credit_end_3` has two additional results for each reservation: the first key of the chain whose limit it counts
 * towards, or null, and the credits that this limit had left before.
 */
const end = [
  `do $do$
  declare
    v_text constant text := pg_get_functiondef('credit_end_2'::regproc);
    v_new constant text := replace(
      replace(v_text, '.credit_end_2(', '.credit_end_3('),
      'OUT verdicts text[])',
      'OUT verdicts text[], OUT limit_keys double precision[], OUT key_lefts double precision[])'
    );
  begin
    if v_new not like '%.credit_end_3(%OUT key_lefts%' then
      raise exception 'unexpected text of credit_end_2';
    end if;
    execute v_new;
  end
$do$`,
  "drop function credit_end_2",
  replaceIn(
    "credit_end_3",
    ["v_ended integer[];", "v_ended integer[];\n    v_capped boolean[] := v_held;"],
    ["m.used + m.reserved - m.adjusted as taken", takenWithCaps, 2],
    ["v_held[r.slot] := true;", "v_held[r.slot] := true; v_capped[r.slot] := r.key_caps;", 2],
    [
      "/* hot endReservations */",
      `if true = any(v_capped) then
      limit_keys := array_fill(null::float8, array[n]);
      key_lefts := limit_keys;
      for r in /* hot findEndingKeys */ select u.n, c.key, c.credits - c.used - c.reserved as free
        from unnest(p_entries, p_slots) with ordinality as u (entry, slot, n)
        join credit_reservations e
          on e.account = p_accounts[u.slot] and e.month = p_months[u.slot] and e.id = u.entry
        join keys k on k.id = e.key
        join credit_key_months c on c.account = e.account and c.month = e.month and c.key = ${firstKey}
        where v_capped[u.slot] /* end */ loop
        limit_keys[r.n] := r.key;
        key_lefts[r.n] := r.free;
      end loop;
    end if;
    /* hot endReservations */`
    ],
    [
      "into v_ended;",
      `into v_ended;
    if limit_keys is not null and v_ended is not null then
      /* hot endKeyMonths */ update credit_key_months c set reserved = c.reserved - d.credits, used = c.used + d.charged
        from (
          select e.account, e.month, limit_keys[u.n]::bigint as key, sum(e.credits) as credits,
            coalesce(sum(e.credits) filter (where e.state = 'settled'), 0) as charged
          from unnest(v_ended) as u (n)
          join credit_reservations e on e.account = p_accounts[p_slots[u.n]] and e.month = p_months[p_slots[u.n]]
            and e.id = p_entries[u.n]
          where limit_keys[u.n] is not null
          group by 1, 2, 3
        ) d
        where c.account = d.account and c.month = d.month and c.key = d.key /* end */;
    end if;`
    ]
  ),
  `create function credit_end_2(
    p_accounts bigint[], p_months integer[], p_entries bigint[], p_slots integer[], p_settles boolean[],
    p_answers text[], p_wait integer, p_at bigint, out lefts float8[], out verdicts text[]
  ) language sql as $$
    select r.lefts, r.verdicts
    from credit_end_3(p_accounts, p_months, p_entries, p_slots, p_settles, p_answers, p_wait, p_at) r
  $$`,
  replaceIn("credit_expire_2", [
    "into v_ended;",
    `into v_ended;
      /* hot expireKeyMonths */ update credit_key_months c set reserved = c.reserved - d.credits
        from (
          select e.account, e.month, ${firstKey} as key, sum(e.credits) as credits
          from unnest(v_accounts, v_months, v_ids) as u (account, month, id)
          join credit_reservations e on e.account = u.account and e.month = u.month and e.id = u.id
          join keys k on k.id = e.key
          where u.id = any(v_ended)
          group by 1, 2, 3
        ) d
        where c.account = d.account and c.month = d.month and c.key = d.key /* end */;`
  ])
]

/** Limits of API keys, and chains of rotated keys. */
export default statements(...keys, ...months, ...reserve, ...end)
