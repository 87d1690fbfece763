import type { ConversationView, Message } from "@tapeline/client"

export interface History {
  /** The loaded messages of a conversation, oldest first, without gaps. */
  readonly messages: ReadonlyArray<Message>
  /** The cursor for loading earlier messages; null if no earlier messages exist. */
  readonly older: string | null
}

type NewestMessages = Pick<ConversationView, "messages" | "next_cursor">

/**
 * Merges newly requested messages into the loaded messages of a conversation. The new messages replace all loaded
 * messages whose id is at least the first new id.
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

export const withOlder = (current: History, { messages, next_cursor: older }: NewestMessages): History => {
  const first = current.messages[0]
  const before = messages.filter(({ id }) => first === undefined || id < first.id)
  return { messages: [...before.toReversed(), ...current.messages], older }
}

export interface RunningAnswer {
  /** The id of the newest message at the time of the request; 0 for a new conversation. */
  readonly newestMessageId: number
  readonly isRegeneration: boolean
}

const lastMessage = (messages: ReadonlyArray<Message>): Message | undefined =>
  messages.findLast(({ proposal_id: proposal, role }) => role !== "task" && proposal === undefined)

/** Returns whether a running answer will replace the conversation's last message. */
export const isRunningRegeneration = (messages: ReadonlyArray<Message>): boolean =>
  lastMessage(messages)?.role === "assistant"

/**
 * Returns the messages that the page shows above a running answer. Omits the running answer's question, and the stored
 * answer that the running answer will replace.
 */
export const messagesDuringAnswer = (
  messages: ReadonlyArray<Message>,
  { newestMessageId, isRegeneration }: RunningAnswer
): ReadonlyArray<Message> => {
  const replaced = isRegeneration
    ? messages.findLast(({ id, proposal_id: proposal, role }) =>
      role === "assistant" && proposal === undefined && id <= newestMessageId
    )
    : undefined
  return messages.filter((one) => one !== replaced && (one.id <= newestMessageId || one.role === "task"))
}
