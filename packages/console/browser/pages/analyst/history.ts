import type { ConversationView, Message } from "@tapeline/client"

/** What is known of what was said in a conversation: its end, as far back as it was read. */
export interface History {
  /** Oldest first, and without a gap. */
  readonly messages: ReadonlyArray<Message>
  /** Asks for what was said before; null where that is all. */
  readonly older: string | null
}

/** The page of the newest messages, newest first, as it comes. */
type Newest = Pick<ConversationView, "messages" | "next_cursor">

/**
 * What is known once the newest messages were read anew: they stand in the place of what was known from the first of
 * them on, so that an answer that was replaced goes. Where so much was said meanwhile that they do not reach back to
 * what was known, that is let go.
 */
export const withNewest = (known: History | undefined, { messages, next_cursor: older }: Newest): History => {
  const newest = messages.toReversed()
  const first = newest[0]
  const last = known?.messages.at(-1)
  if (known === undefined || first === undefined || last === undefined || first.id > last.id) {
    return { messages: newest, older }
  }
  const before = known.messages.filter(({ id }) => id < first.id)
  return { messages: [...before, ...newest], older: before.length === 0 ? older : known.older }
}

/** What is known once a page of older messages, newest first, was read before it. */
export const withOlder = (known: History, { messages, next_cursor: older }: Newest): History => {
  const first = known.messages[0]
  const before = messages.filter(({ id }) => first === undefined || id < first.id)
  return { messages: [...before.toReversed(), ...known.messages], older }
}

/** What a running answer stands in for, and what it has already brought into the history. */
export interface Running {
  /** The newest message when it was begun; 0 of a new conversation. */
  readonly before: number
  readonly isAgain: boolean
}

const lastSaid = (messages: ReadonlyArray<Message>): Message | undefined =>
  messages.findLast(({ role }) => role !== "task")

/**
 * Whether an answer that runs replaces the one that stands last. Nothing tells a page that comes later; but a
 * conversation whose last word is an answer is answered only again.
 */
export const isAnsweredAgain = (messages: ReadonlyArray<Message>): boolean => lastSaid(messages)?.role === "assistant"

/** The messages that are shown beside an answer that runs: not its own question, nor the answer that it replaces. */
export const besides = (
  messages: ReadonlyArray<Message>,
  { before, isAgain }: Running
): ReadonlyArray<Message> => {
  const replaced = isAgain ? messages.findLast(({ id, role }) => role === "assistant" && id <= before) : undefined
  return messages.filter((one) => one !== replaced && (one.id <= before || one.role === "task"))
}
