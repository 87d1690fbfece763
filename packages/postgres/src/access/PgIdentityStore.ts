import { PgClient } from "@effect/sql-pg"
import { AnswerUsed, type IdentitySignIn, IdentityStore, NotAdmitted } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { int8 } from "../parameters.ts"
import { accountColumns, type AccountRow, sqlTimeOrNow, toAccount } from "./rows.ts"

const insertUsedResponse = `insert into identity_answers (hash, used_at) values ($1, ${sqlTimeOrNow("$2")})
  on conflict do nothing returning 1`

const deleteOldResponses = `delete from identity_answers where hash in (
    select hash from identity_answers where used_at <= ${sqlTimeOrNow("$2")} - $1::bigint
    order by used_at limit 100 for update skip locked
  )`

const findAccount = `select ${accountColumns} from accounts
  where id = (select account from identities where issuer = $1 and subject = $2)`

/** Creates an account, or returns no row if another transaction creates the account at the same time. */
const insertAccount = `with drawn as materialized (
    select nextval(pg_get_serial_sequence('accounts', 'id')) as id, ${sqlTimeOrNow("$5")} as now
  ), claimed as (
    insert into identities (issuer, subject, account, created_at) select $1, $2, id, now from drawn
    on conflict do nothing returning account
  ), made as (
    insert into accounts (id, name, plan, created_at)
    select c.account, $3, $4, d.now from claimed c cross join drawn d returning *
  )
  select ${accountColumns} from made`

const mapErrors = mapSqlErrors("IdentityStore")

/** Returns the account of an identity, and creates a missing account within the caller's transaction. */
const findOrCreateAccount = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { issuer, name, now, plan, subject }: IdentitySignIn
) {
  const find = sql.unsafe<AccountRow>(findAccount, [issuer, subject])
  const [existing] = yield* find
  if (existing !== undefined) return { account: toAccount(existing), isNew: false }
  if (plan === null) return yield* new NotAdmitted()
  const [created] = yield* sql.unsafe<AccountRow>(insertAccount, [issuer, subject, name, plan, int8(now)])
  if (created !== undefined) return { account: toAccount(created), isNew: true }
  const [createdByOther] = yield* find
  return { account: toAccount(createdByOther!), isNew: false }
})

/** Implements `IdentityStore` with PostgreSQL or PGlite. */
export const PgIdentityStore: Layer.Layer<IdentityStore, never, PgClient.PgClient> = Layer.effect(
  IdentityStore,
  Effect.map(makeBackgroundPool, (backgroundPool) =>
    IdentityStore.of({
      admit: (admission) =>
        mapErrors(backgroundPool.runWithLockTimeout((sql) =>
          sql.withTransaction(Effect.gen(function*() {
            const used = yield* sql.unsafe(insertUsedResponse, [admission.responseHash, int8(admission.now)])
            if (used.length === 0) return yield* new AnswerUsed()
            yield* sql.unsafe(deleteOldResponses, [BigInt(admission.retainMs), int8(admission.now)])
            return yield* findOrCreateAccount(sql, admission)
          }))
        ))
    }))
)
