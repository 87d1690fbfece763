import type { Failpoints, KeyCredits, LedgerStore } from "@tapeline/core/engine"
import { withFailpoints } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { AccessChannel } from "../access/AccessChannel.ts"
import { bigints } from "../parameters.ts"
import { nowSql } from "./reads.ts"
import { type Statements, toInstantParameter } from "./statements.ts"

interface KeyCreditsRow {
  readonly key: number
  readonly credits: number
  readonly used: number
  readonly reserved: number
}

const selectKeyCredits = `select k.id::float8 as key, k.monthly_credits::float8 as credits,
    coalesce(c.used, 0)::float8 as used, coalesce(c.reserved, 0)::float8 as reserved
  from (select credit_month(${nowSql("$2")}) as month offset 0) t
  join keys k on k.id = any($1::bigint[]) and k.monthly_credits is not null
  left join credit_key_months c on c.account = k.account and c.month = t.month and c.key = coalesce(k.first_key, k.id)`

const toKeyCredits = ({ credits, reserved, used }: KeyCreditsRow): KeyCredits => ({
  monthlyCredits: credits,
  used,
  reserved,
  left: Math.max(0, credits - used - reserved)
})

export const makeKeyCreditMethods = (
  { backgroundPool, queryRows }: Statements,
  runFailpoint: typeof Failpoints.Service,
  channel: AccessChannel["Service"]
): Pick<LedgerStore["Service"], "limitKey" | "keyCredits"> => ({
  limitKey: (key, monthlyCredits, options) =>
    withFailpoints(runFailpoint, "limitKey")(Effect.flatMap(
      queryRows<{ readonly account: number | null }>(
        `select case when credit_limit_key($1, $2, $3) then
          (select account::float8 from keys where id = $1) end as account`,
        [String(key), monthlyCredits === null ? null : String(monthlyCredits), toInstantParameter(options)],
        backgroundPool.runWithLockTimeout
      ),
      ([row]) => {
        const account = row?.account ?? null
        return account === null ? Effect.succeed(false) : Effect.as(channel.publish(account), true)
      }
    )),
  keyCredits: (keys, options) =>
    keys.length === 0 ? Effect.succeed([]) : Effect.map(
      queryRows<KeyCreditsRow>(selectKeyCredits, [bigints(keys), toInstantParameter(options)]),
      (rows) => {
        const creditsByKey = new Map(rows.map((row) => [row.key, toKeyCredits(row)]))
        return keys.map((key) => creditsByKey.get(key) ?? null)
      }
    )
})
