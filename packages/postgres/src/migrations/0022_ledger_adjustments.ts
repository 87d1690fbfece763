import { statements } from "./statements.ts"

/*
 * Adjustments of monthly credits. An account may use `allotted + adjusted` credits in a month. `allotted` stays the
 * plan's credits, so that processes of earlier versions can still change plans. A month's `adjusted` is the sum of its
 * rows in `credit_adjustments`.
 */

/** The database's time in epoch ms. Tests pass another time as `p_at`. */
const now = "coalesce(p_at, floor(extract(epoch from clock_timestamp()) * 1000)::bigint)"

/** Acknowledges a change only when it is on the disk, whatever the server's default is. */
const durable = "perform set_config('synchronous_commit', 'on', true)"

/** Replaces a part of a function's stored text, which must occur exactly `count` times. */
const replaceIn = (name: string, before: string, after: string, count: number): string =>
  `do $do$
  declare
    v_text constant text := pg_get_functiondef('${name}'::regproc);
  begin
    if (length(v_text) - length(replace(v_text, '${before}', ''))) / length('${before}') <> ${count} then
      raise exception 'unexpected text of ${name}';
    end if;
    execute replace(v_text, '${before}', '${after}');
  end
$do$`

const taken = "m.used + m.reserved as taken"
const takenAdjusted = "m.used + m.reserved - m.adjusted as taken"

export default statements(
  "alter table credit_months add column adjusted bigint not null default 0",
  "alter table credit_months drop constraint credit_months_hold",
  `alter table credit_months add constraint credit_months_hold
    check (used >= 0 and reserved >= 0 and cap >= allotted + adjusted and used + reserved <= cap)`,
  // A refund names the reservation that it refunds. The unique constraint permits one refund of each reservation.
  `create table credit_adjustments (
    account bigint not null,
    id bigint generated always as identity,
    month integer not null,
    kind text not null check (kind in ('grant', 'refund', 'correction')),
    amount bigint not null check (amount > 0 or kind = 'correction' and amount < 0),
    reason text not null,
    reference text,
    call_month integer,
    call bigint,
    created_at bigint not null,
    primary key (account, id),
    unique (account, call),
    check (num_nonnulls(call, call_month) = case when kind = 'refund' then 2 else 0 end)
  )`,
  // In these functions, `taken` is compared with `allotted`.
  replaceIn("credit_reserve_2", taken, takenAdjusted, 2),
  replaceIn("credit_reserve_2", "set reserved = t.taken - m.used", "set reserved = t.taken + m.adjusted - m.used", 1),
  replaceIn("credit_reserve_2", "m.used + m.reserved <> t.taken", "m.used + m.reserved - m.adjusted <> t.taken", 1),
  // A replayed response is returned with the entry and, in `details`, the month of the call that was charged.
  replaceIn(
    "credit_reserve_2",
    "answers[r.n] := r.answer;",
    "answers[r.n] := r.answer; entries[r.n] := r.entry; details[r.n] := r.month;",
    1
  ),
  replaceIn("credit_end_2", taken, takenAdjusted, 2),
  replaceIn("credit_end", "m.allotted - m.used", "m.allotted + m.adjusted - m.used", 1),
  replaceIn("credit_change_plan_2", "greatest(v_allotted,", "greatest(v_allotted + adjusted,", 1),
  replaceIn("credit_lay_plan", "greatest(v_credits,", "greatest(v_credits + m.adjusted,", 1),
  // Adjusts `p_months` months from `p_month` on; null is the current month. A refund adjusts the current month by
  // `p_amount`, or by the whole charge if `p_amount` is null. `balance` has the columns allotted, adjusted, used and
  // reserved of the first month. `detail` is the charge, the id of the earlier refund, or the credits left. The lock of
  // the account's row makes ids ascend in the order of commits. Locks are taken in the order of the baseline.
  `create function credit_adjust(
    p_account bigint, p_kind text, p_amount bigint, p_month integer, p_months integer, p_reason text, p_reference text,
    p_call_month integer, p_call bigint, p_allow_negative boolean, p_at bigint,
    out verdict text, out detail float8, out instant float8, out first_month integer, out added float8,
    out ids float8[], out balance float8[]
  ) language plpgsql as $$
  declare
    v_now constant bigint := ${now};
    v_first constant integer := coalesce(p_month, credit_month(v_now));
    v_months constant integer[] := array(select credit_month_after(v_first, n) from generate_series(0, p_months - 1) n);
    v_amount bigint := p_amount;
    v_month integer;
    r record;
  begin
    ${durable};
    instant := v_now;
    first_month := v_first;
    lock table plans in row share mode;
    perform 1 from accounts where id = p_account for no key update;
    if not found then
      verdict := 'no_account';
      return;
    end if;
    if p_kind = 'refund' then
      select a.id into detail from credit_adjustments a where a.account = p_account and a.call = p_call;
      if found then
        verdict := 'already_refunded';
        return;
      end if;
      select e.state, e.credits into r from credit_reservations e
      where e.account = p_account and e.month = p_call_month and e.id = p_call;
      if not found then
        verdict := 'unknown_call';
        return;
      end if;
      if r.state <> 'settled' then
        verdict := 'not_charged';
        return;
      end if;
      v_amount := coalesce(p_amount, r.credits);
      if v_amount > r.credits then
        verdict := 'exceeds_charge';
        detail := r.credits;
        return;
      end if;
    end if;
    foreach v_month in array v_months loop
      perform credit_open_months_2(array[p_account], v_month, true);
    end loop;
    perform 1 from credit_months m where m.account = p_account and m.month = any(v_months)
    order by m.month for no key update;
    if exists (
      select 1 from credit_months m where m.account = p_account and m.month = any(v_months)
        and abs(m.adjusted + v_amount) > 1000000000000000
    ) then
      verdict := 'out_of_range';
      return;
    end if;
    if v_amount < 0 and not p_allow_negative then
      select m.allotted + m.adjusted - m.used - m.reserved into detail from credit_months m
      where m.account = p_account and m.month = v_first;
      if detail + v_amount < 0 then
        verdict := 'too_low';
        return;
      end if;
    end if;
    with inserted as (
      insert into credit_adjustments (account, month, kind, amount, reason, reference, call_month, call, created_at)
      select p_account, m.month, p_kind, v_amount, p_reason, p_reference, p_call_month, p_call, v_now
      from unnest(v_months) m (month) order by m.month
      returning id
    )
    select array_agg(id order by id) into ids from inserted;
    update credit_months m set adjusted = m.adjusted + v_amount,
      cap = greatest(m.allotted + m.adjusted + v_amount, m.used + m.reserved)
    where m.account = p_account and m.month = any(v_months);
    select array[m.allotted, m.adjusted, m.used, m.reserved] into balance from credit_months m
    where m.account = p_account and m.month = v_first;
    verdict := 'adjusted';
    added := v_amount;
  end
$$`
)
