import { Clock, Effect } from "effect"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { CatalogueCall } from "../../tool/catalogue.ts"
import type { Material } from "../context/material.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { Generation } from "../generation.ts"
import type { WriteIntent, WriteProposal } from "../writes.ts"

/**
 * How many messages up to a question are looked at. Older ones are in the summary, but for those before as many reports
 * of tasks as nobody asked anything in between.
 */
const reach = 200

const proposalsOf = (answer: ChatMessage | undefined): ReadonlyArray<WriteProposal> =>
  answer?.tools.flatMap(({ name, proposed }) => proposed === undefined ? [] : [{ tool: name, arguments: proposed }]) ??
    []

/** The images that the model is shown, by message. */
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

/**
 * What an answer is made from, as it stands in the store, and what may be written in it. Images are not among it:
 * `seen` are the messages whose own the model is to be shown.
 */
export const gather = Effect.fnUntraced(function*(
  conversations: ConversationStore["Service"],
  { account, brief, conversation, question }: Generation,
  policy: WriteIntent,
  toolsFor: (allowed: ReadonlySet<string>) => ReadonlyArray<CatalogueCall>,
  readsImages: boolean
): Effect.fn.Return<
  {
    readonly material: Material
    readonly seen: ReadonlyArray<ChatMessage>
    readonly writes: ReturnType<WriteIntent>
  },
  StoreUnavailable
> {
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
  const answer = history.at(-1)
  const proposals = proposalsOf(answer?.role === "assistant" ? answer : undefined)
  // An answer that is given again writes nothing: what the first one wrote stands. Nor does what no user asked.
  const isOwn = brief.replaces === null && asked.role === "user" && brief.principal.actor._tag === "Key"
  const writes = !isOwn ? [] : policy(asked.content, proposals)
  const material = {
    brief,
    question: asked,
    history,
    summary: memory.summary?.text ?? null,
    images: new Map(),
    carried,
    tools: toolsFor(new Set(writes.map(({ tool }) => tool))),
    now: new Date(yield* Clock.currentTimeMillis).toISOString()
  }
  return { material, seen: seen.filter(({ images }) => images.length > 0), writes }
})
