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

/** What asks the analyst. */
export interface AskingDesk {
  readonly tasks: typeof TaskStore["Service"]
  readonly analyst: Analyst["Service"]
  readonly generations: GenerationStore["Service"]
  readonly timing: TaskTimes
}

/** What asking came to. */
export type Begin =
  | { readonly _tag: "Begun"; readonly generation: number }
  | { readonly _tag: "Refused"; readonly refused: Refused }
  /** `Left`: to whoever takes the firing next, in a while. */
  | { readonly _tag: "Failed" | "KeyGone" | "Left" }

/**
 * The key under which a firing asks, however often it is resumed: it begins with a space, which no header can hold, so
 * that no caller's request is taken for it.
 */
export const askingKey = (firing: number): string => ` task firing ${firing}`

/** What is to be done about a refusal: it is what asking came to, or is tried again, here or in a new conversation. */
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
 * Has the analyst asked once: whoever asked before for this firing has begun the answer that is taken. What cannot be
 * begun now is left, so that it takes nobody's place while it waits.
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
