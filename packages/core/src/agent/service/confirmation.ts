import { Effect } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { ChatMessage } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { Proposal } from "../proposal.ts"
import type { ProposalStore } from "../ProposalStore.ts"

/** The messages that accept a proposal, in lower case and without final punctuation. */
const confirmations: ReadonlySet<string> = new Set([
  "yes",
  "yes please",
  "yes, please",
  "confirm",
  "accept",
  "네",
  "예",
  "네 부탁해요",
  "네, 부탁해요",
  "승인",
  "да",
  "да пожалуйста",
  "да, пожалуйста",
  "подтверждаю",
  "принимаю"
])

/** Returns whether a message consists only of a word of confirmation. */
export const isConfirmation = (message: string): boolean =>
  message.length <= 40 &&
  confirmations.has(message.normalize("NFC").trim().toLowerCase().replace(/[.!]+$/, "").replace(/\s+/g, " "))

/** Matches the question marks of all scripts and their emoji. */
const questionMark = /[?\u037e\u055e\u061f\u203d\u2047-\u2049\u2753\u2754\u2e2e\ufe16\ufe56\uff1f]/

/**
 * Returns the proposal that a word of confirmation after `answer` accepts: the only open proposal of the answer. If the
 * text of the answer contains a question, the word may answer the question, so it accepts nothing.
 */
export const findConfirmable = (
  answer: ChatMessage | undefined,
  proposals: ReadonlyArray<Proposal>
): Proposal | null => {
  const open = proposals.filter(({ message, state }) => message === answer?.id && state === "open")
  const isClear = answer?.role === "assistant" && answer.outcome === "finished" && !questionMark.test(answer.content)
  return isClear && open.length === 1 ? open[0]! : null
}

/** Returns the id of the proposal that a question accepts, or null if the question is no confirmation. */
export const findAcceptedProposal = Effect.fnUntraced(function*(
  { conversations, proposals }: {
    readonly conversations: ConversationStore["Service"]
    readonly proposals: ProposalStore["Service"]
  },
  { account, actor, scopes }: Principal,
  conversation: number | null,
  message: string
): Effect.fn.Return<string | null, StoreUnavailable> {
  if (conversation === null || actor._tag === "Task" || !scopes.includes("write:personal")) return null
  if (!isConfirmation(message)) return null
  const memory = yield* conversations.readHistory(account, conversation, { upTo: null, limit: 1 })
  const answer = memory?.messages.at(-1)
  if (answer === undefined) return null
  return findConfirmable(answer, yield* proposals.list(account, conversation, [answer.id]))?.id ?? null
})
