import { assert, type Vitest } from "@effect/vitest"
import { allScopes } from "@tapeline/core"
import {
  type ChatMessage,
  type ConversationStore,
  type Fence,
  type Generation,
  type GenerationEnd,
  type GenerationEvent,
  type GenerationLog,
  GenerationStore,
  type LoggedEvent,
  type LogPage,
  type NewChatMessage,
  type ProposalStore,
  type QuestionTarget,
  type StartRequest,
  type StoredImage,
  type StoredStep
} from "@tapeline/core/agent"
import { type Actor, type EndResult, KeyStore, LedgerStore, type Reservation } from "@tapeline/core/engine"
import { Effect } from "effect"

/** The services that the contract tests of the agent's stores need, on one shared database. */
export type AgentStores = ConversationStore | GenerationStore | GenerationLog | KeyStore | LedgerStore | ProposalStore

/** The functions that define tests with access to the agent's stores. */
export type AgentTests<R = never> = Vitest.MethodsNonLive<AgentStores | R>

export const minuteMs = 60_000
export const answerPrice = 20
const plan = "agent-contract"
export const monthlyCredits = 1_000_000
const actor: Actor = { _tag: "Key", key: 1 }

export const newAccount = Effect.gen(function*() {
  yield* Effect.flatMap(LedgerStore, (ledger) => ledger.definePlans({ [plan]: monthlyCredits }))
  return (yield* Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "agent", plan, now: null }))).id
})

/** Reserves the credits of one answer. The option `key` is the idempotency key of the reservation. */
export const reserveAnswer = (account: number, options: { readonly ttlMs?: number; readonly key?: string } = {}) =>
  Effect.gen(function*() {
    const ledger = yield* LedgerStore
    const [admission] = yield* ledger.reserve([{
      account,
      actor,
      tool: "agent.answer",
      credits: answerPrice,
      ttlMs: options.ttlMs ?? 5 * minuteMs,
      idempotency: options.key === undefined
        ? null
        : { key: options.key, fingerprint: "f", retentionMs: 60 * minuteMs }
    }])
    assert(admission?._tag === "Admitted")
    return admission.reservation
  })

const messageDefaults = { lang: "en", charts: [], tools: [], suggestions: [], images: [] } as const

export const questionMessage = (content: string, images: ReadonlyArray<StoredImage> = []): NewChatMessage => ({
  ...messageDefaults,
  role: "user",
  content,
  images,
  outcome: null
})

export const answerMessage = (content: string, overrides: Partial<NewChatMessage> = {}): NewChatMessage => ({
  ...messageDefaults,
  role: "assistant",
  content,
  outcome: "finished",
  ...overrides
})

export const reportMessage = (content: string): NewChatMessage => ({
  ...messageDefaults,
  role: "task",
  content,
  outcome: null
})

export const formatMessage = ({ content, role }: ChatMessage) => `${role}: ${content}`

export const startRequest = (
  account: number,
  reservation: Reservation,
  overrides: Partial<StartRequest> = {}
): StartRequest => ({
  account,
  target: { _tag: "New", title: "title", mode: "analyst" },
  readableScopes: allScopes,
  usedScopes: [],
  question: questionMessage("why?"),
  brief: {
    principal: { account, actor, plan, scopes: ["agent:chat"] },
    lang: "en",
    coin: null,
    facts: {}
  },
  reservation,
  leaseMs: 5 * minuteMs,
  idempotencyKey: null,
  ...overrides
})

export const startGeneration = (account: number, overrides: Partial<StartRequest> = {}) =>
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    return yield* generations.start(
      startRequest(account, overrides.reservation ?? (yield* reserveAnswer(account)), overrides)
    )
  })

/** Starts a generation, or fails the test if the store rejects the start. */
export const startNewGeneration = (account: number, overrides: Partial<StartRequest> = {}) =>
  Effect.map(startGeneration(account, overrides), (result): Generation => {
    assert(result._tag === "Started", `expected a start, got ${result._tag}`)
    return result.generation
  })

export const inConversation = (conversation: number): QuestionTarget => ({ _tag: "Existing", conversation, mode: null })
export const repeatInConversation = (conversation: number): QuestionTarget => ({
  _tag: "Again",
  conversation,
  mode: null
})

/** Acquires a generation for a runner, or fails the test if another runner holds the generation. */
export const takeGeneration = (generation: number) =>
  Effect.gen(function*() {
    const acquired = yield* (yield* GenerationStore).take(generation, minuteMs)
    assert(acquired !== null, "the generation could not be taken")
    return acquired
  })

export const getFence = ({ epoch, id }: Generation): Fence => ({ generation: id, epoch })

export const deltaEvent = (text: string, offset = 0): GenerationEvent => ({ kind: "delta", data: { offset, text } })
export const makeStep = (name: string, content: StoredStep["content"] = { text: name }): StoredStep => ({
  name,
  content
})

export const consumption = {
  inputTokens: 5_000_000_000,
  outputTokens: 20,
  cachedTokens: 0,
  reasoningTokens: 1,
  steps: 2,
  toolCalls: 3,
  toolCredits: 4
}

const doneEvent = (conversation: number, outcome: GenerationEnd["outcome"], ending: EndResult): GenerationEvent => ({
  kind: "done",
  data: {
    conversation_id: conversation,
    outcome,
    lang: "en",
    took_ms: 1,
    credits_used: ending._tag === "Ended" && outcome !== "failed" ? answerPrice : 0,
    credits_left: ending.creditsLeft
  }
})

/**
 * Creates the request that ends a generation. The end of a failed answer releases its credits, and any other end
 * charges them.
 */
export const makeEnd = (conversation: number, overrides: Partial<GenerationEnd> = {}): GenerationEnd => {
  const outcome = overrides.outcome ?? "finished"
  return {
    outcome,
    answer: answerMessage("because", { outcome }),
    proposals: [],
    settlement: outcome === "failed" ? { _tag: "Release" } : { _tag: "Settle", response: null },
    consumed: consumption,
    events: (ending) => [doneEvent(conversation, outcome, ending)],
    isOpen: false,
    ...overrides
  }
}

export const answerQuestion = (
  account: number,
  overrides: Partial<StartRequest> = {},
  end: Partial<GenerationEnd> = {}
) =>
  Effect.gen(function*() {
    const generation = yield* Effect.flatMap(startNewGeneration(account, overrides), ({ id }) => takeGeneration(id))
    const endResult = yield* (yield* GenerationStore).end(getFence(generation), makeEnd(generation.conversation, end))
    assert.isTrue(endResult.held)
    return { ...generation, message: endResult.answer }
  })

export const readWholeLog = (log: GenerationLog["Service"], generation: number, limit = 64) =>
  Effect.gen(function*() {
    const events: Array<LoggedEvent> = []
    for (;;) {
      const page: LogPage = yield* log.read(generation, events.at(-1)?.n ?? 0, limit)
      assert.isAbove(page.events[0]?.n ?? Infinity, events.at(-1)?.n ?? 0, "a page does not begin after its cursor")
      events.push(...page.events)
      if (page.isEnded || page.events.length === 0) return { events, isEnded: page.isEnded }
    }
  })

export const readBalance = (account: number) =>
  Effect.map(
    Effect.flatMap(LedgerStore, (ledger) => ledger.balance(account, null)),
    (balance) => ({ reserved: balance!.reserved, used: balance!.used })
  )
