import { hotSettings, type HotStatement } from "./hotStatement.ts"
import { lockMonths } from "./reserving.ts"

/** Takes ended entries out of their months' reservations and writes them into the usage by tool. */
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

/**
 * Ends the entries of a batch that are reserved and have not lapsed, and books them, all in one. Reserved is written as
 * `ended_at is null`, which is the same, so that the index of what is reserved cannot be mistaken for a way to find them.
 */
export const endEntries: HotStatement = {
  text: `with ended as (
      update credit_entries e set
        state = case when u.settle then 'settled' else 'released' end,
        ended_at = u.now,
        answer = case when u.settle and e.idempotency_key is not null then u.answer end
      from unnest(p_entries, p_slots, p_nows, p_settles, p_answers) as u (entry, slot, now, settle, answer)
      where e.id = u.entry and e.ended_at is null and e.expires_at > u.now
        and e.account = p_accounts[u.slot] and e.month = p_months[u.slot]
      returning e.id, e.account, e.month, e.tool, e.credits, e.state
    ),
    ${bookEnded}
    select array_agg(id::float8) from ended`,
  parameters: {
    p_accounts: "bigint[]",
    p_months: "integer[]",
    p_entries: "bigint[]",
    p_slots: "integer[]",
    p_nows: "bigint[]",
    p_settles: "boolean[]",
    p_answers: "text[]"
  }
}

/**
 * Ends a batch of distinct reservations; `ended` are the ids of those that it ended, and `lefts` what each month had
 * left before. `p_accounts` and `p_months` are the distinct months in order, `p_slots` says in which a reservation is.
 */
export const endFunction = `create function credit_end(
    p_accounts bigint[], p_months integer[], p_entries bigint[], p_slots integer[], p_nows bigint[], p_settles boolean[],
    p_answers text[], out lefts float8[], out ended float8[]
  ) language plpgsql ${hotSettings} as $$
  declare
    r record;
  begin
    lefts := array_fill(0::float8, array[cardinality(p_accounts)]);
    for r in ${lockMonths.text} loop
      lefts[r.slot] := r.allotted - r.taken;
    end loop;
    ${endEntries.text} into ended;
  end
$$`

/** Reservations that have lapsed, the longest lapsed first. */
export const findLapsed: HotStatement = {
  text: `select id, account, month from credit_entries
    where state = 'reserved' and expires_at <= p_now order by expires_at limit p_limit`,
  parameters: { p_now: "bigint", p_limit: "integer" }
}

/** Ends the lapsed among the entries that were found, and books them, all in one. */
export const expireEntries: HotStatement = {
  text: `with ended as (
      update credit_entries e set state = 'expired', ended_at = p_now
      where e.id = any(v_ids) and e.ended_at is null and e.expires_at <= p_now
      returning e.id, e.account, e.month, e.tool, e.credits, e.state
    ),
    ${bookEnded}
    select count(*) from ended`,
  parameters: { v_ids: "bigint[]", p_now: "bigint" }
}

/** Answers that have passed their retention; their keys become free. */
export const pruneAnswers: HotStatement = {
  text: `update credit_entries set idempotency_key = null, fingerprint = null, answer = null
    where id = any(array(
      select id from credit_entries
      where idempotency_key is not null and state = 'settled' and retained_until <= p_now
      order by retained_until limit p_limit for update skip locked
    ))`,
  parameters: { p_now: "bigint", p_limit: "integer" }
}

/**
 * One sweep. Of several nodes that sweep at once one does, the others find nothing to do. Entries are looked up without
 * a lock and judged again under their month's, because an ending takes the month first too.
 */
export const expireFunction =
  `create function credit_expire(p_now bigint, p_limit integer) returns integer language plpgsql ${hotSettings} as $$
  declare
    v_ids bigint[];
    p_accounts bigint[];
    p_months integer[];
    v_count integer;
  begin
    if not pg_try_advisory_xact_lock(hashtext('tapeline.credit_expire')) then
      return 0;
    end if;
    select array_agg(id), array_agg(account), array_agg(month) into v_ids, p_accounts, p_months
    from (${findLapsed.text}) f;
    v_count := 0;
    if v_ids is not null then
      select array_agg(account order by account, month), array_agg(month order by account, month) into p_accounts, p_months
      from (select distinct account, month from unnest(p_accounts, p_months) as u (account, month)) d;
      perform 1 from (${lockMonths.text}) l;
      ${expireEntries.text} into v_count;
    end if;
    return v_count;
  end
$$`

export const pruneFunction =
  `create function credit_prune(p_now bigint, p_limit integer) returns integer language plpgsql ${hotSettings} as $$
  declare
    v_count integer;
  begin
    ${pruneAnswers.text};
    get diagnostics v_count = row_count;
    return v_count;
  end
$$`
