import type { PgClient } from "@effect/sql-pg"
import type { Generation, Mode, StartRequest, StartResult } from "@tapeline/core/agent"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { toMonthNumber } from "../credits/batch.ts"
import { texts } from "../parameters.ts"
import { idleTimeoutSql, nowMsSql, type OrRowLocked, rowLocked } from "../rowLocks.ts"
import { encodeBody } from "./conversationRows.ts"
import { generationColumns, type GenerationRow, toGeneration } from "./generationRows.ts"
import { insertImages } from "./images.ts"

/*
 * Starts a generation in a single statement. The conversation's row is read under a lock, but rows of other tables may
 * be as old as the start of the statement.
 */

const startGeneration = (sql: PgClient.PgClient) =>
  `with b as (
    select ${generationColumns("g")} from generations g
    where account = $1::bigint and origin = $2::bigint and (state = 'running' or outcome = 'finished')
  ), k as (
    select * from conversations where account = $1::bigint and id = $3::bigint and scopes <@ $17::text[]
      and not exists (select from b)
    for no key update skip locked
  ), j as (
    select case
      when exists (select from b) then 'attached'
      when $3::bigint is not null and not exists (select from k) then case
        when exists (
          select from conversations where account = $1::bigint and id = $3::bigint and scopes <@ $17::text[]
        ) then 'held'
        else 'absent'
      end
      when (select running from k) is not null then 'busy'
      when (select mode from k) <> $4::text then 'mode'
      when $5::boolean and (select question from k) is null then 'unasked'
      when not credit_renew($1::bigint, $14::integer, $15::bigint, $16::bigint, null) then 'lapsed'
      else 'go'
    end as verdict
  ), n as (
    select coalesce($3::bigint, nextval('conversation_ids')) as conversation, nextval('generation_ids') as id,
      case when $5::boolean then (select question from k) else nextval('message_ids') end as question,
      case when $5::boolean then (select answer from k) end as replaces,
      coalesce((select mode from k), $4::text) as mode, ${nowMsSql} as now
    from j where verdict = 'go'
  ), opened as (
    insert into conversations
      (account, id, title, mode, lang, created_at, updated_at, messages, running, question, scopes)
    select $1::bigint, n.conversation, $6, n.mode, $7, n.now, n.now, 1, n.id, n.question, $18::text[]
    from n where $3::bigint is null
  ), asked as (
    update conversations c set running = n.id, question = n.question,
      answer = case when $5::boolean then c.answer end,
      scopes = c.scopes || array(select s from unnest($18::text[]) s where s <> all (c.scopes)),
      messages = c.messages + case when $5::boolean then 0 else 1 end,
      updated_at = case when $5::boolean then c.updated_at else greatest(c.updated_at, n.now) end
    from n where $3::bigint is not null and c.account = $1::bigint and c.id = $3::bigint
  ), said as (
    insert into messages (account, conversation, id, role, created_at, body, suggestions, scopes_stored)
    select $1::bigint, n.conversation, n.question, $8, n.now, $9, $10, true from n where not $5::boolean
  ), began as (
    insert into generations (account, id, conversation, question, state, epoch, next_n, next_step, started_at,
      renewed_at, origin, idempotency_key, brief, reservation)
    select $1::bigint, n.id, n.conversation, n.question, 'running', 0, 2, 0, n.now, n.now, $2::bigint, $11,
      $12 || ',"mode":"' || n.mode || '","replaces":' || coalesce(n.replaces::text, 'null') || '}', $13
    from n returning *
  ), shown as (
    insert into generation_events (account, generation, n, kind, data)
    select $1::bigint, n.id, 1, 'conversation',
      '{"conversation_id":' || n.conversation || ',"lang":"' || $7 || '","mode":"' || n.mode || '"}' from n
  )
  select j.verdict, (select running::float8 from k) as busy, (select mode from k) as mode, ${
    idleTimeoutSql(sql)
  } as bound, g.*
  from j left join (
    select * from b union all select ${generationColumns("began")} from began
  ) g on true`

type Verdict = "attached" | "held" | "absent" | "busy" | "mode" | "unasked" | "lapsed" | "go"

type StartRow =
  & { readonly verdict: Verdict; readonly busy: number | null; readonly mode: Mode | null }
  & { readonly [K in keyof GenerationRow]: GenerationRow[K] | null }

const toParameters = (request: StartRequest) => {
  const { account, brief, idempotencyKey, leaseMs, target, question, readableScopes, reservation, usedScopes } = request
  if ((target._tag === "Again") !== (question === null)) {
    throw new Error("A new answer needs a question, and a regenerated answer must have no new question")
  }
  return [
    String(account),
    String(reservation.origin),
    target._tag === "New" ? null : String(target.conversation),
    target.mode,
    String(target._tag === "Again"),
    target._tag === "New" ? JSON.stringify(target.title) : null,
    brief.lang,
    question?.role ?? null,
    question === null ? null : encodeBody(question),
    question === null ? null : JSON.stringify(question.suggestions),
    idempotencyKey,
    // The closing brace is removed, because the statement appends more fields to the object.
    JSON.stringify(brief).slice(0, -1),
    JSON.stringify(reservation),
    toMonthNumber(reservation.month),
    String(reservation.entry),
    String(leaseMs),
    texts(readableScopes),
    texts(usedScopes)
  ]
}

// The cast is safe, because `toStart` calls the function only for a verdict for which the row has all columns.
const toStartedGeneration = (row: StartRow): Generation => toGeneration(row as GenerationRow)

const toStart = (row: StartRow): OrRowLocked<StartResult> => {
  switch (row.verdict) {
    case "go":
      return { _tag: "Started", generation: toStartedGeneration(row) }
    case "attached":
      return { _tag: "Attached", generation: toStartedGeneration(row) }
    case "held":
      return rowLocked
    case "absent":
      return { _tag: "NoConversation" }
    case "busy":
      return { _tag: "Busy", generation: row.busy! }
    case "mode":
      return { _tag: "OtherMode", mode: row.mode! }
    case "unasked":
      return { _tag: "NoQuestion" }
    case "lapsed":
      return { _tag: "Lapsed" }
  }
}

export const attemptStart = (
  sql: PgClient.PgClient,
  request: StartRequest
): Effect.Effect<OrRowLocked<StartResult>, SqlError> => {
  const images = request.question?.images ?? []
  const attempt = Effect.gen(function*() {
    const [row] = yield* sql.unsafe<StartRow>(startGeneration(sql), toParameters(request))
    const start = toStart(row!)
    if (start !== rowLocked && start._tag === "Started") {
      yield* insertImages(sql, request.account, start.generation.question, images)
    }
    return start
  })
  return images.length === 0 ? attempt : sql.withTransaction(attempt)
}
