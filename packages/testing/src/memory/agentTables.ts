import {
  type ChatMessage,
  type Consumption,
  type Conversation,
  type Generation,
  GenerationWaiters,
  type LoggedEvent,
  type NewChatMessage,
  type Proposal,
  type StoredImage,
  type StoredStep,
  type Summary
} from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"

export interface ConversationRow extends Pick<Conversation, "id" | "account" | "title" | "mode" | "createdAt"> {
  lang: Language
  updatedAt: number
  summary: Summary | null
  scopes: Conversation["scopes"]
}

export interface MessageRow {
  readonly account: number
  readonly conversation: number
  message: ChatMessage
  readonly images: ReadonlyArray<StoredImage>
  replaced: boolean
  /** The identity of a task report, or null if the message is not a task report. */
  readonly identity: string | null
}

export interface GenerationRow {
  generation: Generation
  readonly idempotencyKey: string | null
  /** Whether the steps and the log of the generation are still stored. */
  hasLog: boolean
  steps: Array<StoredStep>
  events: Array<LoggedEvent>
  consumed: Consumption | null
}

/** A stored proposal; `proposal.state` is the state in the row, without the states that follow from the time. */
export interface StoredProposal {
  proposal: Proposal
  attempt: number
  /** The time of the first claim since the proposal was open. */
  acceptedAt: number | null
}

export interface AgentTables {
  /** The proposals by id. */
  readonly proposals: Map<string, StoredProposal>
  readonly conversations: Map<number, ConversationRow>
  readonly messages: Map<number, MessageRow>
  readonly generations: Map<number, GenerationRow>
  readonly lastIds: { conversation: number; message: number; generation: number }
  readonly notices: GenerationWaiters
}

export const makeAgentTables = (): AgentTables => ({
  proposals: new Map(),
  conversations: new Map(),
  messages: new Map(),
  generations: new Map(),
  lastIds: { conversation: 0, message: 0, generation: 0 },
  notices: new GenerationWaiters()
})

export const cloneAsJson = <A>(value: A): A => JSON.parse(JSON.stringify(value)) as A // `A` is plain JSON

export const copyImage = (image: StoredImage): StoredImage => ({ ...image, bytes: image.bytes.slice() })

/** Returns the current messages of a conversation, oldest first, without replaced answers. */
export const getMessages = (tables: AgentTables, conversation: number): ReadonlyArray<MessageRow> =>
  [...tables.messages.values()].filter((row) => row.conversation === conversation && !row.replaced)

/** Returns a conversation, or null if the account has no conversation with the id. */
export const findConversation = (tables: AgentTables, account: number, id: number): ConversationRow | null => {
  const row = tables.conversations.get(id)
  return row?.account === account ? row : null
}

export const findRunningGeneration = (tables: AgentTables, conversation: number): Generation | null =>
  [...tables.generations.values()]
    .find(({ generation }) => generation.conversation === conversation && generation.state === "running")
    ?.generation ?? null

export const dropLog = (row: GenerationRow): void => void Object.assign(row, { hasLog: false, steps: [], events: [] })

export const addScope = (conversation: ConversationRow, scope: Conversation["scopes"][number]): void => {
  if (!conversation.scopes.includes(scope)) conversation.scopes = [...conversation.scopes, scope]
}

export const addMessage = (
  tables: AgentTables,
  conversation: ConversationRow,
  { images, ...messageFields }: NewChatMessage,
  now: number,
  identity: string | null = null
): ChatMessage => {
  const message: ChatMessage = {
    ...cloneAsJson(messageFields),
    id: ++tables.lastIds.message,
    createdAt: now,
    images: images.map(({ bytes, height, mediaType, width }) => ({ mediaType, width, height, bytes: bytes.length }))
  }
  tables.messages.set(message.id, {
    account: conversation.account,
    conversation: conversation.id,
    message,
    images: images.map(copyImage),
    replaced: false,
    identity
  })
  conversation.updatedAt = Math.max(conversation.updatedAt, now)
  if (message.role === "task") addScope(conversation, "read:personal")
  return structuredClone(message)
}
