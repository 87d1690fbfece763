import type { ConversationViewBody } from "@tapeline/api"
import type { CallOptions } from "../settings.ts"
import { callPatience, type Connection, type Patience, withQuery } from "../transport/Connection.ts"
import type { Message } from "./AnswerEvent.ts"

/** A conversation with a page of its messages. */
export type ConversationView = typeof ConversationViewBody.Type

/** A page of a list; by default the first 50 items. */
export interface Page {
  readonly cursor?: string | undefined
  /** The maximum number of items, 1 to 200. */
  readonly limit?: number | undefined
}

/** A page of a conversation, by default with the oldest messages first. */
export interface MessagePage extends Page {
  readonly order?: "oldest" | "newest" | undefined
}

export const conversationPath = (id: number): string => `/v1/agent/conversations/${id}`

export const readConversation = (
  connection: Connection,
  id: number,
  { cursor, limit, order }: MessagePage = {},
  options?: CallOptions,
  patience: Patience = callPatience
): Promise<ConversationView> =>
  connection.json({ method: "GET", path: withQuery(conversationPath(id), { cursor, limit, order }), options }, patience)

/** Reads all messages of a conversation, oldest first, page by page. */
export async function* messagesOf(
  connection: Connection,
  id: number,
  options?: CallOptions,
  patience: Patience = callPatience
): AsyncGenerator<Message, void, void> {
  for (let cursor: string | undefined;;) {
    const { messages, next_cursor } = await readConversation(connection, id, { cursor, limit: 200 }, options, patience)
    yield* messages
    if (next_cursor === null) return
    cursor = next_cursor
  }
}

/** Returns a message of a conversation; null if the conversation does not have it, or no longer. */
export const storedMessage = async (
  connection: Connection,
  id: number,
  message: number | null,
  options: CallOptions,
  patience: Patience
): Promise<Message | null> => {
  if (message === null) return null
  for await (const one of messagesOf(connection, id, options, patience)) if (one.id === message) return one
  return null
}

/**
 * Returns the answer to the last question with this text; without a text, the last answer of the conversation. Null if
 * no answer was stored.
 */
export const storedAnswer = async (
  connection: Connection,
  id: number,
  question: string | undefined,
  options: CallOptions,
  patience: Patience
): Promise<Message | null> => {
  let answer: Message | null = null
  let isAsked = question === undefined
  for await (const message of messagesOf(connection, id, options, patience)) {
    if (message.role === "user" && question !== undefined) {
      isAsked = message.content === question
      if (isAsked) answer = null
    } else if (message.role === "assistant" && isAsked) {
      answer = message
    }
  }
  return answer
}
