import { PgClient } from "@effect/sql-pg"
import { KeyStore, LedgerStore } from "@tapeline/core/engine"
import type { LedgerUnderTest } from "@tapeline/testing/ledger/modelCommand"
import type { LedgerRows } from "@tapeline/testing/ledger/rows"
import { Effect } from "effect"

const monthSql = "to_char(to_date(month::text, 'YYYYMM'), 'YYYY-MM')"

/** Selects the rows of some accounts at one instant, in a single statement. */
const selectLedgerRows = `select
  coalesce((select json_agg(json_build_object('account', account, 'month', ${monthSql}, 'allotted', allotted,
    'adjusted', adjusted, 'cap', cap, 'used', used, 'reserved', reserved))
    from credit_months where account = any($1)), '[]') as months,
  coalesce((select json_agg(json_build_object('id', id, 'account', account, 'month', ${monthSql}, 'tool', tool,
    'actor', case when key is null then json_build_object('_tag', 'Task', 'task', task)
      when key < 0 then json_build_object('_tag', 'Session', 'session', -key)
      else json_build_object('_tag', 'Key', 'key', key) end,
    'credits', credits, 'state', state, 'reservedAt', reserved_at, 'expiresAt', expires_at, 'endedAt', ended_at,
    'day', day, 'idempotencyKey', idempotency_key, 'retainedUntil', retained_until))
    from credit_reservations where account = any($1)), '[]') as entries,
  coalesce((select json_agg(json_build_object('account', account, 'month', ${monthSql}, 'day', day,
    'caller', case caller when 0 then 'task' when -1 then 'session' else 'key:' || caller end, 'tool', tool,
    'calls', calls, 'failed', failed, 'credits', credits))
    from credit_usage_days where account = any($1)), '[]') as usage,
  coalesce((select json_agg(json_build_object('id', id, 'account', account, 'month', ${monthSql}, 'kind', kind,
    'amount', amount, 'reason', reason, 'reference', reference, 'call', case when call is not null then
      json_build_object('month', to_char(to_date(call_month::text, 'YYYYMM'), 'YYYY-MM'), 'entry', call) end,
    'createdAt', created_at) order by id) from credit_adjustments where account = any($1)), '[]') as adjustments,
  coalesce((select json_agg(json_build_object('account', account, 'month', ${monthSql}, 'key', key, 'credits', credits,
    'cap', cap, 'used', used, 'reserved', reserved,
    'keys', (select json_agg(k.id) from keys k where coalesce(k.first_key, k.id) = key)))
    from credit_key_months where account = any($1)), '[]') as "keyMonths"`

export const readLedgerRows = (sql: PgClient.PgClient, accounts: ReadonlyArray<number>) =>
  Effect.map(sql.unsafe<LedgerRows>(selectLedgerRows, [`{${accounts.join(",")}}`]), ([row]): LedgerRows => row!)

/** Returns the stores of the context in the form that the ledger's model test needs. */
export const makeLedgerUnderTest: Effect.Effect<LedgerUnderTest, never, LedgerStore | KeyStore | PgClient.PgClient> =
  Effect
    .gen(
      function*() {
        const sql = yield* PgClient.PgClient
        return {
          store: yield* LedgerStore,
          keys: yield* KeyStore,
          readRows: (accounts) => readLedgerRows(sql, accounts)
        }
      }
    )
