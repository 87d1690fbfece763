import { Clock, Effect } from "effect"
import { hasAnyScope } from "../../engine/access/scope.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { CallableEntry } from "../../engine/tool/catalogue.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { Generation } from "../generation.ts"
import { readProposal } from "../machine/proposals.ts"
import { noRecords, type WriteIntent, type WriteProposal } from "../writeProposal.ts"

/** The maximum number of messages that are read for a question; the summary covers older messages. */
const maxHistoryMessages = 200

/** The time after an answer in which its proposals can be accepted, in ms. Proposals expire because prices change. */
const proposalLifetimeMs = 86_400_000

/**
 * Returns the proposals of the answer before the question, or no proposals if the answer is too old or was not seen by
 * the user.
 */
export const readPreviousProposals = (
  answer: ChatMessage | undefined,
  question: ChatMessage,
  shown?: number
): ReadonlyArray<WriteProposal> =>
  answer?.role === "assistant" && question.createdAt - answer.createdAt <= proposalLifetimeMs &&
    (shown === undefined || shown === answer.id)
    ? answer.tools.flatMap(({ name, proposed }) => readProposal(name, proposed) ?? [])
    : []

/** The inputs of an answer except its images, and the writes that the answer may make. */
export interface LoadedInputs {
  readonly inputs: AnswerInputs
  /** The messages with images that the run must still load for the model. */
  readonly messagesWithImages: ReadonlyArray<ChatMessage>
  readonly writes: ReturnType<WriteIntent>
  readonly mayPropose: boolean
}

export const loadImages = (
  conversations: ConversationStore["Service"],
  { account }: Generation,
  messagesWithImages: ReadonlyArray<ChatMessage>
): Effect.Effect<AnswerInputs["images"], StoreUnavailable> =>
  Effect.map(
    Effect.forEach(
      messagesWithImages,
      ({ id }) => Effect.map(conversations.listImages(account, id), (images) => [id, images] as const)
    ),
    (images) => new Map(images)
  )

/** Loads the inputs of an answer from the store, without images, and determines the allowed writes. */
export const loadInputs = Effect.fnUntraced(function*(
  conversations: ConversationStore["Service"],
  { account, brief, conversation, question }: Generation,
  policy: WriteIntent,
  toolsFor: (allowed: ReadonlySet<string>, mayPropose: boolean) => ReadonlyArray<CallableEntry>,
  readsImages: boolean
): Effect.fn.Return<LoadedInputs, StoreUnavailable> {
  const memory = yield* conversations.readHistory(account, conversation, { upTo: question, limit: maxHistoryMessages })
  const questionMessage = memory?.messages.find(({ id }) => id === question)
  if (memory === null || questionMessage === undefined) {
    return yield* Effect.die(new Error(`question ${question} of conversation ${conversation} does not exist`))
  }
  const history = memory.messages.filter(({ id }) => id < question)
  const previousQuestion = history.findLast(({ role }) => role === "user")
  const messagesWithImages = readsImages
    ? [...(previousQuestion === undefined ? [] : [previousQuestion]), questionMessage]
    : []
  let replacedWrites: ReadonlyArray<ToolNote> = []
  if (brief.replaces !== null) {
    const replaced = yield* conversations.readHistory(account, conversation, { upTo: brief.replaces, limit: 1 })
    replacedWrites = replaced?.messages.at(-1)?.tools.filter(({ wrote }) => wrote !== undefined) ?? []
  }
  const proposals = readPreviousProposals(history.at(-1), questionMessage, brief.shown)
  // If no user asked the question, the answer may propose no writes, because a user's next "yes" might refer to
  // something else. A regenerated answer writes nothing, because the writes of the first answer remain.
  const isAskedByUser = questionMessage.role === "user" && brief.principal.actor._tag !== "Task"
  const writes = isAskedByUser && brief.replaces === null ? policy(questionMessage.content, proposals) : []
  const accepted = proposals.filter(({ arguments: args, tool }) =>
    writes.some((write) => write.tool === tool && write.findObjection(args, noRecords) === null)
  )
  const mayPropose = isAskedByUser && hasAnyScope(brief.principal.scopes, ["write:personal"])
  const inputs = {
    brief,
    question: questionMessage,
    history,
    summary: memory.summary?.text ?? null,
    images: new Map(),
    replacedWrites: replacedWrites,
    accepted,
    tools: toolsFor(new Set(writes.map(({ tool }) => tool)), mayPropose),
    now: new Date(yield* Clock.currentTimeMillis).toISOString()
  }
  return {
    inputs,
    messagesWithImages: messagesWithImages.filter(({ images }) => images.length > 0),
    writes,
    mayPropose
  }
})
