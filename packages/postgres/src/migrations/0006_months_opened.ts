import { statements } from "./statements.ts"

/** Those of some accounts that have no month yet. A scalar, unlike `not exists`, is looked up for each by itself. */
const withoutMonth = (hot: string, lock: string) =>
  `select array_agg(id) into v_accounts from (
        /* hot ${hot} */ select id from accounts a where id = any(p_accounts)
          and (select m.month from credit_months m where m.account = a.id and m.month = p_month) is null
        order by id for no key update ${lock} /* end */
      ) held`

/*
 * As in the migration before: planned while the months' table was empty, the first batches of a month read it whole for
 * each of their accounts.
 */
export default statements(
  `create or replace function credit_open_months_2(p_accounts bigint[], p_month integer, p_wait boolean)
    returns void language plpgsql as $$
  declare
    v_accounts bigint[];
  begin
    lock table plans in row share mode;
    if p_wait then
      ${withoutMonth("openMonths", "")};
    else
      ${withoutMonth("openFreeMonths", "skip locked")};
    end if;
    insert into credit_months (account, month, allotted, cap)
    select a.id, p_month, coalesce(p.monthly_credits, 0), coalesce(p.monthly_credits, 0)
    from accounts a left join plans p on p.name = a.plan
    where a.id = any(v_accounts)
    order by a.id
    on conflict do nothing;
  end
$$`
)
