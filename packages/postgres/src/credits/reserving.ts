import { hotSettings, type HotStatement } from "./hotStatement.ts"

/*
 * Locks, in the order in which every function of the ledger takes them, so that none waits in a circle: the plans'
 * table (shared; exclusive to define them), accounts by id, new months by account and month, then existing months by
 * account and month. Entries are changed only by who holds their month; a renewal takes no other lock.
 */

/** Is there an account and month among those of a batch without books? */
export const missingMonths: HotStatement = {
  text: `select 1
    from unnest(p_accounts, p_months) as u (account, month)
    where not exists (select 1 from credit_months m where m.account = u.account and m.month = u.month)`,
  parameters: { p_accounts: "bigint[]", p_months: "integer[]" }
}

/** Locks the months of a batch, in order. */
export const lockMonths: HotStatement = {
  text: `select u.slot, m.allotted, m.used + m.reserved as taken
    from unnest(p_accounts, p_months) with ordinality as u (account, month, slot)
    join credit_months m on m.account = u.account and m.month = u.month
    order by m.account, m.month
    for no key update of m`,
  parameters: { p_accounts: "bigint[]", p_months: "integer[]" }
}

/** Who holds an idempotency key? */
export const findIdempotent: HotStatement = {
  text: `select id, state, fingerprint, expires_at, retained_until, answer
    from credit_entries
    where account = p_account and idempotency_key = p_key and state in ('reserved', 'settled')`,
  parameters: { p_account: "bigint", p_key: "text" }
}

/** Takes the key from an entry that lapsed or outlived its retention; a lapsed one can then be settled by no clock. */
export const freeIdempotent: HotStatement = {
  text: `update credit_entries
    set idempotency_key = null, fingerprint = null, answer = null,
      expires_at = case when state = 'reserved' then 0 else expires_at end
    where id = p_entry
      and (state = 'reserved' and expires_at <= p_now or state = 'settled' and retained_until <= p_now)`,
  parameters: { p_entry: "bigint", p_now: "bigint" }
}

/** Writes the admitted reservations of a batch. */
export const insertEntries: HotStatement = {
  text: `insert into credit_entries (
      id, account, key, month, credits, tool, state, reserved_at, expires_at, idempotency_key, fingerprint, retained_until
    )
    select a.id, p_accounts[a.slot], a.key, p_months[a.slot], a.credits, a.tool, 'reserved', a.now, a.expires,
      a.idem, a.print, a.retained
    from unnest(v_ids, p_slots, p_keys, p_credits, p_tools, p_nows, p_expires, p_idems, p_prints, p_retained)
      as a (id, slot, key, credits, tool, now, expires, idem, print, retained)
    where a.id is not null`,
  parameters: {
    v_ids: "bigint[]",
    p_accounts: "bigint[]",
    p_months: "integer[]",
    p_slots: "integer[]",
    p_keys: "bigint[]",
    p_credits: "integer[]",
    p_tools: "text[]",
    p_nows: "bigint[]",
    p_expires: "bigint[]",
    p_idems: "text[]",
    p_prints: "text[]",
    p_retained: "bigint[]"
  }
}

/** Adds the admitted reservations of a batch to their months, under the months' own constraint. */
export const reserveMonths: HotStatement = {
  text: `update credit_months m set reserved = t.taken - m.used
    from unnest(p_accounts, p_months, v_taken) as t (account, month, taken)
    where m.account = t.account and m.month = t.month and m.used + m.reserved <> t.taken`,
  parameters: { p_accounts: "bigint[]", p_months: "integer[]", v_taken: "bigint[]" }
}

/** Opens months with the allotment of the accounts' plans as they stand, and not as they stood before a change. */
const openMonths =
  `create function credit_open_months(p_accounts bigint[], p_months integer[]) returns void language plpgsql as $$
  begin
    lock table plans in row share mode;
    perform 1 from accounts where id = any(p_accounts) order by id for share;
    insert into credit_months (account, month, allotted, cap)
    select a.id, u.month, coalesce(p.monthly_credits, 0), coalesce(p.monthly_credits, 0)
    from unnest(p_accounts, p_months) as u (account, month)
    join accounts a on a.id = u.account
    left join plans p on p.name = a.plan
    where not exists (select 1 from credit_months m where m.account = u.account and m.month = u.month)
    order by a.id, u.month
    on conflict do nothing;
  end
$$`

/**
 * Judges a batch of requests. `p_accounts` and `p_months` are its distinct pairs in order, `p_slots` says which of
 * them a request is for. `p_idems`, `p_prints`, `p_retained` and `p_twins` are null when no request has an
 * idempotency key; `p_twins` is the request before it in the batch with the same account and key.
 */
const reserve = `create function credit_reserve(
    p_accounts bigint[], p_months integer[], p_slots integer[], p_keys bigint[], p_tools text[], p_credits integer[],
    p_nows bigint[], p_expires bigint[], p_idems text[], p_prints text[], p_retained bigint[], p_twins integer[],
    out verdicts text[], out entries float8[], out lefts float8[], out details float8[], out answers text[]
  ) language plpgsql ${hotSettings} as $$
  declare
    n constant integer := cardinality(p_slots);
    v_ids bigint[] := array_fill(null::bigint, array[n]);
    v_allotted bigint[] := array_fill(null::bigint, array[cardinality(p_accounts)]);
    v_taken bigint[] := v_allotted;
    r record;
    s integer;
    twin integer;
    p_account bigint;
    p_key text;
    p_entry bigint;
    p_now bigint;
  begin
    verdicts := array_fill('admitted'::text, array[n]);
    entries := array_fill(null::float8, array[n]);
    lefts := entries;
    details := entries;
    if exists (${missingMonths.text}) then
      perform credit_open_months(p_accounts, p_months);
    end if;
    for r in ${lockMonths.text} loop
      v_allotted[r.slot] := r.allotted;
      v_taken[r.slot] := r.taken;
    end loop;

    <<requests>>
    for i in 1..n loop
      s := p_slots[i];
      if v_allotted[s] is null then
        verdicts[i] := 'no_account';
        continue;
      end if;
      if p_idems is not null and p_idems[i] is not null then
        p_account := p_accounts[s];
        p_key := p_idems[i];
        p_now := p_nows[i];
        twin := p_twins[i];
        while twin is not null and (v_ids[twin] is null or p_idems[twin] is null) loop
          twin := p_twins[twin];
        end loop;
        if twin is not null then
          if p_expires[twin] > p_now then
            verdicts[i] := case when p_prints[twin] = p_prints[i] then 'in_progress' else 'reused' end;
            details[i] := p_expires[twin];
            continue;
          end if;
          p_idems[twin] := null;
          p_prints[twin] := null;
          p_expires[twin] := 0;
        else
          loop
            ${findIdempotent.text} into r;
            exit when not found;
            if r.state = 'reserved' and r.expires_at > p_now or r.state = 'settled' and r.retained_until > p_now then
              verdicts[i] := case
                when r.fingerprint <> p_prints[i] then 'reused'
                when r.state = 'reserved' then 'in_progress'
                else 'replayed'
              end;
              if verdicts[i] = 'in_progress' then
                details[i] := r.expires_at;
              elsif verdicts[i] = 'replayed' then
                answers := coalesce(answers, array_fill(null::text, array[n]));
                answers[i] := r.answer;
              end if;
              continue requests;
            end if;
            p_entry := r.id;
            ${freeIdempotent.text};
          end loop;
        end if;
      end if;
      if v_taken[s] + p_credits[i] <= v_allotted[s] then
        v_taken[s] := v_taken[s] + p_credits[i];
        v_ids[i] := nextval('credit_entries_id_seq');
        entries[i] := v_ids[i];
      else
        verdicts[i] := 'refused';
        details[i] := v_allotted[s];
      end if;
      lefts[i] := greatest(0, v_allotted[s] - v_taken[s]);
    end loop;

    ${insertEntries.text};
    ${reserveMonths.text};
  end
$$`

export const reserveFunctions: ReadonlyArray<string> = [openMonths, reserve]
