import { PgClient } from "@effect/sql-pg"
import {
  type ConversationPage,
  ConversationStore,
  decodeCursor,
  encodeCursor,
  type NewChatMessage,
  type Summary
} from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { mapSqlErrors } from "../errors.ts"
import { texts } from "../parameters.ts"
import { idleTimeoutSql, makeLockRetry, nowMsSql, type OrRowLocked, rowLocked } from "../rowLocks.ts"
import {
  conversationColumns,
  type ConversationRow,
  encodeBody,
  messageColumns,
  type MessageRow,
  scopesWithReadPersonalSql,
  toConversation,
  toMessage,
  toStoredMessage
} from "./conversationRows.ts"
import { insertImages, readImages } from "./images.ts"

type Store = ConversationStore["Service"]

const listConversations = `select ${conversationColumns} from conversations
  where account = $1::bigint and (updated_at, id) < ($2::bigint, $3::bigint) and scopes <@ $5::text[]
  order by updated_at desc, id desc limit $4::bigint`

const findConversation = `select ${conversationColumns} from conversations
  where account = $1::bigint and id = $2::bigint`

/**
 * Returns SQL that selects messages of a conversation. A conversation without messages yields one row, and a missing
 * conversation yields no row.
 */
const selectMessagesSql = (condition: string, order: string) =>
  `select c.summary, c.summary_up_to::float8 as summary_up_to, m.* from conversations c
  left join lateral (
    select ${messageColumns("messages")} from messages
    where account = c.account and conversation = c.id and not replaced and ${condition}
    order by messages.id ${order} limit $4::bigint
  ) m on true
  where c.account = $1::bigint and c.id = $2::bigint order by m.id`

const pageOfMessages = selectMessagesSql("messages.id > $3::bigint", "")

const pageOfNewest = selectMessagesSql("messages.id < $3::bigint", "desc")

const newestMessages = selectMessagesSql(
  "messages.id <= $3::bigint and messages.id > coalesce(c.summary_up_to, 0)",
  "desc"
)

type MessagePageRow =
  & { readonly summary: string | null; readonly summary_up_to: number | null }
  & (MessageRow | { readonly [K in keyof MessageRow]: null })

const toMessages = (rows: ReadonlyArray<MessagePageRow>) =>
  rows.flatMap((row) => row.id === null ? [] : [toMessage(row)])

/** Creates a page from up to `limit + 1` rows; the additional row shows that another page exists. */
const makePage = <A>(rows: ReadonlyArray<A>, limit: number, makeCursor: (last: A) => string): ConversationPage<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? makeCursor(last) : null }
}

const lockConversationSql = (condition: string) =>
  `k as (
    select account, id from conversations where account = $1::bigint and id = $2::bigint ${condition}
    for no key update skip locked
  )`

const isLockedSql = (condition: string) =>
  `not exists (select from k) and exists (
    select from conversations where account = $1::bigint and id = $2::bigint ${condition}
  ) as held`

const summaryIsNewer = "and coalesce(summary_up_to, 0) < $3::bigint"

const storeSummary = `with ${lockConversationSql(summaryIsNewer)}, u as (
    update conversations c set summary_up_to = $3::bigint, summary = $4 from k
    where c.account = k.account and c.id = k.id
  ) select ${isLockedSql(summaryIsNewer)}`

const lacksScope = "and not scopes @> array[$3::text]"

const addScope = `with ${lockConversationSql(lacksScope)}, u as (
    update conversations c set scopes = array_append(scopes, $3::text) from k
    where c.account = k.account and c.id = k.id
  ) select ${isLockedSql(lacksScope)}`

const insertReport = `with ${lockConversationSql("")}, known as (
    select ${messageColumns("m")} from messages m
    where m.account = $1::bigint and m.conversation = $2::bigint and m.identity = $3
  ), t as (
    select ${nowMsSql} as now, nextval('message_ids') as id from k where not exists (select from known)
  ), u as (
    update conversations c set messages = messages + 1, updated_at = greatest(updated_at, t.now),
      scopes = ${scopesWithReadPersonalSql} from t
    where c.account = $1::bigint and c.id = $2::bigint
  ), m as (
    insert into messages (account, conversation, id, role, created_at, identity, body, suggestions, scopes_stored)
    select $1::bigint, $2::bigint, t.id, $4, t.now, $3, $5, $6, true from t
  )
  select ${isLockedSql("")}, t.id::float8 as id, t.now::float8 as now, known.body, known.suggestions, known.role,
    known.id::float8 as known_id, known.created_at
  from (select) one left join t on true left join known on true`

interface ReportRow {
  readonly held: boolean
  readonly id: number | null
  readonly now: number | null
  readonly known_id: number | null
  readonly created_at: number | null
  readonly role: MessageRow["role"] | null
  readonly body: string | null
  readonly suggestions: string | null
}

const lockForRemovalSql = (sql: PgClient.PgClient) =>
  `with k as (
    select running from conversations where account = $1::bigint and id = $2::bigint for update skip locked
  ) select ${isLockedSql("")}, exists (select from k) as found, (select running from k) is not null as running,
    ${idleTimeoutSql(sql)} as bound`

// If another transaction has locked the row of a generation, the housekeeping deletes the generation's log later.
const deleteLogs = `with g as (
    select account, id from generations
    where account = $1::bigint and conversation = $2::bigint and logged and state <> 'running'
    for no key update skip locked
  ), e as (
    delete from generation_events e using g where e.account = g.account and e.generation = g.id
  ), s as (
    delete from generation_steps s using g where s.account = g.account and s.generation = g.id
  )
  update generations u set logged = false from g where u.account = g.account and u.id = g.id`

const deleteMessages = `with m as (
    delete from messages where account = $1::bigint and conversation = $2::bigint returning id
  )
  delete from message_images where account = $1::bigint and message in (select id from m)`

const deleteConversation = "delete from conversations where account = $1::bigint and id = $2::bigint"

const makeReadMethods = (
  sql: PgClient.PgClient
): Pick<Store, "list" | "find" | "messages" | "readHistory" | "listImages"> => {
  const mapErrors = mapSqlErrors("ConversationStore")
  const emptyPage = { items: [], next: null }
  return {
    list: (account, { cursor, limit, scopes }) => {
      const start = cursor === null ? [Number.MAX_SAFE_INTEGER, 0] : decodeCursor(cursor, 2)
      if (start === null) return Effect.succeed(emptyPage)
      const parameters = [...[account, ...start, limit + 1].map(String), texts(scopes)]
      return Effect.map(
        mapErrors(sql.unsafe<ConversationRow>(listConversations, parameters)),
        (rows) => makePage(rows.map(toConversation), limit, ({ id, updatedAt }) => encodeCursor(updatedAt, id))
      )
    },
    find: (account, conversation) =>
      Effect.map(
        mapErrors(sql.unsafe<ConversationRow>(findConversation, [String(account), String(conversation)])),
        ([row]) => row === undefined ? null : toConversation(row)
      ),
    messages: (account, conversation, { cursor, limit, order = "oldest" }) => {
      const [startId, endId] = order === "oldest" ? [0, Number.MAX_SAFE_INTEGER] : [Number.MAX_SAFE_INTEGER, 0]
      const start = cursor === null ? [startId] : decodeCursor(cursor, 1)
      // An invalid cursor selects no messages, but the query result still shows whether the conversation exists.
      const parameters = [account, conversation, start?.[0] ?? endId, limit + 1].map(String)
      const statement = order === "oldest" ? pageOfMessages : pageOfNewest
      return Effect.map(mapErrors(sql.unsafe<MessagePageRow>(statement, parameters)), (rows) => {
        if (rows.length === 0) return null
        const found = toMessages(rows)
        return makePage(order === "oldest" ? found : found.toReversed(), limit, ({ id }) => encodeCursor(id))
      })
    },
    readHistory: (account, conversation, { limit, upTo }) => {
      const parameters = [account, conversation, upTo ?? Number.MAX_SAFE_INTEGER, limit].map(String)
      return Effect.map(mapErrors(sql.unsafe<MessagePageRow>(newestMessages, parameters)), (rows) => {
        const [first] = rows
        if (first === undefined) return null
        const { summary, summary_up_to: upTo } = first
        return {
          summary: summary === null || upTo === null ? null : { upTo, text: JSON.parse(summary) },
          messages: toMessages(rows)
        }
      })
    },
    listImages: (account, message) => mapErrors(readImages(sql, account, message))
  }
}

const makeChangeMethods = (
  sql: PgClient.PgClient
): Pick<Store, "storeSummary" | "addScope" | "addReport" | "remove"> => {
  const runChange = makeLockRetry("ConversationStore")
  const attemptReport = (account: number, conversation: number, identity: string, message: NewChatMessage) =>
    Effect.gen(function*() {
      const [row] = yield* sql.unsafe<ReportRow>(insertReport, [
        String(account),
        String(conversation),
        identity,
        message.role,
        encodeBody(message),
        JSON.stringify(message.suggestions)
      ])
      const { body, created_at, id, known_id, now, role, suggestions } = row!
      if (row!.held) return rowLocked
      if (known_id !== null && created_at !== null && body !== null && suggestions !== null && role !== null) {
        return toMessage({ id: known_id, created_at, body, suggestions, role })
      }
      if (id === null || now === null) return null
      yield* insertImages(sql, account, id, message.images)
      return toStoredMessage(message, id, now)
    })
  const attemptRemove = (account: number, conversation: number) =>
    Effect.gen(function*() {
      const parameters = [String(account), String(conversation)]
      const [row] = yield* sql.unsafe<{ held: boolean; found: boolean; running: boolean }>(
        lockForRemovalSql(sql),
        parameters
      )
      if (row!.held) return rowLocked
      if (!row!.found) return "absent"
      if (row!.running) return "running"
      for (const text of [deleteLogs, deleteMessages, deleteConversation]) yield* sql.unsafe(text, parameters)
      return "removed"
    })
  return {
    storeSummary: (account, conversation, { text, upTo }: Summary): Effect.Effect<void, StoreUnavailable> =>
      runChange(Effect.map(
        sql.unsafe<{ held: boolean }>(storeSummary, [
          String(account),
          String(conversation),
          String(upTo),
          JSON.stringify(text)
        ]),
        ([row]): OrRowLocked<void> => row!.held ? rowLocked : undefined
      )),
    addScope: (account, conversation, scope) =>
      runChange(Effect.map(
        sql.unsafe<{ held: boolean }>(addScope, [String(account), String(conversation), scope]),
        ([row]): OrRowLocked<void> => row!.held ? rowLocked : undefined
      )),
    addReport: (account, conversation, identity, message) => {
      const attempt = attemptReport(account, conversation, identity, message)
      return runChange(message.images.length === 0 ? attempt : sql.withTransaction(attempt), { retriesConflicts: true })
    },
    remove: (account, conversation) => runChange(sql.withTransaction(attemptRemove(account, conversation)))
  }
}

/** Implements `ConversationStore` with PostgreSQL or PGlite. */
export const PgConversationStore: Layer.Layer<ConversationStore, never, PgClient.PgClient> = Layer.effect(
  ConversationStore,
  Effect.map(PgClient.PgClient, (sql) => ConversationStore.of({ ...makeReadMethods(sql), ...makeChangeMethods(sql) }))
)
