import { assert, type Vitest } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import {
  type ChatMessage,
  type ConversationStore,
  type End,
  type Fence,
  type Generation,
  type GenerationEvent,
  type GenerationLog,
  GenerationStore,
  type KeptImage,
  type LoggedEvent,
  type LogPage,
  type NewChatMessage,
  type Place,
  type StartRequest,
  type StoredStep
} from "@tapeline/core/agent"
import { type Actor, type Ending, KeyStore, LedgerStore, type Reservation } from "@tapeline/core/engine"
import { Effect } from "effect"

/** The services that the contracts of the agent's stores need, over one database. */
export type AgentStores = ConversationStore | GenerationStore | GenerationLog | KeyStore | LedgerStore

/** Tests over an adapter's layer. */
export type AgentTests<R = never> = Vitest.MethodsNonLive<AgentStores | R>

export const minute = 60_000
export const price = 20
const plan = "agent-contract"
export const allotted = 1_000_000
const actor: Actor = { _tag: "Key", key: 1 }

export const newAccount = Effect.gen(function*() {
  yield* Effect.flatMap(LedgerStore, (ledger) => ledger.definePlans({ [plan]: allotted }))
  return (yield* Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "agent", plan, now: null }))).id
})

/** Reserves an answer's price, with an idempotency key if `key` is set. */
export const reserved = (account: number, options: { readonly ttlMs?: number; readonly key?: string } = {}) =>
  Effect.gen(function*() {
    const ledger = yield* LedgerStore
    const [admission] = yield* ledger.reserve([{
      account,
      actor,
      tool: "agent.answer",
      credits: price,
      ttlMs: options.ttlMs ?? 5 * minute,
      idempotency: options.key === undefined
        ? null
        : { key: options.key, fingerprint: "f", retainMs: 60 * minute }
    }])
    assert(admission?._tag === "Admitted")
    return admission.reservation
  })

const said = { lang: "en", charts: [], tools: [], suggestions: [], images: [] } as const

export const question = (content: string, images: ReadonlyArray<KeptImage> = []): NewChatMessage => ({
  ...said,
  role: "user",
  content,
  images,
  outcome: null
})

export const answer = (content: string, change: Partial<NewChatMessage> = {}): NewChatMessage => ({
  ...said,
  role: "assistant",
  content,
  outcome: "finished",
  ...change
})

export const report = (content: string): NewChatMessage => ({ ...said, role: "task", content, outcome: null })

/** A stored message as `role: content`. */
export const saidIn = ({ content, role }: ChatMessage) => `${role}: ${content}`

export const startRequest = (
  account: number,
  reservation: Reservation,
  change: Partial<StartRequest> = {}
): StartRequest => ({
  account,
  place: { _tag: "New", title: "title", mode: "analyst" },
  readable: allScopes,
  uses: [],
  question: question("why?"),
  brief: {
    principal: { account, actor, plan, scopes: ["agent:chat"] },
    lang: "en",
    coin: null,
    facts: {}
  },
  reservation,
  leaseMs: 5 * minute,
  idempotencyKey: null,
  ...change
})

/** Starts a generation and returns the result. */
export const ask = (account: number, change: Partial<StartRequest> = {}) =>
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    return yield* generations.start(startRequest(account, change.reservation ?? (yield* reserved(account)), change))
  })

/** Starts a generation, and fails if it does not start. */
export const begin = (account: number, change: Partial<StartRequest> = {}) =>
  Effect.map(ask(account, change), (start): Generation => {
    assert(start._tag === "Started", `expected a start, got ${start._tag}`)
    return start.generation
  })

export const existing = (conversation: number): Place => ({ _tag: "Existing", conversation, mode: null })
export const again = (conversation: number): Place => ({ _tag: "Again", conversation, mode: null })

/** Takes a generation that no runner holds. */
export const taken = (generation: number) =>
  Effect.gen(function*() {
    const found = yield* (yield* GenerationStore).take(generation, minute)
    assert(found !== null, "it was not to be had")
    return found
  })

export const fenceOf = ({ epoch, id }: Generation): Fence => ({ generation: id, epoch })

export const delta = (text: string, offset = 0): GenerationEvent => ({ kind: "delta", data: { offset, text } })
export const stepOf = (name: string, content: StoredStep["content"] = { text: name }): StoredStep => ({ name, content })

export const consumed = {
  inputTokens: 5_000_000_000,
  outputTokens: 20,
  cachedTokens: 0,
  reasoningTokens: 1,
  steps: 2,
  toolCalls: 3,
  toolCredits: 4
}

/** The `done` event, with the end of the reservation and the remaining credits. */
const done = (conversation: number, outcome: End["outcome"], ending: Ending): GenerationEvent => ({
  kind: "done",
  data: {
    conversation_id: conversation,
    outcome,
    lang: "en",
    took_ms: 1,
    credits_used: ending._tag === "Ended" && outcome !== "failed" ? price : 0,
    credits_left: ending.creditsLeft
  }
})

/** An end that settles the reservation, or releases it if the outcome is `failed`. */
export const endOf = (conversation: number, change: Partial<End> = {}): End => {
  const outcome = change.outcome ?? "finished"
  return {
    outcome,
    answer: answer("because", { outcome }),
    settlement: outcome === "failed" ? { _tag: "Release" } : { _tag: "Settle", answer: null },
    consumed,
    events: (ending) => [done(conversation, outcome, ending)],
    open: false,
    ...change
  }
}

/** Starts a generation and ends it with an answer. */
export const answered = (
  account: number,
  change: Partial<StartRequest> = {},
  how: Partial<End> = {}
) =>
  Effect.gen(function*() {
    const generation = yield* Effect.flatMap(begin(account, change), ({ id }) => taken(id))
    const ended = yield* (yield* GenerationStore).end(fenceOf(generation), endOf(generation.conversation, how))
    assert.isTrue(ended.held)
    return { ...generation, message: ended.answer }
  })

/** Reads a log page by page and returns all its events. */
export const wholeLog = (log: GenerationLog["Service"], generation: number, limit = 64) =>
  Effect.gen(function*() {
    const events: Array<LoggedEvent> = []
    for (;;) {
      const page: LogPage = yield* log.read(generation, events.at(-1)?.n ?? 0, limit)
      assert.isAbove(page.events[0]?.n ?? Infinity, events.at(-1)?.n ?? 0, "a page begins behind what was asked for")
      events.push(...page.events)
      if (page.ended || page.events.length === 0) return { events, ended: page.ended }
    }
  })

/** An account's reserved and used credits. */
export const booksOf = (account: number) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (ledger) => ledger.books(account, null)),
    (books) => ({ reserved: books!.reserved, used: books!.used })
  )
