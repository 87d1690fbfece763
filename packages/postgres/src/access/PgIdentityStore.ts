import { PgClient } from "@effect/sql-pg"
import { type Admitting, AnswerUsed, IdentityStore, NotAdmitted } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { int8 } from "../parameters.ts"
import { accountColumns, type AccountRow, instantOr, toAccount } from "./keyRows.ts"

const useAnswer = `insert into identity_answers (hash, used_at) values ($1, ${instantOr("$2")})
  on conflict do nothing returning 1`

/** Removes provider responses that were used long ago, a few at a time. Skips those that other transactions hold. */
const forgetAnswers = `delete from identity_answers where hash in (
    select hash from identity_answers where used_at <= ${instantOr("$2")} - $1::bigint
    order by used_at limit 100 for update skip locked
  )`

const findAccount = `select ${accountColumns} from accounts
  where id = (select account from identities where issuer = $1 and subject = $2)`

/**
 * Makes an account. Returns no row if another transaction makes it at the same time. Waits until the outcome of that
 * transaction is known.
 */
const makeAccount = `with drawn as materialized (
    select nextval(pg_get_serial_sequence('accounts', 'id')) as id, ${instantOr("$5")} as now
  ), claimed as (
    insert into identities (issuer, subject, account, created_at) select $1, $2, id, now from drawn
    on conflict do nothing returning account
  ), made as (
    insert into accounts (id, name, plan, created_at)
    select c.account, $3, $4, d.now from claimed c cross join drawn d returning *
  )
  select ${accountColumns} from made`

const guard = unavailable("IdentityStore")

/** Returns the account of an identity. Must run within a transaction. */
const accountWithin = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { issuer, name, now, plan, subject }: Admitting
) {
  const find = sql.unsafe<AccountRow>(findAccount, [issuer, subject])
  const [there] = yield* find
  if (there !== undefined) return toAccount(there)
  if (plan === null) return yield* new NotAdmitted()
  const [made] = yield* sql.unsafe<AccountRow>(makeAccount, [issuer, subject, name, plan, int8(now)])
  if (made !== undefined) return toAccount(made)
  const [another] = yield* find
  return toAccount(another!)
})

/** `IdentityStore` on PostgreSQL or PGlite. */
export const PgIdentityStore: Layer.Layer<IdentityStore, never, PgClient.PgClient> = Layer.effect(
  IdentityStore,
  Effect.map(makeAside, (aside) =>
    IdentityStore.of({
      admit: (who) =>
        guard(aside.change((sql) =>
          sql.withTransaction(Effect.gen(function*() {
            const used = yield* sql.unsafe(useAnswer, [who.answer, int8(who.now)])
            if (used.length === 0) return yield* new AnswerUsed()
            yield* sql.unsafe(forgetAnswers, [BigInt(who.keepMs), int8(who.now)])
            return yield* accountWithin(sql, who)
          }))
        ))
    }))
)
