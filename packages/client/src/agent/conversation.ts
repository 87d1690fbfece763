import type { ConversationViewBody } from "@tapeline/api"
import type { CallOptions } from "../settings.ts"
import { type Connection, defaultRetryPolicy, type RetryPolicy, withQuery } from "../transport/Connection.ts"
import type { Message } from "./AnswerEvent.ts"

/** A conversation with a page of its messages. */
export type ConversationView = typeof ConversationViewBody.Type

/** Selects the page of a list to return; by default the first 50 items. */
export interface Page {
  readonly cursor?: string | undefined
  /** The maximum number of items on a page, 1 to 200. */
  readonly limit?: number | undefined
}

/** Selects the page of a conversation's messages to return; by default the oldest messages. */
export interface MessagePage extends Page {
  readonly order?: "oldest" | "newest" | undefined
}

export const conversationPath = (id: number): string => `/v1/agent/conversations/${id}`

export const readConversation = (
  connection: Connection,
  id: number,
  { cursor, limit, order }: MessagePage = {},
  options?: CallOptions,
  retryPolicy: RetryPolicy = defaultRetryPolicy
): Promise<ConversationView> =>
  connection.json(
    { method: "GET", path: withQuery(conversationPath(id), { cursor, limit, order }), options },
    retryPolicy
  )

export async function* readMessages(
  connection: Connection,
  id: number,
  options?: CallOptions,
  retryPolicy: RetryPolicy = defaultRetryPolicy
): AsyncGenerator<Message, void, void> {
  for (let cursor: string | undefined;;) {
    const { messages, next_cursor } = await readConversation(
      connection,
      id,
      { cursor, limit: 200 },
      options,
      retryPolicy
    )
    yield* messages
    if (next_cursor === null) return
    cursor = next_cursor
  }
}

export const findMessage = async (
  connection: Connection,
  id: number,
  messageId: number | null,
  options: CallOptions,
  retryPolicy: RetryPolicy
): Promise<Message | null> => {
  if (messageId === null) return null
  for await (const candidate of readMessages(connection, id, options, retryPolicy)) {
    if (candidate.id === messageId) return candidate
  }
  return null
}

/**
 * Returns the last answer in a conversation to `question`, or to any question if `question` is undefined. Returns null
 * if no such answer is stored.
 */
export const findAnswer = async (
  connection: Connection,
  id: number,
  question: string | undefined,
  options: CallOptions,
  retryPolicy: RetryPolicy
): Promise<Message | null> => {
  let answer: Message | null = null
  let isAfterQuestion = question === undefined
  for await (const message of readMessages(connection, id, options, retryPolicy)) {
    if (message.role === "user" && question !== undefined) {
      isAfterQuestion = message.content === question
      if (isAfterQuestion) answer = null
    } else if (message.role === "assistant" && isAfterQuestion) {
      answer = message
    }
  }
  return answer
}
