import {
  type Conversation,
  type ConversationPage,
  ConversationStore,
  decodeCursor,
  encodeCursor
} from "@tapeline/core/agent"
import { Clock, Effect, Layer } from "effect"
import {
  addMessage,
  addScope,
  type AgentTables,
  type ConversationRow,
  copyImage,
  dropLog,
  findConversation,
  findRunningGeneration,
  getMessages
} from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"

type Store = ConversationStore["Service"]

const toConversation = (tables: AgentTables, row: ConversationRow): Conversation => {
  const { summary: _, ...conversation } = row
  return {
    ...conversation,
    messageCount: getMessages(tables, row.id).length,
    running: findRunningGeneration(tables, row.id) !== null
  }
}

const makePage = <A>(all: ReadonlyArray<A>, limit: number, makeCursor: (last: A) => string): ConversationPage<A> => {
  const items = all.slice(0, limit)
  const last = items.at(-1)
  return { items, next: all.length > limit && last !== undefined ? makeCursor(last) : null }
}

const listConversations = (
  tables: AgentTables,
  account: number,
  { cursor, limit, scopes }: Parameters<Store["list"]>[1]
): ConversationPage<Conversation> => {
  const from = cursor === null ? [Number.MAX_SAFE_INTEGER, 0] : decodeCursor(cursor, 2)
  if (from === null) return { items: [], next: null }
  const [at, id] = [from[0]!, from[1]!]
  const rows = [...tables.conversations.values()]
    .filter((row) => row.account === account && row.scopes.every((scope) => scopes.includes(scope)))
    .filter((row) => row.updatedAt < at || (row.updatedAt === at && row.id < id))
    .sort((a, b) => b.updatedAt - a.updatedAt || b.id - a.id)
  const page = makePage(rows, limit, (last) => encodeCursor(last.updatedAt, last.id))
  return { ...page, items: page.items.map((row) => toConversation(tables, row)) }
}

const listMessages = (tables: AgentTables, conversation: number, page: Parameters<Store["messages"]>[2]) => {
  const { cursor, limit, order = "oldest" } = page
  const from = cursor === null ? [order === "oldest" ? 0 : Number.MAX_SAFE_INTEGER] : decodeCursor(cursor, 1)
  if (from === null) return { items: [], next: null }
  const all = getMessages(tables, conversation)
  const messages = order === "oldest"
    ? all.filter(({ message }) => message.id > from[0]!)
    : all.filter(({ message }) => message.id < from[0]!).toReversed()
  const selectedPage = makePage(messages, limit, ({ message }) => encodeCursor(message.id))
  return { ...selectedPage, items: selectedPage.items.map(({ message }) => structuredClone(message)) }
}

const readMemory = (
  tables: AgentTables,
  { id, summary }: ConversationRow,
  options: Parameters<Store["readHistory"]>[2]
) => {
  const lastMessageId = options.upTo ?? Number.MAX_SAFE_INTEGER
  const after = summary?.upTo ?? 0
  const messages = getMessages(tables, id).filter(({ message }) => message.id > after && message.id <= lastMessageId)
  return {
    summary: summary === null ? null : { ...summary },
    messages: messages.slice(Math.max(0, messages.length - options.limit)).map(({ message }) =>
      structuredClone(message)
    )
  }
}

const removeConversation = (tables: AgentTables, { id }: ConversationRow): "removed" | "running" => {
  if (findRunningGeneration(tables, id) !== null) return "running"
  tables.conversations.delete(id)
  for (const [key, { proposal }] of tables.proposals) if (proposal.conversation === id) tables.proposals.delete(key)
  for (const [message, { conversation }] of tables.messages) if (conversation === id) tables.messages.delete(message)
  for (const row of tables.generations.values()) {
    if (row.generation.conversation === id) dropLog(row)
  }
  return "removed"
}

/** Provides `ConversationStore` over `MemoryState`, with one clock for all callers, like a database. */
export const MemoryConversationStore: Layer.Layer<ConversationStore, never, MemoryState> = Layer.effect(
  ConversationStore,
  Effect.gen(function*() {
    const [{ agent: tables }, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    /** Runs one synchronous step on a conversation, or returns null if the account has no conversation with the id. */
    const onConversation = <A>(
      account: number,
      id: number,
      act: (row: ConversationRow) => A
    ): Effect.Effect<A | null> =>
      Effect.sync(() => {
        const row = findConversation(tables, account, id)
        return row === null ? null : act(row)
      })
    return ConversationStore.of({
      list: (account, page) => Effect.sync(() => listConversations(tables, account, page)),
      find: (account, id) => onConversation(account, id, (row) => toConversation(tables, row)),
      messages: (account, id, page) => onConversation(account, id, () => listMessages(tables, id, page)),
      readHistory: (account, id, options) => onConversation(account, id, (row) => readMemory(tables, row, options)),
      listImages: (account, message) =>
        Effect.sync(() => {
          const row = tables.messages.get(message)
          return row?.account === account ? row.images.map(copyImage) : []
        }),
      storeSummary: (account, id, summary) =>
        Effect.asVoid(onConversation(account, id, (row) => {
          if (summary.upTo > (row.summary?.upTo ?? 0)) row.summary = { ...summary }
        })),
      addScope: (account, id, scope) => Effect.asVoid(onConversation(account, id, (row) => addScope(row, scope))),
      addReport: (account, id, identity, message) =>
        onConversation(account, id, (row) => {
          const existing = [...tables.messages.values()].find((row) =>
            row.conversation === id && row.identity === identity
          )
          return existing === undefined
            ? addMessage(tables, row, message, clock.currentTimeMillisUnsafe(), identity)
            : structuredClone(existing.message)
        }),
      remove: (account, id) =>
        Effect.map(
          onConversation(account, id, (row) => removeConversation(tables, row)),
          (outcome) => outcome ?? "absent"
        )
    })
  })
)
