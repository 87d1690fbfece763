import { Clock, Effect, Fiber, FiberSet, Layer, Schedule } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import type { KeyStore } from "../../engine/access/KeyStore.ts"
import { Plans } from "../../engine/access/plan.ts"
import { ToolCaller } from "../../engine/call/ToolCaller.ts"
import { Ledger } from "../../engine/credits/Ledger.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { Toolbox } from "../../engine/tool/Toolbox.ts"
import type { Conversation } from "../conversation.ts"
import { ConversationStore } from "../ConversationStore.ts"
import type { Generation } from "../generation.ts"
import { GenerationLog } from "../GenerationLog.ts"
import { GenerationRunner } from "../GenerationRunner.ts"
import { GenerationStore } from "../GenerationStore.ts"
import type { RunOutcome } from "../machine/state.ts"
import { ProposalStore } from "../ProposalStore.ts"
import { AgentTiming } from "../run/AgentTiming.ts"
import { buildEndFromTranscript } from "../run/endAfterDefect.ts"
import { makeScopeCheck } from "../run/scopeCheck.ts"
import { Analyst } from "./Analyst.ts"
import { collectAnswer, replayAnswer } from "./collectAnswer.ts"
import { listReadableScopes, requireChatScope, requireFollowable, requireReadable } from "./conversationScopes.ts"
import { type AcceptProposalError, ConversationBusy, type ConversationError, ConversationNotFound } from "./errors.ts"
import { followGeneration } from "./followGeneration.ts"
import { type Acceptance, acceptProposal, dismissProposal, findProposal } from "./proposals.ts"
import { type AnswerServices, startAnswer } from "./startAnswer.ts"

/** Retries a cancellation while the store is unavailable, with exponential pauses that start at 50 ms. */
const retryPolicy = { schedule: Schedule.exponential("50 millis"), times: 6 } as const

/** Returns a conversation of the principal's account that the principal may read. */
const findReadableConversation = Effect.fnUntraced(function*(
  { conversations }: AnswerServices,
  principal: Principal,
  id: number
): Effect.fn.Return<Conversation, ConversationError> {
  yield* requireChatScope(principal)
  const conversation = yield* conversations.find(principal.account, id)
  if (conversation === null) return yield* new ConversationNotFound({ conversation: id })
  yield* requireReadable(principal, conversation.scopes)
  return conversation
})

/**
 * Returns the conversation's running generation, or null if no generation is running. Fails if the principal lacks a
 * scope of the generation.
 */
const findRunning = Effect.fnUntraced(function*(
  services: AnswerServices,
  principal: Principal,
  conversation: number
): Effect.fn.Return<Generation | null, ConversationError> {
  yield* findReadableConversation(services, principal, conversation)
  const generation = yield* services.generations.findRunning(principal.account, conversation)
  if (generation !== null) yield* requireFollowable(principal, generation)
  return generation
})

type EndServices = Pick<AnswerServices, "generations" | "runner">

/** Ends a running generation, and returns the ended generation, or null if the generation is not running. */
const endGeneration = Effect.fnUntraced(function*(
  { generations, runner }: EndServices,
  id: number,
  outcome: RunOutcome
): Effect.fn.Return<Generation | null, StoreUnavailable> {
  const end = buildEndFromTranscript(outcome, yield* Clock.currentTimeMillis)
  // The end of the generation and the notice to its runner complete even if the caller is interrupted.
  return yield* Effect.uninterruptible(
    Effect.tap(Effect.retry(generations.forceEnd(id, end), retryPolicy), () => runner.halt(id))
  )
})

/** Cancels a running generation, and returns whether it ended as cancelled, by this call or by a concurrent call. */
const stopGeneration = Effect.fnUntraced(function*(
  services: EndServices,
  id: number
): Effect.fn.Return<boolean, StoreUnavailable> {
  const ended = (yield* endGeneration(services, id, { outcome: "cancelled", failure: null })) ??
    (yield* services.generations.find(id))
  return ended?.outcome === "cancelled"
})

const cancelAnswer = Effect.fnUntraced(function*(
  services: AnswerServices,
  principal: Principal,
  conversation: number
): Effect.fn.Return<boolean, ConversationError> {
  yield* findReadableConversation(services, principal, conversation)
  const running = yield* services.generations.findRunning(principal.account, conversation)
  return running === null ? false : yield* stopGeneration(services, running.id)
})

const isLogged = (log: GenerationLog["Service"], { id, state }: Generation): Effect.Effect<boolean, StoreUnavailable> =>
  state === "closed" ? Effect.map(log.read(id, 0, 1), ({ events }) => events.length > 0) : Effect.succeed(true)

const findEnded = Effect.fnUntraced(function*(
  services: AnswerServices,
  log: GenerationLog["Service"],
  principal: Principal,
  conversation: number,
  id: number
): Effect.fn.Return<Effect.Success<ReturnType<Analyst["Service"]["findEnded"]>>, ConversationError> {
  yield* requireChatScope(principal)
  const generation = yield* services.generations.find(id)
  // The conversation is read after the generation, because a running generation may add scopes at any time.
  yield* findReadableConversation(services, principal, conversation)
  if (generation === null || generation.state === "running") return null
  if (generation.account !== principal.account || generation.conversation !== conversation) return null
  return { generation, isLogged: yield* isLogged(log, generation) }
})

/** Provides `Analyst` from the stores and a `GenerationRunner`. */
export const layerAnalyst: Layer.Layer<
  Analyst,
  never,
  | ConversationStore
  | GenerationLog
  | GenerationRunner
  | GenerationStore
  | KeyStore
  | Ledger
  | Plans
  | ProposalStore
  | ToolCaller
  | Toolbox
> = Layer.effect(
  Analyst,
  Effect.gen(function*() {
    const services: AnswerServices = {
      ledger: yield* Ledger,
      plans: yield* Plans,
      conversations: yield* ConversationStore,
      generations: yield* GenerationStore,
      runner: yield* GenerationRunner,
      timing: yield* AgentTiming,
      toolbox: yield* Toolbox,
      proposals: yield* ProposalStore
    }
    const { conversations, generations, proposals } = services
    const proposalServices = { ...services, caller: yield* ToolCaller, isScopeHeld: yield* makeScopeCheck }
    const acceptances = yield* FiberSet.make<Acceptance, AcceptProposalError>()
    const log = yield* GenerationLog
    const awaitAnswer = (generation: Generation) =>
      collectAnswer(services, generation, followGeneration(log, generation.id, 0))
    return Analyst.of({
      start: (askRequest) => startAnswer(services, askRequest),
      answer: (askRequest) =>
        Effect.flatMap(
          startAnswer(services, askRequest),
          ({ generation, replayed }) => Effect.map(awaitAnswer(generation), (answer) => ({ answer, replayed }))
        ),
      awaitAnswer,
      follow: (generation, after) => followGeneration(log, generation, after),
      replayEvents: Effect.fnUntraced(function*(generation) {
        return (yield* isLogged(log, generation)) ? null : replayAnswer(generation, yield* awaitAnswer(generation))
      }),
      findEnded: (principal, id, generation) => findEnded(services, log, principal, id, generation),
      findRunning: (principal, id) => findRunning(services, principal, id),
      cancel: (principal, id) => cancelAnswer(services, principal, id),
      stop: (generation) => stopGeneration(services, generation),
      listRunning: generations.listRunning,
      findAnswer: generations.find,
      stopByOperator: (generation, reason) =>
        endGeneration(services, generation, { outcome: "failed", failure: "answer_stopped_by_operator", reason }),
      listConversations: (principal, page) =>
        Effect.andThen(
          requireChatScope(principal),
          conversations.list(principal.account, { ...page, scopes: listReadableScopes(principal) })
        ),
      getConversation: Effect.fnUntraced(function*(principal, id, page) {
        yield* requireChatScope(principal)
        const messages = yield* conversations.messages(principal.account, id, page)
        // The scopes are checked after the messages are read, because an answer may add scopes at any time and never
        // removes them.
        const conversation = yield* findReadableConversation(services, principal, id)
        if (messages === null) return yield* new ConversationNotFound({ conversation: id })
        const hasScope = principal.scopes.includes("write:personal")
        const answers = hasScope ? messages.items.map((message) => message.id) : []
        return { conversation, messages, proposals: yield* proposals.list(principal.account, id, answers) }
      }),
      findProposal: (principal, id) => findProposal(proposalServices, principal, id),
      // The fibre of an acceptance continues if the caller is interrupted.
      acceptProposal: (principal, id) =>
        Effect.flatMap(FiberSet.run(acceptances, acceptProposal(proposalServices, principal, id)), Fiber.join),
      dismissProposal: (principal, id) => dismissProposal(proposalServices, principal, id),
      remove: Effect.fnUntraced(function*(principal, id) {
        yield* findReadableConversation(services, principal, id)
        const removed = yield* conversations.remove(principal.account, id)
        if (removed === "absent") return yield* new ConversationNotFound({ conversation: id })
        if (removed === "running") return yield* new ConversationBusy({ conversation: id })
      })
    })
  })
)

const sweepLimit = 200

/**
 * Wakes generations without a runner, ends the answers of suspended and closed accounts, closes ended generations, and
 * deletes old data periodically on each node.
 */
export const layerAgentMaintenance: Layer.Layer<never, never, GenerationRunner | GenerationStore> = Layer.effectDiscard(
  Effect.gen(function*() {
    const generations = yield* GenerationStore
    const runner = yield* GenerationRunner
    const timing = yield* AgentTiming
    const { closeAfterMs, keepLogsMs, keepRowsMs, searchIntervalMs, staleMs, sweepIntervalMs, untakenMs } = timing
    const repeatEvery = (ms: number, description: string, task: Effect.Effect<void, StoreUnavailable>) =>
      task.pipe(
        Effect.catchCause((cause) => Effect.logWarning(`${description} failed`, cause)),
        Effect.andThen(Effect.sleep(ms)),
        Effect.forever,
        Effect.forkScoped
      )
    yield* repeatEvery(
      searchIntervalMs,
      "Searching for abandoned generations",
      Effect.flatMap(
        generations.listAbandoned({ staleMs, untakenMs, limit: sweepLimit }),
        (abandoned) => Effect.forEach(abandoned, ({ id }) => runner.wake(id, { abandoned: true }), { discard: true })
      )
    )
    yield* repeatEvery(
      searchIntervalMs,
      "Ending the answers of suspended accounts",
      Effect.flatMap(
        generations.listInactive(sweepLimit),
        (inactive) =>
          Effect.forEach(
            inactive,
            ({ id }) =>
              endGeneration({ generations, runner }, id, { outcome: "failed", failure: "answer_account_suspended" }),
            {
              discard: true
            }
          )
      )
    )
    yield* repeatEvery(
      sweepIntervalMs,
      "Sweeping generations",
      generations.sweep({ closeAfterMs, keepLogsMs, keepRowsMs, limit: sweepLimit })
    )
  })
)
