import {
  type Conversation,
  type ConversationPage,
  ConversationStore,
  readCursor,
  writeCursor
} from "@tapeline/core/agent"
import { Clock, Effect, Layer } from "effect"
import {
  addMessage,
  addScope,
  type AgentTables,
  conversationOf,
  type ConversationRow,
  copyOfImage,
  dropLog,
  messagesOf,
  runningIn
} from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"

type Store = ConversationStore["Service"]

const read = (tables: AgentTables, row: ConversationRow): Conversation => {
  const { summary: _, ...conversation } = row
  return {
    ...conversation,
    messageCount: messagesOf(tables, row.id).length,
    running: runningIn(tables, row.id) !== null
  }
}

/** A page of the following items, with the cursor of the next page. */
const pageOf = <A>(all: ReadonlyArray<A>, limit: number, cursorOf: (last: A) => string): ConversationPage<A> => {
  const items = all.slice(0, limit)
  const last = items.at(-1)
  return { items, next: all.length > limit && last !== undefined ? cursorOf(last) : null }
}

const list = (
  tables: AgentTables,
  account: number,
  { cursor, limit, scopes }: Parameters<Store["list"]>[1]
): ConversationPage<Conversation> => {
  const from = cursor === null ? [Number.MAX_SAFE_INTEGER, 0] : readCursor(cursor, 2)
  if (from === null) return { items: [], next: null }
  const [at, id] = [from[0]!, from[1]!]
  const found = [...tables.conversations.values()]
    .filter((row) => row.account === account && row.scopes.every((scope) => scopes.includes(scope)))
    .filter((row) => row.updatedAt < at || (row.updatedAt === at && row.id < id))
    .sort((a, b) => b.updatedAt - a.updatedAt || b.id - a.id)
  const page = pageOf(found, limit, (last) => writeCursor(last.updatedAt, last.id))
  return { ...page, items: page.items.map((row) => read(tables, row)) }
}

const messages = (tables: AgentTables, conversation: number, page: Parameters<Store["messages"]>[2]) => {
  const { cursor, limit, order = "oldest" } = page
  const from = cursor === null ? [order === "oldest" ? 0 : Number.MAX_SAFE_INTEGER] : readCursor(cursor, 1)
  if (from === null) return { items: [], next: null }
  const all = messagesOf(tables, conversation)
  const found = order === "oldest"
    ? all.filter(({ message }) => message.id > from[0]!)
    : all.filter(({ message }) => message.id < from[0]!).toReversed()
  const told = pageOf(found, limit, ({ message }) => writeCursor(message.id))
  return { ...told, items: told.items.map(({ message }) => structuredClone(message)) }
}

const memory = (tables: AgentTables, { id, summary }: ConversationRow, options: Parameters<Store["memory"]>[2]) => {
  const upTo = options.upTo ?? Number.MAX_SAFE_INTEGER
  const after = summary?.upTo ?? 0
  const found = messagesOf(tables, id).filter(({ message }) => message.id > after && message.id <= upTo)
  return {
    summary: summary === null ? null : { ...summary },
    messages: found.slice(Math.max(0, found.length - options.limit)).map(({ message }) => structuredClone(message))
  }
}

const remove = (tables: AgentTables, { id }: ConversationRow): "removed" | "running" => {
  if (runningIn(tables, id) !== null) return "running"
  tables.conversations.delete(id)
  for (const [message, { conversation }] of tables.messages) if (conversation === id) tables.messages.delete(message)
  for (const row of tables.generations.values()) {
    if (row.generation.conversation === id) dropLog(row)
  }
  return "removed"
}

/** `ConversationStore` over `MemoryState`. Its time is the clock of its construction, like a database's clock. */
export const MemoryConversationStore: Layer.Layer<ConversationStore, never, MemoryState> = Layer.effect(
  ConversationStore,
  Effect.gen(function*() {
    const [{ agent: tables }, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    /** Runs one synchronous step on a conversation of the account. Returns null if there is no such conversation. */
    const on = <A>(account: number, id: number, act: (row: ConversationRow) => A): Effect.Effect<A | null> =>
      Effect.sync(() => {
        const row = conversationOf(tables, account, id)
        return row === null ? null : act(row)
      })
    return ConversationStore.of({
      list: (account, page) => Effect.sync(() => list(tables, account, page)),
      find: (account, id) => on(account, id, (row) => read(tables, row)),
      messages: (account, id, page) => on(account, id, () => messages(tables, id, page)),
      memory: (account, id, options) => on(account, id, (row) => memory(tables, row, options)),
      images: (account, message) =>
        Effect.sync(() => {
          const row = tables.messages.get(message)
          return row?.account === account ? row.images.map(copyOfImage) : []
        }),
      summarise: (account, id, summary) =>
        Effect.asVoid(on(account, id, (row) => {
          if (summary.upTo > (row.summary?.upTo ?? 0)) row.summary = { ...summary }
        })),
      addScope: (account, id, scope) => Effect.asVoid(on(account, id, (row) => addScope(row, scope))),
      report: (account, id, identity, message) =>
        on(account, id, (row) => {
          const known = [...tables.messages.values()].find((held) =>
            held.conversation === id && held.identity === identity
          )
          return known === undefined
            ? addMessage(tables, row, message, clock.currentTimeMillisUnsafe(), identity)
            : structuredClone(known.message)
        }),
      remove: (account, id) => Effect.map(on(account, id, (row) => remove(tables, row)), (done) => done ?? "absent")
    })
  })
)
