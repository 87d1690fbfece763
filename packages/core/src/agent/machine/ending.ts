import { say } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { NewChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation } from "../generation.ts"
import type { End } from "../GenerationStore.ts"
import type { WriteProposal } from "../writes.ts"
import { isSame, proposalIn, proposalsOf, proposalText } from "./proposals.ts"
import { hasOutput, type Shown } from "./shown.ts"
import type { FailureKey, Verdict } from "./state.ts"
import { addUsage, type CallResult, consumedBy, type DoneStep, type ModelStep } from "./steps.ts"

/** The inputs of `endOf`. */
export interface Finish {
  readonly generation: Generation
  readonly verdict: Verdict
  readonly shown: Shown
  readonly done: ReadonlyArray<DoneStep>
  /** The current step. If it was still in progress, `usage` is its consumption. */
  readonly step: number
  readonly usage: ModelStep["usage"]
  /** The writes of the answer that this one replaces. */
  readonly carried: ReadonlyArray<ToolNote>
  readonly tookMs: number
  /** Events that must be shown before the last ones. */
  readonly pending: ReadonlyArray<GenerationEvent>
}

/**
 * Returns the writes that the answer proposed and showed to its reader. A proposal that is not in the answer's text
 * cannot be accepted.
 */
const shownProposals = ({ carried, done, generation, shown, verdict }: Finish): ReadonlyArray<WriteProposal> => {
  const proposals = proposalsOf(done, carried)
  const text = proposalText(proposals, generation.brief.lang)
  return verdict.outcome === "finished" && text !== "" && shown.text.endsWith(text) ? proposals : []
}

/** Lists the tools that steps called, for the message of the answer. Each proposal goes to the call that made it. */
const toolNotes = (done: ReadonlyArray<DoneStep>, proposals: ReadonlyArray<WriteProposal>): ReadonlyArray<ToolNote> => {
  const left = new Set(proposals)
  const noteOf = ({ name, ok, proposed, text, wrote }: CallResult): ToolNote => {
    const own = proposalIn(name, proposed)
    const proposal = [...left].find((one) => own !== null && isSame(one, own))
    if (proposal !== undefined) left.delete(proposal)
    return {
      name,
      ok,
      ...(wrote === true ? { wrote: text } : {}),
      ...(proposal === undefined || proposed === undefined ? {} : { proposed })
    }
  }
  return done.flatMap(({ calls, results }) =>
    calls.map(({ callId, name }) => {
      const result = results.get(callId)
      return result === undefined ? { name, ok: false } : noteOf(result)
    })
  )
}

/**
 * Builds the message of the answer. An answer without text is stored if it called tools: they may have written, and an
 * answer that replaces it must know this.
 */
const answerOf = (finish: Finish): NewChatMessage | null => {
  const { carried, done, generation, shown, verdict } = finish
  return shown.text === "" && done.every(({ calls }) => calls.length === 0) && verdict.outcome !== "finished"
    ? null
    : {
      role: "assistant",
      content: shown.text,
      lang: generation.brief.lang,
      images: [],
      charts: shown.charts,
      tools: [...carried, ...toolNotes(done, shownProposals(finish))],
      suggestions: [],
      outcome: verdict.outcome
    }
}

/**
 * Failures that a request can cause. A request can ask the model to write no answer, so `answer_no_answer` is one of
 * them. The service or the provider causes all other failures, which are free.
 */
const causedByRequest: ReadonlySet<FailureKey | null> = new Set([
  "answer_context_exceeded",
  "answer_filtered",
  "answer_no_answer"
])

/**
 * Decides whether the answer is charged. An answer that the user or the request ended early is charged if the reader
 * still sees output.
 */
const isToBeCharged = ({ shown, verdict: { failure, outcome } }: Finish): boolean =>
  outcome === "finished" || (hasOutput(shown) && (outcome === "cancelled" || causedByRequest.has(failure)))

/** Returns the failure message, in the language of the answer. */
const failureMessage = (failure: FailureKey, isPaid: boolean, lang: Language): string =>
  isPaid ? say({ key: failure }, lang) : `${say({ key: failure }, lang)} ${say({ key: "nothing_charged" }, lang)}`

/**
 * Builds the end of a generation. The shown text is the answer, open tool calls are closed, and `done` contains the
 * cost. An answer whose reservation expired is not charged.
 */
export const endOf = (finish: Finish): End => {
  const { done, generation, pending, shown, step, tookMs, usage, verdict } = finish
  const { brief: { lang }, conversation, reservation } = generation
  const isCharged = isToBeCharged(finish)
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
            : {
              error: {
                code: verdict.failure.slice("answer_".length),
                message: failureMessage(verdict.failure, isPaid, lang)
              }
            })
        }
      }]
    },
    open: verdict.outcome === "finished"
  }
}
