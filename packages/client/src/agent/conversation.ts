import type { ConversationViewBody } from "@tapeline/api"
import type { CallOptions } from "../settings.ts"
import { callPatience, type Connection, type Patience, withQuery } from "../transport/Connection.ts"
import type { Message } from "./AnswerEvent.ts"

/** A page of what was said in a conversation. */
export type ConversationView = typeof ConversationViewBody.Type

/** Which page; the first one of fifty when left out. */
export interface Page {
  readonly cursor?: string | undefined
  /** How many at most, 1 to 200. */
  readonly limit?: number | undefined
}

/** Which page of a conversation, the oldest messages first when it is not said. */
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

/** All messages of a conversation, oldest first, page by page. */
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

/** A message of a conversation; null where it is none of its own, or not any more. */
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
 * What a conversation has as the answer to a question, the last one of these words; where no words are given, the last
 * answer in it. Null where nothing of an answer was kept.
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
