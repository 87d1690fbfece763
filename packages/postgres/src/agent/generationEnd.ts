import type { PgClient } from "@effect/sql-pg"
import {
  type ChatMessage,
  type EventKind,
  type Fence,
  type Generation,
  type GenerationEnd,
  type NewProposal,
  proposalLifetimeMs,
  type Transcript
} from "@tapeline/core/agent"
import type { LedgerStore, StoreUnavailable } from "@tapeline/core/engine"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { texts } from "../parameters.ts"
import { idleTimeoutSql, nowMsSql, type OrRowLocked, RowLocked, rowLocked, runTransaction } from "../rowLocks.ts"
import { encodeBody, toStoredMessage } from "./conversationRows.ts"
import { readSteps } from "./generationReads.ts"
import { eventParameters, generationColumns, type GenerationRow, toGeneration } from "./generationRows.ts"
import { insertImages } from "./images.ts"
import { encodeProposal } from "./proposalRows.ts"

/*
 * The statements of this file end a generation. The statements never wait for a locked row, because waiting with locks
 * held can deadlock.
 */

/** Returns SQL that locks a running generation and its conversation; a null epoch parameter matches any epoch. */
const lockForEndSql = (sql: PgClient.PgClient) => {
  const condition = `g.id = $1::bigint and g.state = 'running' and g.epoch = coalesce($2::bigint, g.epoch)
    and g.next_n = coalesce($3::bigint, g.next_n)`
  return `with l as (
    select * from generations g where ${condition} for no key update skip locked
  ), c as (
    select c.account, c.id from l join conversations c on c.account = l.account and c.id = l.conversation
    for no key update of c skip locked
  )
  select not exists (select from c) and exists (select from generations g where ${condition}) as held,
    ${idleTimeoutSql(sql)} as bound, l.*
  from (select) one left join (select ${generationColumns("l")} from l) l on true`
}

type LockedGenerationRow = { readonly held: boolean } & { readonly [K in keyof GenerationRow]: GenerationRow[K] | null }

const endGeneration = `with t as (
    select ${nowMsSql} as now, case when $3::text is not null then nextval('message_ids') end as answer
  ), m as (
    insert into messages (account, conversation, id, role, created_at, body, suggestions, scopes_stored)
    select $1::bigint, $13::bigint, t.answer, $5, t.now, $3, $4, true from t where $3::text is not null
  ), r as (
    update messages set replaced = true
    where account = $1::bigint and conversation = $13::bigint and id = $6::bigint and not replaced returning 1
  ), c as (
    update conversations c set running = null, answer = coalesce(t.answer, c.answer), lang = coalesce($7, c.lang),
      messages = c.messages + case when t.answer is null then 0 else 1 end - (select count(*) from r)::integer,
      updated_at = case when t.answer is null then c.updated_at else greatest(c.updated_at, t.now) end
    from t where c.account = $1::bigint and c.id = $13::bigint
  ), e as (
    insert into generation_events (account, generation, n, kind, data)
    select $1::bigint, $2::bigint, $14::integer + e.i - 1, e.kind, e.data
    from unnest($8::text[], $9::text[]) with ordinality as e (kind, data, i)
  )
  update generations g set state = $10, outcome = $11, consumed = $12, answer = t.answer,
    ended_at = greatest(t.now, g.started_at), next_n = $14::integer + cardinality($8::text[]),
    epoch = g.epoch + $15::integer
  from t where g.account = $1::bigint and g.id = $2::bigint
  returning ${generationColumns("g")}, t.now::float8 as now`

type RunFailpoint = () => Effect.Effect<void, StoreUnavailable>

interface EndContext {
  readonly sql: PgClient.PgClient
  readonly ledger: LedgerStore["Service"]
  readonly runFailpoint: RunFailpoint
}

interface EndedGeneration {
  readonly generation: Generation
  readonly answer: ChatMessage | null
}

/**
 * Returns the answer that the database stores. Returns null if an unfinished answer would replace an earlier answer.
 */
const answerToStore = ({ brief }: Generation, { answer, outcome }: GenerationEnd) =>
  brief.replaces !== null && outcome !== "finished" ? null : answer

// Because `attempt` increases, no earlier claim can make a proposal of the replaced answer open again.
const replaceProposals = `update proposals p set
    attempt = p.attempt + case when p.state = 'accepting' then 1 else 0 end,
    state = case when p.state <> 'open' then p.state when p.expires_at <= ${nowMsSql} then 'expired'
      else 'superseded' end,
    message = case when p.state = 'open' then p.message else $4::bigint end
  where p.account = $1::bigint and p.conversation = $2::bigint and p.message = $3::bigint`

const insertProposals = `insert into proposals (account, generation, call, conversation, message, state, created_at,
    expires_at, body)
  select $1::bigint, $2::bigint, c.call, $3::bigint, $4::bigint, 'open', t.now, t.now + ${proposalLifetimeMs}, c.body
  from unnest($5::text[], $6::text[]) as c (call, body), (select ${nowMsSql} as now) t`

/**
 * Stores the proposals of an answer. If the answer replaces another answer, supersedes the open proposals of the other
 * answer, and assigns its other proposals to the new answer.
 */
const storeProposals = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  { account, brief, conversation, id }: Generation,
  proposals: ReadonlyArray<NewProposal>,
  answer: number
) {
  if (brief.replaces !== null) {
    yield* sql.unsafe(replaceProposals, [account, conversation, brief.replaces, answer].map(String))
  }
  if (proposals.length === 0) return
  yield* sql.unsafe(insertProposals, [
    ...[account, id, conversation, answer].map(String),
    texts(proposals.map(({ call }) => call)),
    texts(proposals.map(encodeProposal))
  ])
})

const endLocked = (
  { ledger, sql, runFailpoint }: EndContext,
  generation: Generation,
  end: GenerationEnd,
  epochIncrement: 0 | 1
) =>
  Effect.gen(function*() {
    const { account, brief, conversation, id, reservation } = generation
    const [ending] = yield* ledger.end([{ reservation, outcome: end.settlement }])
    if (ending === undefined || ending._tag === "Busy") return yield* new RowLocked()
    yield* runFailpoint()
    const answer = answerToStore(generation, end)
    const [row] = yield* sql.unsafe<GenerationRow & { readonly now: number }>(endGeneration, [
      String(account),
      String(id),
      answer === null ? null : encodeBody(answer),
      answer === null ? null : JSON.stringify(answer.suggestions),
      answer?.role ?? null,
      answer === null || brief.replaces === null ? null : String(brief.replaces),
      answer?.lang ?? null,
      ...eventParameters(end.events(ending)),
      end.isOpen ? "ended" : "closed",
      end.outcome,
      JSON.stringify(end.consumed),
      String(conversation),
      String(generation.nextN),
      String(epochIncrement)
    ])
    const ended = toGeneration(row!)
    if (answer === null || ended.answer === null) return { generation: ended, answer: null }
    yield* insertImages(sql, account, ended.answer, answer.images)
    yield* storeProposals(sql, ended, end.proposals, ended.answer)
    return { generation: ended, answer: toStoredMessage(answer, ended.answer, row!.now) }
  })

/**
 * Locks a running generation and the generation's conversation. Returns null if the generation is not running, or if
 * the fencing token is outdated.
 */
const lockGeneration = (sql: PgClient.PgClient, generation: number, fence: Fence | null) =>
  Effect.flatMap(
    sql.unsafe<LockedGenerationRow>(lockForEndSql(sql), [
      String(generation),
      ...[fence?.epoch, fence?.nextN].map((value) => value === undefined ? null : String(value))
    ]),
    ([row]) => {
      if (row!.held) return Effect.fail(new RowLocked())
      return Effect.succeed(row!.id === null ? null : toGeneration(row as GenerationRow)) // rows with ids are complete
    }
  )

/** Ends a generation. Returns null if the caller's fencing token is outdated. */
export const attemptEnd = (
  context: EndContext,
  fence: Fence,
  end: GenerationEnd
): Effect.Effect<OrRowLocked<EndedGeneration | null>, SqlError | StoreUnavailable> =>
  runTransaction(
    context.sql,
    Effect.flatMap(
      lockGeneration(context.sql, fence.generation, fence),
      (locked) => locked === null ? Effect.succeed(null) : endLocked(context, locked, end, 0)
    )
  )

const selectEvents = `select kind, data from generation_events where account = $1::bigint and generation = $2::bigint
  order by n`

const readTranscript = (
  sql: PgClient.PgClient,
  generation: Generation
): Effect.Effect<Transcript, SqlError> =>
  Effect.gen(function*() {
    const rows = yield* sql.unsafe<{ readonly kind: EventKind; readonly data: string }>(selectEvents, [
      String(generation.account),
      String(generation.id)
    ])
    return {
      generation,
      steps: yield* readSteps(sql, generation.id),
      events: rows.map(({ data, kind }) => ({ kind, data: JSON.parse(data) }))
    }
  })

/**
 * Ends a running generation, even if another process runs the generation. Returns null if the generation is not
 * running.
 */
export const attemptForcedEnd = (
  context: EndContext,
  generation: number,
  end: (transcript: Transcript) => GenerationEnd
): Effect.Effect<OrRowLocked<Generation | null>, SqlError | StoreUnavailable> =>
  runTransaction(
    context.sql,
    Effect.gen(function*() {
      const locked = yield* lockGeneration(context.sql, generation, null)
      if (locked === null) return null
      const generationEnd = end(yield* readTranscript(context.sql, locked))
      return (yield* endLocked(context, locked, generationEnd, 1)).generation
    })
  )

const closeGeneration = `with l as (
    select account, id, conversation, answer, next_n, logged from generations
    where id = $1::bigint and state = 'ended' for no key update skip locked
  ), e as (
    insert into generation_events (account, generation, n, kind, data)
    select account, id, next_n, 'suggest', $2 from l where $2::text is not null and logged
  ), m as (
    update messages m set suggestions = $3 from l
    where m.account = l.account and m.conversation = l.conversation and m.id = l.answer and $3::text is not null
  ), u as (
    update generations g set state = 'closed',
      next_n = g.next_n + case when $2::text is not null and l.logged then 1 else 0 end
    from l where g.account = l.account and g.id = l.id
  )
  select (select next_n from l) as next_n,
    not exists (select from l) and exists (select from generations where id = $1::bigint and state = 'ended') as held`

/**
 * Closes an ended generation, with or without suggested questions. Returns the first event number that was free before
 * the close. Returns null if the generation was not in the state `ended`.
 */
export const attemptClose = (
  sql: PgClient.PgClient,
  generation: number,
  questions: ReadonlyArray<string>
): Effect.Effect<OrRowLocked<number | null>, SqlError> => {
  const hasQuestions = questions.length > 0
  return Effect.map(
    sql.unsafe<{ held: boolean; next_n: number | null }>(closeGeneration, [
      String(generation),
      hasQuestions ? JSON.stringify({ questions }) : null,
      hasQuestions ? JSON.stringify(questions) : null
    ]),
    ([row]): OrRowLocked<number | null> => row!.held ? rowLocked : row!.next_n
  )
}
