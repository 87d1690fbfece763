import type { ConversationView, Message } from "@tapeline/client"

/** The loaded messages of a conversation: its end, as far back as it was read. */
export interface History {
  /** Oldest first, without gaps. */
  readonly messages: ReadonlyArray<Message>
  /** The cursor of the earlier messages; null if there are no more. */
  readonly older: string | null
}

/** A response with the newest messages, newest first. */
type NewestMessages = Pick<ConversationView, "messages" | "next_cursor">

/**
 * The history after the newest messages were read again. They replace the known messages from the first of them on, so
 * that a regenerated answer disappears. If they do not reach back to the known messages, the known ones are dropped.
 */
export const withNewest = (current: History | undefined, { messages, next_cursor: older }: NewestMessages): History => {
  const newest = messages.toReversed()
  const first = newest[0]
  const last = current?.messages.at(-1)
  if (current === undefined || first === undefined || last === undefined || first.id > last.id) {
    return { messages: newest, older }
  }
  const before = current.messages.filter(({ id }) => id < first.id)
  return { messages: [...before, ...newest], older: before.length === 0 ? older : current.older }
}

/** The history after a page of older messages, newest first, was read. */
export const withOlder = (current: History, { messages, next_cursor: older }: NewestMessages): History => {
  const first = current.messages[0]
  const before = messages.filter(({ id }) => first === undefined || id < first.id)
  return { messages: [...before.toReversed(), ...current.messages], older }
}

/** The position of a running answer in the history. */
export interface RunningAnswer {
  /** The id of the newest message when the answer was requested; 0 for a new conversation. */
  readonly newestMessageId: number
  readonly isRegeneration: boolean
}

const lastMessage = (messages: ReadonlyArray<Message>): Message | undefined =>
  messages.findLast(({ role }) => role !== "task")

/**
 * True if a running answer replaces the last one. A page that opens later receives no such information, but if the last
 * message is an answer, the running one can only be a regeneration.
 */
export const isRunningRegeneration = (messages: ReadonlyArray<Message>): boolean =>
  lastMessage(messages)?.role === "assistant"

/** The messages to show with a running answer: without its own question and without the answer that it replaces. */
export const messagesDuringAnswer = (
  messages: ReadonlyArray<Message>,
  { newestMessageId, isRegeneration }: RunningAnswer
): ReadonlyArray<Message> => {
  const replaced = isRegeneration
    ? messages.findLast(({ id, role }) => role === "assistant" && id <= newestMessageId)
    : undefined
  return messages.filter((one) => one !== replaced && (one.id <= newestMessageId || one.role === "task"))
}
