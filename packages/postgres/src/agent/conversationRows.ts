import type { ChatMessage, Conversation, Mode, NewChatMessage } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"

export const conversationColumns = `id::float8 as id, account::float8 as account, title, mode, lang,
  created_at::float8 as created_at, updated_at::float8 as updated_at, messages, running::float8 as running,
  scopes`

export const scopesWithReadPersonalSql =
  "case when scopes @> '{read:personal}' then scopes else array_append(scopes, 'read:personal') end"

export interface ConversationRow {
  readonly id: number
  readonly account: number
  readonly title: string
  readonly mode: Mode
  readonly lang: Language
  readonly created_at: number
  readonly updated_at: number
  readonly messages: number
  readonly running: number | null
  readonly scopes: Conversation["scopes"]
}

export const toConversation = (row: ConversationRow): Conversation => ({
  id: row.id,
  account: row.account,
  title: JSON.parse(row.title),
  mode: row.mode,
  lang: row.lang,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  messageCount: row.messages,
  running: row.running !== null,
  scopes: row.scopes
})

export interface MessageRow {
  readonly id: number
  readonly role: ChatMessage["role"]
  readonly created_at: number
  readonly body: string
  readonly suggestions: string
}

export const messageColumns = (table: string) =>
  `${table}.id::float8 as id, ${table}.role, ${table}.created_at::float8 as created_at, ${table}.body, ` +
  `${table}.suggestions`

type Body = Omit<ChatMessage, "id" | "role" | "createdAt" | "suggestions">

export const toMessage = (row: MessageRow): ChatMessage => {
  const body: Body = JSON.parse(row.body)
  return {
    ...body,
    id: row.id,
    role: row.role,
    createdAt: row.created_at,
    suggestions: JSON.parse(row.suggestions)
  }
}

/** Encodes as JSON the fields of a message that no SQL statement uses. */
export const encodeBody = ({ images, role: _role, suggestions: _suggestions, ...stored }: NewChatMessage): string =>
  JSON.stringify({
    ...stored,
    images: images.map(({ bytes, height, mediaType, width }) => ({ mediaType, width, height, bytes: bytes.length }))
  })

export const toStoredMessage = (message: NewChatMessage, id: number, createdAt: number): ChatMessage =>
  toMessage({
    id,
    role: message.role,
    created_at: createdAt,
    body: encodeBody(message),
    suggestions: JSON.stringify(message.suggestions)
  })
