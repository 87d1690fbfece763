import { statements } from "./statements.ts"

/*
 * A session that planned `credit_reserve_2` while the months' table was empty looked for the month alone, and then read
 * the months of all accounts for each batch, until the table was analysed. A month that comes with its account can be
 * looked for by nothing but both. What the function does stays as it was, so it keeps its name.
 */
const changes: ReadonlyArray<readonly [from: string, to: string]> = [
  [
    "v_month constant integer := credit_month(v_now);",
    `v_month constant integer := credit_month(v_now);
    v_months constant integer[] := array_fill(v_month, array[cardinality(p_accounts)]);`
  ],
  ["from unnest(p_accounts) as u (account)", "from unnest(p_accounts, v_months) as u (account, month)"],
  ["where m.account = u.account and m.month = v_month", "where m.account = u.account and m.month = u.month"],
  [
    "from unnest(p_accounts) with ordinality as u (account, slot)",
    "from unnest(p_accounts, v_months) with ordinality as u (account, month, slot)"
  ],
  [
    "join credit_months m on m.account = u.account and m.month = v_month",
    "join credit_months m on m.account = u.account and m.month = u.month"
  ],
  [
    "from unnest(p_accounts, v_taken) as t (account, taken)",
    "from unnest(p_accounts, v_months, v_taken) as t (account, month, taken)"
  ],
  ["m.account = t.account and m.month = v_month", "m.account = t.account and m.month = t.month"]
]

export default statements(
  `do $do$
  declare
    v_text text := pg_get_functiondef('credit_reserve_2'::regproc);
  begin
    ${
    changes.map(([from, to]) =>
      `if position($from$${from}$from$ in v_text) = 0 then
      raise exception 'credit_reserve_2 is not as it was made';
    end if;
    v_text := replace(v_text, $from$${from}$from$, $to$${to}$to$);`
    ).join("\n    ")
  }
    execute v_text;
  end
$do$`
)
