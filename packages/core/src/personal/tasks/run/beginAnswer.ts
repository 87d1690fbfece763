import { Effect } from "effect"
import type { GenerationStore } from "../../../agent/GenerationStore.ts"
import type { Analyst } from "../../../agent/service/Analyst.ts"
import type { AnswerRefusal } from "../../../agent/service/errors.ts"
import type { Principal } from "../../../engine/access/account.ts"
import type { StoreUnavailable } from "../../../engine/store/StoreUnavailable.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing, FiringFence } from "../firing.ts"
import type { TaskStore } from "../TaskStore.ts"
import type { Refused } from "./ends.ts"
import type { TaskTimes } from "./TaskTiming.ts"

/** The services that are needed to ask the analyst. */
export interface AskingDesk {
  readonly tasks: typeof TaskStore["Service"]
  readonly analyst: Analyst["Service"]
  readonly generations: GenerationStore["Service"]
  readonly timing: TaskTimes
}

/** The result of asking the analyst. */
export type Begin =
  | { readonly _tag: "Begun"; readonly generation: number }
  | { readonly _tag: "Refused"; readonly refused: Refused }
  /** `Left`: the firing is left unfinished, so that a process takes it later. */
  | { readonly _tag: "Failed" | "KeyGone" | "Left" }

/**
 * Returns the idempotency key with which a firing asks, the same at each resumption. It begins with a space, which no
 * header value can, so a caller's request never matches it.
 */
export const askingKey = (firing: number): string => ` task firing ${firing}`

/** Maps an error of the analyst to a result, or to what `beginAnswer` does next: retry, or use a new conversation. */
const meant = (refusal: AnswerRefusal): Begin | "again" | "elsewhere" | "busy" => {
  switch (refusal._tag) {
    case "OverLimit":
      return { _tag: "Refused", refused: { reason: "credits", renewsAt: refusal.renewsAt } }
    case "DailyQuotaReached":
      return { _tag: "Refused", refused: { reason: "answers", renewsAt: refusal.renewsAt } }
    case "ScopeRequired":
      return { _tag: "KeyGone" }
    case "ConversationBusy":
      return "busy"
    case "ConversationNotFound":
      return "elsewhere"
    case "InvalidArguments":
    case "UserIdNotAccepted":
      return { _tag: "Failed" }
    default:
      return "again"
  }
}

/**
 * Asks the analyst once. If an earlier runner of this firing has already asked, returns that generation. If an answer
 * cannot begin now, the firing is left, so that it occupies no slot while it waits.
 */
export const beginAnswer = Effect.fnUntraced(function*(
  { analyst, generations, tasks, timing }: AskingDesk,
  firing: Firing,
  fence: FiringFence,
  question: string,
  principal: Principal
): Effect.fn.Return<Begin, StoreUnavailable | NoTaskStore> {
  const { account, claimedAt, lang } = firing
  const idempotencyKey = askingKey(firing.id)
  const known = yield* generations.byKey(account, idempotencyKey)
  if (known !== null) return { _tag: "Begun", generation: known.id }
  const askIn = (conversation: number) => {
    const request = { message: question, conversation_id: conversation, lang }
    return Effect.match(analyst.start({ principal, language: lang, idempotencyKey, request }), {
      onSuccess: ({ generation }): Begin => ({ _tag: "Begun", generation: generation.id }),
      onFailure: meant
    })
  }
  let begun = yield* askIn(firing.conversation)
  const waited = (yield* tasks.time) - claimedAt
  if (begun === "elsewhere" || (begun === "busy" && waited >= timing.busyMs)) {
    const fresh = yield* tasks.rehouse(fence)
    if (fresh === null) return { _tag: "Left" }
    begun = yield* askIn(fresh)
  }
  if (typeof begun !== "string") return begun
  return { _tag: waited >= timing.beginMs ? "Failed" : "Left" }
})
