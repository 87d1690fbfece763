import { say } from "../../messages/language.ts"
import type { NewChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { End } from "../GenerationStore.ts"
import type { Shown } from "./shown.ts"
import type { Verdict } from "./state.ts"
import { addUsage, type CallResult, consumedBy, type DoneStep, type ModelStep } from "./steps.ts"

/** What an ending is made from. */
export interface Finish {
  readonly generation: Generation
  readonly verdict: Verdict
  readonly shown: Shown
  readonly done: ReadonlyArray<DoneStep>
  /** The step that it had come to, and what that one consumed, when it was still under way. */
  readonly step: number
  readonly usage: ModelStep["usage"]
  /** What an answer that is being replaced had written. */
  readonly carried: ReadonlyArray<ToolNote>
  readonly tookMs: number
  /** Events that are still to be shown before the last ones. */
  readonly pending: ReadonlyArray<GenerationEvent>
}

const noteOf = ({ name, ok, proposed, text, wrote }: CallResult): ToolNote => ({
  name,
  ok,
  ...(wrote === true ? { wrote: text } : {}),
  ...(proposed === undefined ? {} : { proposed })
})

/** The tools that steps called, as the message of the answer keeps them. */
export const toolNotes = (done: ReadonlyArray<DoneStep>): ReadonlyArray<ToolNote> =>
  done.flatMap(({ calls, results }) =>
    calls.map(({ callId, name }) => {
      const result = results.get(callId)
      return result === undefined ? { name, ok: false } : noteOf(result)
    })
  )

/** What called tools is kept, though it said nothing: it may have written, and who answers again must know. */
const answerOf = ({ carried, done, generation, shown, verdict }: Finish): NewChatMessage | null =>
  shown.text === "" && done.every(({ calls }) => calls.length === 0) && verdict.outcome !== "finished"
    ? null
    : {
      role: "assistant",
      content: shown.text,
      lang: generation.brief.lang,
      images: [],
      charts: shown.charts,
      tools: [...carried, ...toolNotes(done)],
      suggestions: [],
      outcome: verdict.outcome
    }

/**
 * How a generation ends: what was shown is the answer, tools that are open are closed, and `done` says what it cost.
 * One that was cancelled is charged when anything of it had been shown, one that failed never is, and one whose
 * reservation had lapsed is not either.
 */
export const endOf = (finish: Finish): End => {
  const { done, generation, pending, shown, step, tookMs, usage, verdict } = finish
  const { brief: { lang }, conversation, reservation } = generation
  const isCharged = verdict.outcome === "finished" || (verdict.outcome === "cancelled" && shown.output)
  const unfinished: ReadonlyArray<GenerationEvent> = shown.open.map(({ callId, name }) => ({
    kind: "tool_done",
    data: { call_id: callId, name, ok: false, took_ms: 0 }
  }))
  const url = shown.charts.at(-1)
  const consumed = consumedBy(done)
  return {
    outcome: verdict.outcome,
    answer: answerOf(finish),
    settlement: isCharged ? { _tag: "Settle", answer: null } : { _tag: "Release" },
    consumed: { ...consumed, ...addUsage(consumed, usage), steps: Math.max(step, consumed.steps) },
    events: (ending) => {
      const isPaid = isCharged && (ending._tag === "Ended" || ending.how === "settled")
      return [...pending, ...unfinished, {
        kind: "done",
        data: {
          conversation_id: conversation,
          outcome: verdict.outcome,
          lang,
          took_ms: Math.max(0, Math.round(tookMs)),
          credits_used: isPaid ? reservation.credits : 0,
          credits_left: ending.creditsLeft,
          ...(url === undefined ? {} : { url }),
          ...(verdict.failure === null
            ? {}
            : { error: { code: verdict.failure.replace("answer_", ""), message: say({ key: verdict.failure }, lang) } })
        }
      }]
    },
    open: verdict.outcome === "finished"
  }
}
