/** Puts an account on a plan, and lays the plan's allotment over a month that is open. */
const changePlan =
  `create function credit_change_plan(p_account bigint, p_plan text, p_month integer) returns boolean language plpgsql as $$
  declare
    v_allotted bigint;
  begin
    lock table plans in row share mode;
    update accounts set plan = p_plan where id = p_account;
    if not found then
      return false;
    end if;
    select coalesce((select monthly_credits from plans where name = p_plan), 0) into v_allotted;
    update credit_months set allotted = v_allotted, cap = greatest(v_allotted, used + reserved)
    where account = p_account and month = p_month;
    return true;
  end
$$`

/** Says what plans allot, and lays it over a month of every account. No month opens and no plan changes meanwhile. */
const definePlans =
  `create function credit_define_plans(p_names text[], p_credits bigint[], p_month integer) returns void language plpgsql as $$
  begin
    lock table plans in exclusive mode;
    insert into plans as p (name, monthly_credits) select * from unnest(p_names, p_credits)
    on conflict (name) do update set monthly_credits = excluded.monthly_credits
    where p.monthly_credits <> excluded.monthly_credits;
    perform 1 from credit_months m
      join accounts a on a.id = m.account
      join plans p on p.name = a.plan
      where m.month = p_month and p.name = any(p_names) and m.allotted <> p.monthly_credits
      order by m.account
      for no key update of m;
    update credit_months m set allotted = p.monthly_credits, cap = greatest(p.monthly_credits, m.used + m.reserved)
      from accounts a join plans p on p.name = a.plan
      where a.id = m.account and m.month = p_month and p.name = any(p_names) and m.allotted <> p.monthly_credits;
  end
$$`

export const bookkeepingFunctions: ReadonlyArray<string> = [changePlan, definePlans]
