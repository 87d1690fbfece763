import { Clock, Effect, Exit, Schedule } from "effect"
import { type Plans, plansWithMoreCredits } from "../../engine/access/plan.ts"
import {
  ChargeInDoubt,
  IdempotencyKeyReused,
  type InvalidArguments,
  KeyOverLimit,
  OverLimit,
  RequestInProgress,
  type ScopeRequired,
  toInvalidArguments
} from "../../engine/call/errors.ts"
import { fingerprint } from "../../engine/call/fingerprint.ts"
import { PublicBaseUrl } from "../../engine/call/PublicBaseUrl.ts"
import type { Ledger } from "../../engine/credits/Ledger.ts"
import type { IdempotencyState } from "../../engine/credits/LedgerStore.ts"
import type { Admission, Idempotency } from "../../engine/credits/reservation.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import { pricedOperations } from "../../engine/tool/catalogue.ts"
import type { Toolbox } from "../../engine/tool/Toolbox.ts"
import type { ChatMessage, Conversation } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { GenerationRunner } from "../GenerationRunner.ts"
import type { GenerationStore, QuestionTarget, StartRequest, StartResult } from "../GenerationStore.ts"
import { chooseLanguage } from "../language/detectLanguage.ts"
import { makeTitle } from "../language/title.ts"
import type { ProposalStore } from "../ProposalStore.ts"
import type { Timing } from "../run/AgentTiming.ts"
import type { StartedAnswer } from "./Analyst.ts"
import { findAcceptedProposal } from "./confirmation.ts"
import {
  listPersonalScopes,
  listReadableScopes,
  requireFollowable,
  requireReadable,
  requireScopes
} from "./conversationScopes.ts"
import {
  ConversationBusy,
  ConversationChanged,
  ConversationNotFound,
  DailyQuotaReached,
  type StartAnswerError
} from "./errors.ts"
import type { AskRequest } from "./request.ts"
import { type Question, validateRequest } from "./validateRequest.ts"

const [{ credits: price, name: operation }] = pricedOperations

/** The time for which an idempotency key returns its first answer, in ms. */
const idempotencyRetentionMs = 86_400_000
const historyPageSize = 50
/** Retries a start whose result is unknown, with exponential pauses that start at 50 ms. */
const retryPolicy = { schedule: Schedule.exponential("50 millis"), times: 6 } as const

export interface AnswerServices {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly generations: GenerationStore["Service"]
  readonly runner: GenerationRunner["Service"]
  readonly timing: Timing
  readonly toolbox: Toolbox["Service"]
  readonly proposals: ProposalStore["Service"]
}

const makeInvalidArguments = (
  { language = "en" }: AskRequest,
  path: string,
  message: Parameters<typeof formatMessage>[0]
) => toInvalidArguments([{ path: [path], message: formatMessage(message, language) }], language)

interface ResolvedQuestion {
  readonly target: QuestionTarget
  readonly text: string
  readonly conversation: Conversation | null
}

/** Returns the last question of a conversation, even if any number of task reports follow the question. */
const findLastQuestion = Effect.fnUntraced(function*(
  { conversations }: AnswerServices,
  account: number,
  conversation: number
): Effect.fn.Return<ChatMessage | undefined, StoreUnavailable> {
  for (let upTo: number | null = null;;) {
    const memory = yield* conversations.readHistory(account, conversation, { upTo, limit: historyPageSize })
    const messages: ReadonlyArray<ChatMessage> = memory?.messages ?? []
    const question = messages.findLast(({ role }) => role === "user")
    if (question !== undefined || messages.length < historyPageSize) return question
    upTo = messages[0]!.id - 1
  }
})

/** Rejects a question if the conversation no longer ends with the message that the caller saw. */
const requireUnchanged = Effect.fnUntraced(function*(
  { conversations }: AnswerServices,
  account: number,
  { conversation, lastSeenMessage }: Question
): Effect.fn.Return<void, ConversationChanged | StoreUnavailable> {
  if (conversation === null || lastSeenMessage === null) return
  const memory = yield* conversations.readHistory(account, conversation, { upTo: null, limit: 1 })
  const last = memory?.messages.at(-1)?.id ?? null
  if (last !== lastSeenMessage) return yield* new ConversationChanged({ shown: lastSeenMessage, last })
})

const resolveQuestion = Effect.fnUntraced(function*(
  services: AnswerServices,
  askRequest: AskRequest,
  { isRegeneration, conversation: id, message, mode }: Question
): Effect.fn.Return<ResolvedQuestion, ConversationNotFound | InvalidArguments | ScopeRequired | StoreUnavailable> {
  const { account } = askRequest.principal
  if (id === null) {
    return {
      target: { _tag: "New", title: makeTitle(message), mode: mode ?? "analyst" },
      text: message,
      conversation: null
    }
  }
  const conversation = yield* services.conversations.find(account, id)
  if (conversation === null) return yield* new ConversationNotFound({ conversation: id })
  yield* requireReadable(askRequest.principal, conversation.scopes)
  if (mode !== null && mode !== conversation.mode) {
    return yield* makeInvalidArguments(askRequest, "mode", {
      key: "mode_of_conversation",
      params: { mode: conversation.mode }
    })
  }
  if (!isRegeneration) return { target: { _tag: "Existing", conversation: id, mode }, text: message, conversation }
  const last = yield* findLastQuestion(services, account, id)
  if (last === undefined) {
    return yield* makeInvalidArguments(askRequest, "regenerate", { key: "regenerate_needs_conversation" })
  }
  return { target: { _tag: "Again", conversation: id, mode }, text: last.content, conversation }
})

const resolveRecalled = Effect.fnUntraced(function*(
  { generations }: AnswerServices,
  account: number,
  key: string,
  recollection: IdempotencyState
): Effect.fn.Return<StartedAnswer, IdempotencyKeyReused | RequestInProgress | StoreUnavailable> {
  if (recollection._tag === "Reused") return yield* new IdempotencyKeyReused()
  const generation = yield* generations.findByKey(account, key)
  // A reservation without a running or charged answer belongs to a request that is starting or whose process crashed.
  const isStarted = generation !== null && (recollection._tag === "Replayed" ||
    (generation.outcome !== "failed" && generation.outcome !== "cancelled"))
  return !isStarted
    ? yield* new RequestInProgress({
      // `lapsesInMs` is much longer if an older version of the service made the reservation.
      retryAfterMs: recollection._tag === "InProgress" ? Math.min(10_000, recollection.lapsesInMs) : 1_000
    })
    : { generation, replayed: true }
})

/** Fails with the error that explains why the ledger did not admit the answer. */
const failAdmission = (
  { plans }: AnswerServices,
  admission: Extract<Admission, { readonly _tag: "Refused" | "KeyLimitReached" | "QuotaReached" | "NoAccount" }>,
  account: number,
  quota: number
): Effect.Effect<never, OverLimit | KeyOverLimit | DailyQuotaReached> => {
  switch (admission._tag) {
    case "Refused": {
      const { monthlyCredits, creditsLeft: credits_left, renewsAt } = admission
      return Effect.fail(
        new OverLimit({ price, credits_left, upgrades: plansWithMoreCredits(plans.table, monthlyCredits), renewsAt })
      )
    }
    case "KeyLimitReached": {
      const { creditsLeft: credits_left, monthlyCredits: monthly_credits, renewsAt } = admission
      return Effect.fail(new KeyOverLimit({ price, credits_left, monthly_credits, renewsAt }))
    }
    case "QuotaReached":
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.fail(
          new DailyQuotaReached({ quota, renewsAt: admission.renewsAt, retryAfterMs: admission.renewsAt - now })
        ))
    case "NoAccount":
      return Effect.die(new Error(`account ${account} does not exist`))
  }
}

/**
 * Converts the result of `GenerationStore.start` to the started answer, or fails with the reason why no answer was
 * started. `reserved` is the ledger entry that reserves the credits of the current request.
 */
const toStartedAnswer = (
  askRequest: AskRequest,
  start: StartResult,
  reserved: number,
  conversation: number
): Effect.Effect<StartedAnswer, ChargeInDoubt | ConversationNotFound | ConversationBusy | InvalidArguments> => {
  switch (start._tag) {
    case "Started":
    case "Attached":
      return Effect.succeed({
        generation: start.generation,
        // An answer that the request started before a retry is not a replay.
        replayed: start.generation.reservation.entry !== reserved
      })
    case "NoConversation":
      return Effect.fail(new ConversationNotFound({ conversation }))
    case "Busy":
      return Effect.fail(new ConversationBusy({ conversation }))
    case "OtherMode":
      return Effect.fail(
        makeInvalidArguments(askRequest, "mode", { key: "mode_of_conversation", params: { mode: start.mode } })
      )
    case "NoQuestion":
      return Effect.fail(makeInvalidArguments(askRequest, "regenerate", { key: "regenerate_needs_conversation" }))
    case "Lapsed":
      // The store may have applied an earlier attempt of the start, whose answer may have ended and been charged.
      return Effect.fail(
        new ChargeInDoubt({ cause: new Error("The reservation ended before the start of the answer was confirmed") })
      )
  }
}

type Admitted = Extract<Admission, { readonly _tag: "Admitted" }>

/** Returns `Attached` instead of `Busy` if an earlier attempt of the same start stored the running generation. */
const attachIfOwn = (
  { generations }: AnswerServices,
  start: StartResult,
  { reservation }: Admitted
): Effect.Effect<StartResult, StoreUnavailable> =>
  start._tag !== "Busy"
    ? Effect.succeed(start)
    : Effect.map(generations.find(start.generation), (generation) =>
      generation?.reservation.entry === reservation.entry ? { _tag: "Attached", generation } : start)

/** Starts an admitted answer and wakes a runner. If no new generation was started, its reservation is released. */
const startReserved = Effect.fnUntraced(function*(
  services: AnswerServices,
  askRequest: AskRequest,
  request: StartRequest,
  admission: Admitted,
  conversation: number
): Effect.fn.Return<
  StartedAnswer,
  ConversationNotFound | ConversationBusy | InvalidArguments | ChargeInDoubt
> {
  const { generations, ledger, runner, timing } = services
  const { reservation } = admission
  const startOnce = Effect.flatMap(generations.start(request), (start) => attachIfOwn(services, start, admission))
  const renewLease = Effect.interruptible(ledger.keepAlive(reservation, timing.startLeaseMs))
  const start = yield* Effect.scoped(
    Effect.andThen(Effect.forkScoped(renewLease), Effect.retry(startOnce, retryPolicy))
  ).pipe(
    // If the start was stored, the generation is found, run and charged; otherwise the reservation expires.
    Effect.mapError((cause) => new ChargeInDoubt({ cause }))
  )
  const startExit = yield* Effect.exit(toStartedAnswer(askRequest, start, reservation.entry, conversation))
  if (Exit.isSuccess(startExit) && !startExit.value.replayed) yield* runner.wake(startExit.value.generation.id)
  else yield* Effect.ignore(ledger.release(reservation))
  return yield* startExit
})

const buildStartRequest = (
  { idempotencyKey, principal }: AskRequest,
  { isRegeneration, coin, facts, images, mayWrite, message }: Question,
  target: QuestionTarget,
  { accepts, address, lang, usedScopes }: {
    readonly accepts: string | null
    readonly address: string
    readonly lang: Language
    readonly usedScopes: StartRequest["usedScopes"]
  }
): Omit<StartRequest, "leaseMs" | "reservation"> => {
  const { account, actor, plan, scopes } = principal
  const effectiveScopes = scopes.includes("read:market") ? scopes : [...scopes, "read:market" as const]
  const emptyMessageFields = { charts: [], tools: [], suggestions: [], outcome: null }
  return {
    account,
    target,
    readableScopes: listReadableScopes(principal),
    usedScopes,
    question: isRegeneration ? null : { role: "user", content: message, lang, images, ...emptyMessageFields },
    brief: {
      principal: { account, actor, plan, scopes: effectiveScopes },
      lang,
      coin,
      facts,
      ...(accepts === null ? {} : { accepts }),
      ...(mayWrite ? { writes: "allow" as const } : {}),
      ...(address === "" ? {} : { address })
    },
    idempotencyKey: idempotencyKey ?? null
  }
}

/** Validates a request, reserves its price, stores the generation and wakes a runner. */
const startNewAnswer = Effect.fnUntraced(
  function*(services: AnswerServices, askRequest: AskRequest): Effect.fn.Return<StartedAnswer, StartAnswerError> {
    const { generations, ledger, plans, timing } = services
    const { idempotencyKey: key, principal } = askRequest
    const { account, actor } = principal
    const question = yield* validateRequest(askRequest)
    const usedScopes = listPersonalScopes(services.toolbox, Object.keys(question.facts))
    yield* requireScopes(principal.scopes, usedScopes)
    const { conversation, target, text } = yield* resolveQuestion(services, askRequest, question)
    const idempotency: Idempotency | null = key === undefined
      ? null
      : { key, fingerprint: yield* fingerprint(operation, askRequest.request), retentionMs: idempotencyRetentionMs }
    const recollection = idempotency === null ? null : yield* ledger.idempotencyState(account, idempotency)
    if (recollection !== null && key !== undefined) return yield* resolveRecalled(services, account, key, recollection)
    const id = conversation?.id ?? 0
    if (conversation !== null && (yield* generations.findRunning(account, id)) !== null) {
      return yield* new ConversationBusy({ conversation: id })
    }
    yield* requireUnchanged(services, account, question)
    const { answers_per_day: quota } = yield* plans.forAccount(principal)
    const lang = chooseLanguage(question.lang, text, conversation?.lang ?? null)
    const isPlainQuestion = !question.isRegeneration && question.images.length === 0
    const accepts = isPlainQuestion
      ? yield* findAcceptedProposal(services, principal, conversation?.id ?? null, question.message)
      : null
    const address = yield* PublicBaseUrl
    const request = buildStartRequest(askRequest, question, target, { accepts, address, lang, usedScopes })
    // The caller cannot interrupt this step, because a reserved answer must either run or have its credits released.
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const admission = yield* ledger.reserve({
        account,
        actor,
        tool: operation,
        credits: price,
        ttlMs: timing.startLeaseMs,
        idempotency,
        quota: { max: quota }
      })
      switch (admission._tag) {
        case "Admitted":
          return yield* startReserved(
            services,
            askRequest,
            { ...request, reservation: admission.reservation, leaseMs: timing.answerLeaseMs },
            admission,
            id
          )
        case "Replayed":
        case "InProgress":
        case "Reused":
          return yield* resolveRecalled(services, account, key ?? "", admission)
        default:
          return yield* failAdmission(services, admission, account, quota)
      }
    }))
  }
)

/**
 * Starts an answer, or returns the answer that the idempotency key already started. Fails with `ConversationNotFound`
 * if the started answer was deleted with its conversation.
 */
export const startAnswer = Effect.fnUntraced(
  function*(services: AnswerServices, askRequest: AskRequest): Effect.fn.Return<StartedAnswer, StartAnswerError> {
    const startedAnswer = yield* startNewAnswer(services, askRequest)
    if (!startedAnswer.replayed) return startedAnswer
    const { account, conversation: id, state } = startedAnswer.generation
    const conversation = yield* services.conversations.find(account, id)
    if (conversation === null) return yield* new ConversationNotFound({ conversation: id })
    if (state === "running") yield* requireFollowable(askRequest.principal, startedAnswer.generation)
    yield* requireReadable(askRequest.principal, conversation.scopes)
    return startedAnswer
  }
)
