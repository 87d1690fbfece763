import { Clock, Effect } from "effect"
import { grants } from "../../engine/access/scope.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import type { CatalogueCall } from "../../engine/tool/catalogue.ts"
import type { Material } from "../context/material.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { Generation } from "../generation.ts"
import { proposalIn } from "../machine/proposals.ts"
import { noRecords, type WriteIntent, type WriteProposal } from "../writes.ts"

/**
 * The number of messages up to a question that are read. Older ones are in the summary, unless this many task reports
 * arrived without a question between them.
 */
const reach = 200

/** How long a proposal can be accepted, because prices change. */
const proposalMs = 86_400_000

/**
 * Returns the proposals of the message directly before `asked`, if it is a recent answer. If `shown` is known, the
 * message must be the one that the user saw. Another message may have arrived between the user's last look and the
 * start.
 */
export const proposalsBefore = (
  answer: ChatMessage | undefined,
  asked: ChatMessage,
  shown?: number
): ReadonlyArray<WriteProposal> =>
  answer?.role === "assistant" && asked.createdAt - answer.createdAt <= proposalMs &&
    (shown === undefined || shown === answer.id)
    ? answer.tools.flatMap(({ name, proposed }) => proposalIn(name, proposed) ?? [])
    : []

/** The inputs of an answer that has begun. */
export interface Gathered {
  readonly material: Material
  /** The messages whose images the model sees. The images are not in the material. */
  readonly seen: ReadonlyArray<ChatMessage>
  readonly writes: ReturnType<WriteIntent>
  /** Whether the answer may propose writes. */
  readonly proposes: boolean
}

/** Returns the images that the model sees, by message id. */
export const gatherImages = (
  conversations: ConversationStore["Service"],
  { account }: Generation,
  seen: ReadonlyArray<ChatMessage>
): Effect.Effect<Material["images"], StoreUnavailable> =>
  Effect.map(
    Effect.forEach(
      seen,
      ({ id }) => Effect.map(conversations.images(account, id), (images) => [id, images] as const)
    ),
    (images) => new Map(images)
  )

/** Loads the inputs of an answer from the store, without images, and determines the allowed writes. */
export const gather = Effect.fnUntraced(function*(
  conversations: ConversationStore["Service"],
  { account, brief, conversation, question }: Generation,
  policy: WriteIntent,
  toolsFor: (allowed: ReadonlySet<string>, proposes: boolean) => ReadonlyArray<CatalogueCall>,
  readsImages: boolean
): Effect.fn.Return<Gathered, StoreUnavailable> {
  const memory = yield* conversations.memory(account, conversation, { upTo: question, limit: reach })
  const asked = memory?.messages.find(({ id }) => id === question)
  if (memory === null || asked === undefined) {
    return yield* Effect.die(new Error(`the question ${question} of conversation ${conversation} is gone`))
  }
  const history = memory.messages.filter(({ id }) => id < question)
  const before = history.findLast(({ role }) => role === "user")
  const seen = readsImages ? [...(before === undefined ? [] : [before]), asked] : []
  let carried: ReadonlyArray<ToolNote> = []
  if (brief.replaces !== null) {
    const replaced = yield* conversations.memory(account, conversation, { upTo: brief.replaces, limit: 1 })
    carried = replaced?.messages.at(-1)?.tools.filter(({ wrote }) => wrote !== undefined) ?? []
  }
  const proposals = proposalsBefore(history.at(-1), asked, brief.shown)
  // A question that no user asked writes and proposes nothing: a yes to its proposal might be meant for something else.
  // A regenerated answer writes nothing, because the writes of the first answer remain.
  const isOwn = asked.role === "user" && brief.principal.actor._tag !== "Task"
  const writes = isOwn && brief.replaces === null ? policy(asked.content, proposals) : []
  const accepted = proposals.filter(({ arguments: args, tool }) =>
    writes.some((write) => write.tool === tool && write.objection(args, noRecords) === null)
  )
  const proposes = isOwn && grants(brief.principal.scopes, ["write:personal"])
  const material = {
    brief,
    question: asked,
    history,
    summary: memory.summary?.text ?? null,
    images: new Map(),
    carried,
    accepted,
    tools: toolsFor(new Set(writes.map(({ tool }) => tool)), proposes),
    now: new Date(yield* Clock.currentTimeMillis).toISOString()
  }
  return { material, seen: seen.filter(({ images }) => images.length > 0), writes, proposes }
})
