import { Clock, Effect, Exit, Schedule } from "effect"
import { type Plans, plansAbove } from "../../engine/access/plan.ts"
import {
  ChargeInDoubt,
  IdempotencyKeyReused,
  InvalidArguments,
  OverLimit,
  RequestInProgress,
  type ScopeRequired
} from "../../engine/call/errors.ts"
import { fingerprint } from "../../engine/call/fingerprint.ts"
import { PublicAddress } from "../../engine/call/PublicAddress.ts"
import type { Ledger } from "../../engine/credits/Ledger.ts"
import type { Admission, Idempotency, Recollection } from "../../engine/credits/LedgerStore.ts"
import { say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { StoreUnavailable } from "../../engine/store/StoreUnavailable.ts"
import { operations } from "../../engine/tool/catalogue.ts"
import type { Toolbox } from "../../engine/tool/Toolbox.ts"
import type { ChatMessage, Conversation } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import type { GenerationRunner } from "../GenerationRunner.ts"
import type { GenerationStore, Place, Start, StartRequest } from "../GenerationStore.ts"
import { languageOfAnswer } from "../language/detectLanguage.ts"
import { titleOf } from "../language/title.ts"
import type { Timing } from "../run/AgentTiming.ts"
import type { Begun } from "./Analyst.ts"
import {
  personalScopesOf,
  readableScopes,
  requireAll,
  requireFollowable,
  requireReadable
} from "./conversationScopes.ts"
import {
  type AnswerRefusal,
  ConversationBusy,
  ConversationNotFound,
  ConversationWentOn,
  DailyQuotaReached
} from "./errors.ts"
import { judge, type Question } from "./judge.ts"
import type { Ask } from "./request.ts"

const [{ credits: price, name: operation }] = operations

/** How long an idempotency key returns its first answer, in ms. */
const retainMs = 86_400_000
/** The page size of the search for the last question. */
const reach = 50
/** The retries of a start in doubt, from 50 ms on. */
const patience = { schedule: Schedule.exponential("50 millis"), times: 6 } as const

/** The services and settings that begin answers. */
export interface Desk {
  readonly ledger: Ledger["Service"]
  readonly plans: Plans["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly generations: GenerationStore["Service"]
  readonly runner: GenerationRunner["Service"]
  readonly timing: Timing
  readonly toolbox: Toolbox["Service"]
}

const wrong = ({ language = "en" }: Ask, path: string, message: Parameters<typeof say>[0]) =>
  new InvalidArguments({ issues: [{ path: [path], message: say(message, language) }] })

/** A question with its place, once the conversation is known to exist. */
interface Placed {
  readonly place: Place
  readonly text: string
  readonly conversation: Conversation | null
}

/** Returns the last question of a conversation, which may be followed by any number of task reports. */
const lastQuestion = Effect.fnUntraced(function*(
  { conversations }: Desk,
  account: number,
  conversation: number
): Effect.fn.Return<ChatMessage | undefined, StoreUnavailable> {
  for (let upTo: number | null = null;;) {
    const memory = yield* conversations.memory(account, conversation, { upTo, limit: reach })
    const messages: ReadonlyArray<ChatMessage> = memory?.messages ?? []
    const found = messages.findLast(({ role }) => role === "user")
    if (found !== undefined || messages.length < reach) return found
    upTo = messages[0]!.id - 1
  }
})

/** Rejects a question if the conversation no longer ends with the message that the caller saw. */
const notGoneOn = Effect.fnUntraced(function*(
  { conversations }: Desk,
  account: number,
  { conversation, shown }: Question
): Effect.fn.Return<void, ConversationWentOn | StoreUnavailable> {
  if (conversation === null || shown === null) return
  const memory = yield* conversations.memory(account, conversation, { upTo: null, limit: 1 })
  const last = memory?.messages.at(-1)?.id ?? null
  if (last !== shown) return yield* new ConversationWentOn({ shown, last })
})

const placed = Effect.fnUntraced(function*(
  desk: Desk,
  ask: Ask,
  { again, conversation: id, message, mode }: Question
): Effect.fn.Return<Placed, ConversationNotFound | InvalidArguments | ScopeRequired | StoreUnavailable> {
  const { account } = ask.principal
  if (id === null) {
    return {
      place: { _tag: "New", title: titleOf(message), mode: mode ?? "analyst" },
      text: message,
      conversation: null
    }
  }
  const conversation = yield* desk.conversations.find(account, id)
  if (conversation === null) return yield* new ConversationNotFound({ conversation: id })
  yield* requireReadable(ask.principal, conversation.scopes)
  if (mode !== null && mode !== conversation.mode) {
    return yield* wrong(ask, "mode", { key: "mode_of_conversation", params: { mode: conversation.mode } })
  }
  if (!again) return { place: { _tag: "Existing", conversation: id, mode }, text: message, conversation }
  const last = yield* lastQuestion(desk, account, id)
  if (last === undefined) return yield* wrong(ask, "regenerate", { key: "regenerate_needs_conversation" })
  return { place: { _tag: "Again", conversation: id, mode }, text: last.content, conversation }
})

/** Returns the result of a request whose idempotency key is already in use. */
const recalled = Effect.fnUntraced(function*(
  { generations }: Desk,
  account: number,
  key: string,
  found: Recollection
): Effect.fn.Return<Begun, IdempotencyKeyReused | RequestInProgress | StoreUnavailable> {
  if (found._tag === "Reused") return yield* new IdempotencyKeyReused()
  const generation = yield* generations.byKey(account, key)
  // A reservation without its answer belongs to a request that is about to begin or has died. An older failed or
  // cancelled answer of the key is not its answer.
  const isBegun = generation !== null && (found._tag === "Replayed" ||
    (generation.outcome !== "failed" && generation.outcome !== "cancelled"))
  return !isBegun
    ? yield* new RequestInProgress({
      // An older version of the service uses a much longer lease.
      retryAfterMs: found._tag === "InProgress" ? Math.min(10_000, found.lapsesInMs) : 1_000
    })
    : { generation, replayed: true }
})

/** Fails with the error of an answer that was not admitted. */
const refusal = (
  { plans }: Desk,
  admission: Extract<Admission, { readonly _tag: "Refused" | "QuotaReached" | "NoAccount" }>,
  account: number,
  quota: number
): Effect.Effect<never, OverLimit | DailyQuotaReached> => {
  switch (admission._tag) {
    case "Refused": {
      const { allotted, creditsLeft: credits_left, renewsAt } = admission
      return Effect.fail(
        new OverLimit({ price, credits_left, upgrades: plansAbove(plans.table, allotted), renewsAt })
      )
    }
    case "QuotaReached":
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.fail(
          new DailyQuotaReached({ quota, renewsAt: admission.renewsAt, retryAfterMs: admission.renewsAt - now })
        ))
    case "NoAccount":
      return Effect.die(new Error(`account ${account} is gone`))
  }
}

/** Converts the result of a start for the caller. `reserved` is the entry of this request's reservation. */
const outcome = (
  ask: Ask,
  start: Start,
  reserved: number,
  conversation: number
): Effect.Effect<Begun, ChargeInDoubt | ConversationNotFound | ConversationBusy | InvalidArguments> => {
  switch (start._tag) {
    case "Started":
    case "Attached":
      return Effect.succeed({
        generation: start.generation,
        // An answer that this same request began, before a retry, is not a replay.
        replayed: start.generation.reservation.entry !== reserved
      })
    case "NoConversation":
      return Effect.fail(new ConversationNotFound({ conversation }))
    case "Busy":
      return Effect.fail(new ConversationBusy({ conversation }))
    case "OtherMode":
      return Effect.fail(wrong(ask, "mode", { key: "mode_of_conversation", params: { mode: start.mode } }))
    case "NoQuestion":
      return Effect.fail(wrong(ask, "regenerate", { key: "regenerate_needs_conversation" }))
    case "Lapsed":
      // An earlier attempt may have been stored, and its answer may have ended and been charged.
      return Effect.fail(new ChargeInDoubt({ cause: new Error("The reservation ended before the start was known") }))
  }
}

type Admitted = Extract<Admission, { readonly _tag: "Admitted" }>

/** A retried start can find the generation that its first try stored. This is not a conflict. */
const notItself = (
  { generations }: Desk,
  start: Start,
  { reservation }: Admitted
): Effect.Effect<Start, StoreUnavailable> =>
  start._tag !== "Busy"
    ? Effect.succeed(start)
    : Effect.map(generations.find(start.generation), (generation) =>
      generation?.reservation.entry === reservation.entry ? { _tag: "Attached", generation } : start)

/** Starts an admitted answer and wakes a runner. Releases the reservation if nothing runs under it. */
const started = Effect.fnUntraced(function*(
  desk: Desk,
  ask: Ask,
  request: StartRequest,
  admitted: Admitted,
  conversation: number
): Effect.fn.Return<
  Begun,
  ConversationNotFound | ConversationBusy | InvalidArguments | ChargeInDoubt
> {
  const { generations, ledger, runner } = desk
  const { reservation } = admitted
  const starting = Effect.flatMap(generations.start(request), (start) => notItself(desk, start, admitted))
  const start = yield* Effect.retry(starting, patience).pipe(
    // The start may have been stored; then the generation is found, run and charged. Otherwise the reservation expires.
    Effect.mapError((cause) => new ChargeInDoubt({ cause }))
  )
  const begun = yield* Effect.exit(outcome(ask, start, reservation.entry, conversation))
  if (Exit.isSuccess(begun) && !begun.value.replayed) yield* runner.wake(begun.value.generation.id)
  else yield* Effect.ignore(ledger.release(reservation))
  return yield* begun
})

/** Builds the start request of a question. */
const requestOf = (
  { idempotencyKey, principal }: Ask,
  { again, coin, facts, images, message, shown }: Question,
  place: Place,
  uses: StartRequest["uses"],
  lang: Language,
  address: string
): Omit<StartRequest, "leaseMs" | "reservation"> => {
  const { account, scopes } = principal
  const all = scopes.includes("read:market") ? scopes : [...scopes, "read:market" as const]
  const said = { charts: [], tools: [], suggestions: [], outcome: null }
  return {
    account,
    place,
    readable: readableScopes(principal),
    uses,
    question: again ? null : { role: "user", content: message, lang, images, ...said },
    brief: {
      principal: { ...principal, scopes: all },
      lang,
      coin,
      facts,
      ...(shown === null ? {} : { shown }),
      ...(address === "" ? {} : { address })
    },
    idempotencyKey: idempotencyKey ?? null
  }
}

/** Begins an answer: checks the request and its place, looks up its key, reserves, starts and wakes a runner. */
const begun = Effect.fnUntraced(function*(desk: Desk, ask: Ask): Effect.fn.Return<Begun, AnswerRefusal> {
  const { generations, ledger, plans, timing } = desk
  const { idempotencyKey: key, principal } = ask
  const { account, actor } = principal
  const question = yield* judge(ask)
  const uses = personalScopesOf(desk.toolbox, Object.keys(question.facts))
  yield* requireAll(principal.scopes, uses)
  const { conversation, place, text } = yield* placed(desk, ask, question)
  const idempotency: Idempotency | null = key === undefined
    ? null
    : { key, fingerprint: yield* fingerprint(operation, ask.request), retainMs }
  const found = idempotency === null ? null : yield* ledger.recall(account, idempotency)
  if (found !== null && key !== undefined) return yield* recalled(desk, account, key, found)
  const id = conversation?.id ?? 0
  if (conversation !== null && (yield* generations.running(account, id)) !== null) {
    return yield* new ConversationBusy({ conversation: id })
  }
  yield* notGoneOn(desk, account, question)
  const { answers_per_day: quota } = yield* plans.of(principal)
  const lang = languageOfAnswer(question.lang, text, conversation?.lang ?? null)
  const request = requestOf(ask, question, place, uses, lang, yield* PublicAddress)
  // Uninterruptible from the reservation on: the reserved answer either runs, or its credits are released.
  return yield* Effect.uninterruptible(Effect.gen(function*() {
    const admission = yield* ledger.reserve({
      account,
      actor,
      tool: operation,
      credits: price,
      ttlMs: timing.startMs,
      idempotency,
      quota: { max: quota }
    })
    switch (admission._tag) {
      case "Admitted":
        return yield* started(
          desk,
          ask,
          { ...request, reservation: admission.reservation, leaseMs: timing.reservationMs },
          admission,
          id
        )
      case "Replayed":
      case "InProgress":
      case "Reused":
        return yield* recalled(desk, account, key ?? "", admission)
      default:
        return yield* refusal(desk, admission, account, quota)
    }
  }))
})

/**
 * Begins an answer, or returns the one that the key already began. Fails with `ConversationNotFound` if that answer was
 * deleted with its conversation.
 */
export const begin = Effect.fnUntraced(function*(desk: Desk, ask: Ask): Effect.fn.Return<Begun, AnswerRefusal> {
  const found = yield* begun(desk, ask)
  if (!found.replayed) return found
  const { account, conversation: id, state } = found.generation
  const conversation = yield* desk.conversations.find(account, id)
  if (conversation === null) return yield* new ConversationNotFound({ conversation: id })
  if (state === "running") yield* requireFollowable(ask.principal, found.generation)
  yield* requireReadable(ask.principal, conversation.scopes)
  return found
})
