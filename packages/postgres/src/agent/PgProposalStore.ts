import { PgClient } from "@effect/sql-pg"
import {
  decideClaim,
  decideDismissal,
  decideEnd,
  decideReopening,
  parseProposalId,
  type Proposal,
  type ProposalDecision,
  type ProposalRow,
  ProposalStore,
  type ProposalUpdate
} from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { mapSqlErrors } from "../errors.ts"
import { bigints } from "../parameters.ts"
import { idleTimeoutSql, makeLockRetry, nowMsSql, type OrRowLocked, RowLocked, runTransaction } from "../rowLocks.ts"
import { encodeBody } from "./conversationRows.ts"
import { proposalColumns, type ProposalTableRow, toProposal } from "./proposalRows.ts"

const isKey = "p.account = $1::bigint and p.generation = $2::bigint and p.call = $3"

const findProposal = `select ${proposalColumns} from proposals p where ${isKey}`

const listProposals = `select ${proposalColumns} from proposals p
  where p.account = $1::bigint and p.conversation = $2::bigint and p.message = any ($3::bigint[])
  order by p.generation, string_to_array(p.call, '.')::integer[]`

/**
 * Returns SQL that locks the conversation of a proposal. Each change of a proposal, and the end of an answer, locks the
 * conversation first, so these changes run one after another.
 */
const lockConversation = (sql: PgClient.PgClient) =>
  `with c as (
    select c.id from proposals p join conversations c on c.account = p.account and c.id = p.conversation
    where ${isKey} for no key update of c skip locked
  )
  select ${idleTimeoutSql(sql)} as bound, not exists (select from c) and exists (
    select from proposals p where ${isKey}
  ) as held`

const updateProposal = `update proposals p set state = $4, attempt = $5::integer, result = $6,
    report = coalesce($7::bigint, p.report),
    accepted_at = case when $4 = 'open' then null else coalesce(p.accepted_at, ${nowMsSql}) end
  where ${isKey}`

const insertReport = `with t as (
    select ${nowMsSql} as now, nextval('message_ids') as id
  ), u as (
    update conversations c set messages = messages + 1, updated_at = greatest(updated_at, t.now) from t
    where c.account = $1::bigint and c.id = $2::bigint
  ), m as (
    insert into messages (account, conversation, id, role, created_at, identity, body, suggestions, scopes_stored)
    select $1::bigint, $2::bigint, t.id, $3, t.now, $4, $5, $6, true from t
  )
  select t.id::float8 as id from t`

const storeReport = (
  sql: PgClient.PgClient,
  { account, conversation, id }: Proposal,
  { report }: ProposalUpdate
): Effect.Effect<number | null, SqlError> =>
  report === null ? Effect.succeed(null) : Effect.map(
    sql.unsafe<{ readonly id: number }>(insertReport, [
      String(account),
      String(conversation),
      report.role,
      `proposal ${id}`,
      encodeBody(report),
      JSON.stringify(report.suggestions)
    ]),
    ([row]) => row!.id
  )

interface Changed<A> {
  readonly result: A
  readonly report: number | null
}

/** Applies a decision to a proposal in one transaction. Returns null if the account has no such proposal. */
const attemptChange = <A>(
  sql: PgClient.PgClient,
  account: number,
  id: string,
  decide: (row: ProposalRow) => ProposalDecision<A>
): Effect.Effect<OrRowLocked<Changed<A> | null>, SqlError | StoreUnavailable> => {
  const key = parseProposalId(id)
  if (key === null) return Effect.succeed(null)
  const parameters = [String(account), String(key.generation), key.call]
  return runTransaction(
    sql,
    Effect.gen(function*() {
      const [lock] = yield* sql.unsafe<{ readonly held: boolean }>(lockConversation(sql), parameters)
      if (lock!.held) return yield* new RowLocked()
      // A statement that also locked the conversation could read an outdated row.
      const [row] = yield* sql.unsafe<ProposalTableRow>(findProposal, parameters)
      if (row === undefined) return null
      const proposal = toProposal(row)
      const { result, update } = decide({ proposal, attempt: row.attempt, isAccepting: row.accepting })
      if (update === null) return { result, report: row.report }
      const report = yield* storeReport(sql, proposal, update)
      yield* sql.unsafe(updateProposal, [
        ...parameters,
        update.state,
        String(update.attempt),
        update.result === null ? null : JSON.stringify(update.result),
        report === null ? null : String(report)
      ])
      return { result, report: report ?? row.report }
    })
  )
}

/** Implements `ProposalStore` with PostgreSQL or PGlite, and takes all times from the clock of the database. */
export const PgProposalStore: Layer.Layer<ProposalStore, never, PgClient.PgClient> = Layer.effect(
  ProposalStore,
  Effect.map(PgClient.PgClient, (sql) => {
    const mapErrors = mapSqlErrors("ProposalStore")
    const runChange = makeLockRetry("ProposalStore")
    const change = <A>(account: number, id: string, decide: (row: ProposalRow) => ProposalDecision<A>) =>
      runChange(attemptChange(sql, account, id, decide))
    return ProposalStore.of({
      find: (account, id) => {
        const key = parseProposalId(id)
        if (key === null) return Effect.succeed(null)
        const parameters = [String(account), String(key.generation), key.call]
        return Effect.map(
          mapErrors(sql.unsafe<ProposalTableRow>(findProposal, parameters)),
          ([row]) => row === undefined ? null : toProposal(row)
        )
      },
      list: (account, conversation, messages) =>
        messages.length === 0 ? Effect.succeed([]) : Effect.map(
          mapErrors(
            sql.unsafe<ProposalTableRow>(listProposals, [String(account), String(conversation), bigints(messages)])
          ),
          (rows) => rows.map(toProposal)
        ),
      claim: (account, id) => Effect.map(change(account, id, decideClaim), (changed) => changed?.result ?? null),
      reopen: (account, id, attempt) =>
        Effect.map(change(account, id, decideReopening(attempt)), (changed) => changed?.result ?? false),
      end: (account, id, end) =>
        Effect.map(
          change(account, id, decideEnd(end)),
          (changed) => changed === null ? null : { ...changed.result, report: changed.report }
        ),
      dismiss: (account, id) => Effect.map(change(account, id, decideDismissal), (changed) => changed?.result ?? null)
    })
  })
)
