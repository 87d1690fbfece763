import { Effect } from "effect"
import type { GenerationStore } from "../../../agent/GenerationStore.ts"
import type { Analyst } from "../../../agent/service/Analyst.ts"
import type { StartAnswerError } from "../../../agent/service/errors.ts"
import type { Principal } from "../../../engine/access/account.ts"
import type { StoreUnavailable } from "../../../engine/store/errors.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing, FiringFence } from "../firing.ts"
import type { TaskStore } from "../TaskStore.ts"
import type { RefusalReason } from "./firingEnds.ts"
import type { TaskTimes } from "./TaskTiming.ts"

export interface AnswerStartServices {
  readonly tasks: typeof TaskStore["Service"]
  readonly analyst: Analyst["Service"]
  readonly generations: GenerationStore["Service"]
  readonly timing: TaskTimes
}

export type StartOutcome =
  | { readonly _tag: "Started"; readonly generation: number }
  | { readonly _tag: "Refused"; readonly refused: RefusalReason }
  /** No answer was started. After `Postponed`, the firing stays unfinished, and a process takes it over later. */
  | { readonly _tag: "Failed" | "KeyGone" | "Postponed" }

/**
 * Returns the idempotency key of a firing's question. A resumed firing uses the same key. The key begins
 * with a space, so no HTTP header value can equal the key.
 */
export const makeIdempotencyKey = (firing: number): string => ` task firing ${firing}`

/** Maps an error of the analyst to the outcome of the start, or to the next step: retry, or use a new conversation. */
const toStartOutcome = (error: StartAnswerError): StartOutcome | "retry" | "new conversation" | "busy" => {
  switch (error._tag) {
    case "OverLimit":
      return { _tag: "Refused", refused: { reason: "credits", renewsAt: error.renewsAt } }
    case "DailyQuotaReached":
      return { _tag: "Refused", refused: { reason: "answers", renewsAt: error.renewsAt } }
    case "ScopeRequired":
      return { _tag: "KeyGone" }
    case "ConversationBusy":
      return "busy"
    case "ConversationNotFound":
      return "new conversation"
    case "InvalidArguments":
    case "UserIdNotAccepted":
      return { _tag: "Failed" }
    default:
      return "retry"
  }
}

/**
 * Sends the firing's question to the analyst once, or returns the generation that an earlier runner started. If an
 * answer cannot start now and `maxStartMs` have not passed since the claim, returns `Postponed`.
 */
export const startAnswerForFiring = Effect.fnUntraced(function*(
  { analyst, generations, tasks, timing }: AnswerStartServices,
  firing: Firing,
  fence: FiringFence,
  question: string,
  principal: Principal
): Effect.fn.Return<StartOutcome, StoreUnavailable | NoTaskStore> {
  const { account, claimedAt, lang } = firing
  const idempotencyKey = makeIdempotencyKey(firing.id)
  const existingGeneration = yield* generations.findByKey(account, idempotencyKey)
  if (existingGeneration !== null) return { _tag: "Started", generation: existingGeneration.id }
  const startIn = (conversation: number) => {
    const request = { message: question, conversation_id: conversation, lang }
    return Effect.match(analyst.start({ principal, language: lang, idempotencyKey, request }), {
      onSuccess: ({ generation }): StartOutcome => ({ _tag: "Started", generation: generation.id }),
      onFailure: toStartOutcome
    })
  }
  let outcome = yield* startIn(firing.conversation)
  const waitedMs = (yield* tasks.currentTime) - claimedAt
  if (outcome === "new conversation" || (outcome === "busy" && waitedMs >= timing.maxBusyMs)) {
    const newConversation = yield* tasks.assignNewConversation(fence)
    if (newConversation === null) return { _tag: "Postponed" }
    outcome = yield* startIn(newConversation)
  }
  if (typeof outcome !== "string") return outcome
  return { _tag: waitedMs >= timing.maxStartMs ? "Failed" : "Postponed" }
})
