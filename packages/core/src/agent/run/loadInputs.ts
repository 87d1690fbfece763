import { Clock, Effect } from "effect"
import { hasAnyScope } from "../../engine/access/scope.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { CallableEntry } from "../../engine/tool/catalogue.ts"
import type { AnswerInputs } from "../context/answerInputs.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { Generation } from "../generation.ts"
import type { Proposal } from "../proposal.ts"
import type { ProposalStore } from "../ProposalStore.ts"

/** The maximum number of messages that are read for a question; the summary covers older messages. */
const maxHistoryMessages = 200

/** The maximum number of calls of tools that write without a proposal, in an answer with `writes: "allow"`. */
const maxDirectWrites = 5

/** The inputs of an answer except its images, and the writes that the answer may make or propose. */
export interface LoadedInputs {
  readonly inputs: AnswerInputs
  /** The messages with images that the run must still load for the model. */
  readonly messagesWithImages: ReadonlyArray<ChatMessage>
  readonly mayPropose: boolean
  readonly maxDirectWrites: number
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

/**
 * Returns the writes of the answer that a new answer replaces: the calls that wrote, and the proposals that the user
 * accepted.
 */
const readReplacedWrites = Effect.fnUntraced(function*(
  { conversations, proposals }: Stores,
  { account, brief: { replaces }, conversation }: Generation
): Effect.fn.Return<
  { readonly made: ReadonlyArray<ToolNote>; readonly accepted: ReadonlyArray<Proposal> },
  StoreUnavailable
> {
  if (replaces === null) return { made: [], accepted: [] }
  const memory = yield* conversations.readHistory(account, conversation, { upTo: replaces, limit: 1 })
  const own = yield* proposals.list(account, conversation, [replaces])
  return {
    made: memory?.messages.at(-1)?.tools.filter(({ wrote }) => wrote !== undefined) ?? [],
    accepted: own.filter(({ state }) => state === "accepted" || state === "accepting")
  }
})

interface Stores {
  readonly conversations: ConversationStore["Service"]
  readonly proposals: ProposalStore["Service"]
}

/** Loads the inputs of an answer from the store, without images, and determines the permitted writes. */
export const loadInputs = Effect.fnUntraced(function*(
  stores: Stores,
  generation: Generation,
  selectTools: (offersWrites: boolean) => ReadonlyArray<CallableEntry>,
  readsImages: boolean
): Effect.fn.Return<LoadedInputs, StoreUnavailable> {
  const { account, brief, conversation, question } = generation
  const memory = yield* stores.conversations.readHistory(account, conversation, {
    upTo: question,
    limit: maxHistoryMessages
  })
  const questionMessage = memory?.messages.find(({ id }) => id === question)
  if (memory === null || questionMessage === undefined) {
    return yield* Effect.die(new Error(`question ${question} of conversation ${conversation} does not exist`))
  }
  const history = memory.messages.filter(({ id }) => id < question)
  const previousQuestion = history.findLast(({ role }) => role === "user")
  const messagesWithImages = readsImages
    ? [...(previousQuestion === undefined ? [] : [previousQuestion]), questionMessage]
    : []
  // A firing of a task writes and proposes nothing, because no user reads the proposal.
  const isAskedByUser = questionMessage.role === "user" && brief.principal.actor._tag !== "Task"
  const mayPropose = isAskedByUser && hasAnyScope(brief.principal.scopes, ["write:personal"])
  const replaced = yield* readReplacedWrites(stores, generation)
  const answers = history.filter(({ role }) => role === "assistant").map(({ id }) => id)
  const inputs: AnswerInputs = {
    brief,
    question: questionMessage,
    history,
    summary: memory.summary?.text ?? null,
    images: new Map(),
    replacedWrites: replaced.made,
    replacedProposals: replaced.accepted,
    accepted: null,
    proposals: mayPropose ? yield* stores.proposals.list(account, conversation, answers) : [],
    tools: selectTools(mayPropose),
    now: new Date(yield* Clock.currentTimeMillis).toISOString()
  }
  return {
    inputs,
    messagesWithImages: messagesWithImages.filter(({ images }) => images.length > 0),
    mayPropose,
    // A regenerated answer writes nothing directly, because the writes of the first answer remain.
    maxDirectWrites: mayPropose && brief.writes === "allow" && brief.replaces === null ? maxDirectWrites : 0
  }
})
