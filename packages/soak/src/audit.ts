import type { Call, Customer } from "./load.ts"

export type Query = (statement: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

/** The rules of the ledger, each with a statement that selects the rows that violate the rule. */
const ledgerRules: Readonly<Record<string, string>> = {
  "the used and reserved credits of a month exceed the cap":
    "select account, month, used, reserved, cap from credit_months where used + reserved > cap",
  "a month still has reserved credits": "select account, month, reserved from credit_months where reserved <> 0",
  "a reservation was never ended":
    "select account, month, count(*) from credit_reservations where state = 'reserved' group by 1, 2",
  "the used credits of a month differ from the sum of its settled reservations":
    `select m.account, m.month, m.used, coalesce(sum(e.credits), 0) as settled from credit_months m
      left join credit_reservations e on e.account = m.account and e.month = m.month and e.state = 'settled'
      group by m.account, m.month, m.used having m.used <> coalesce(sum(e.credits), 0)`,
  "the used or reserved credits of a key's month differ from the sum of its reservations":
    `select c.account, c.month, c.key, c.used, c.reserved, c.cap from credit_key_months c
      where c.used + c.reserved > c.cap
      or (c.used, c.reserved) <> (
        select coalesce(sum(e.credits) filter (where e.state = 'settled'), 0),
          coalesce(sum(e.credits) filter (where e.state = 'reserved'), 0)
        from credit_reservations e join keys k on k.id = e.key
        where e.account = c.account and e.month = c.month and coalesce(k.first_key, k.id) = c.key)`,
  "a month's adjusted credits are not those of its adjustments":
    `select m.account, m.month, m.adjusted, coalesce(sum(a.amount), 0) as by_entry from credit_months m
      left join credit_adjustments a on a.account = m.account and a.month = m.month
      group by m.account, m.month, m.adjusted having m.adjusted <> coalesce(sum(a.amount), 0)`,
  "the used credits of a month differ from the sum of its usage by day":
    `select m.account, m.month, m.used, coalesce(sum(u.credits), 0) as by_day from credit_months m
      left join credit_usage_days u on u.account = m.account and u.month = m.month
      group by m.account, m.month, m.used having m.used <> coalesce(sum(u.credits), 0)`,
  "the usage of a day differs from its ended reservations":
    `select u.* from credit_usage_days u where (u.calls, u.failed, u.credits) <> (
      select count(*), count(*) filter (where e.state <> 'settled'),
        coalesce(sum(e.credits) filter (where e.state = 'settled'), 0)
      from credit_reservations e
      where e.account = u.account and e.month = u.month and e.tool = u.tool and e.state <> 'reserved'
        and e.reserved_at / 86400000 = u.day
        and case when e.key > 0 then e.key when e.key < 0 then -1 else 0 end = u.caller)`
}

export const auditLedger = async (query: Query): Promise<ReadonlyArray<string>> => {
  const findings: Array<string> = []
  for (const [rule, statement] of Object.entries(ledgerRules)) {
    const rows = await query(statement)
    if (rows.length > 0) findings.push(`${rule}: ${JSON.stringify(rows.slice(0, 3))}`)
  }
  return findings
}

const sumCharged = (calls: ReadonlyArray<Call>): number => calls.reduce((total, call) => total + call.charged, 0)

/** Compares the credits that the responses to a customer reported with the credits that were charged. */
export const auditCustomerCharges = (calls: ReadonlyArray<Call>, chargedCredits: number): ReadonlyArray<string> => {
  const reported = sumCharged(calls)
  const doubtfulCount =
    calls.filter((call) => call.idempotencyKey === null && call.isDoubtful && call.charged === 0).length
  const findings = chargedCredits < reported || chargedCredits > reported + doubtfulCount
    ? [
      `${chargedCredits} credits charged, ${reported} reported in responses, ${doubtfulCount} calls without a response`
    ]
    : []
  const unansweredCount = calls.filter((call) => call.idempotencyKey !== null && !call.isSettled).length
  if (unansweredCount > 0) {
    findings.push(`${unansweredCount} calls got no final response, despite all retries`)
  }
  return findings
}

/** Repeats charged calls, each of which must return the original response, marked as a replay. */
export const auditReplays = async (baseUrl: string, calls: ReadonlyArray<Call>): Promise<ReadonlyArray<string>> => {
  const findings: Array<string> = []
  for (const { responses, body, customer, idempotencyKey } of calls) {
    const response = await fetch(`${baseUrl}/v1/tools/get_price`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${customer.key}`,
        "content-type": "application/json",
        "idempotency-key": idempotencyKey!
      },
      body
    })
    const text = await response.text()
    if (response.headers.get("idempotent-replayed") !== "true" || responses.some((answer) => answer !== text)) {
      findings.push(
        `a repeated call got another response: ${response.status} ${text.slice(0, 120)}, not ${
          responses[0]!.slice(0, 120)
        }`
      )
    }
  }
  return findings
}

export const readCredits = async (baseUrl: string, { key }: Customer) => {
  const response = await fetch(`${baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`GET /v1/usage returned ${response.status}: ${body.slice(0, 200)}`)
  // A successful response has the form that `docs/http.md` describes. A response with another form fails the audit.
  return (JSON.parse(body) as { readonly credits: { readonly used: number; readonly reserved: number } }).credits
}
