import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { NewChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationEvent } from "../event.ts"
import type { CheckedFigures } from "../figures/figure.ts"
import type { Generation } from "../generation.ts"
import type { GenerationEnd } from "../GenerationStore.ts"
import { listProposals, toShownProposal } from "./proposals.ts"
import { hasOutput, type ShownOutput } from "./shownOutput.ts"
import type { FailureKey, RunOutcome } from "./state.ts"
import { addUsage, type FinishedStep, type ModelStep, sumConsumption } from "./steps.ts"

export interface EndInput {
  readonly generation: Generation
  readonly runOutcome: RunOutcome
  readonly shownOutput: ShownOutput
  readonly finishedSteps: ReadonlyArray<FinishedStep>
  /** The number of the current step. The token usage of a step in progress is in `usage`. */
  readonly step: number
  readonly usage: ModelStep["usage"]
  readonly replacedWrites: ReadonlyArray<ToolNote>
  /** The checked numbers of a finished answer, or null if the answer was not checked. */
  readonly checkedFigures: CheckedFigures | null
  /** The disclaimer of the model in the language of the answer, or null if the model has none. */
  readonly disclaimer: string | null
  readonly tookMs: number
  readonly pending: ReadonlyArray<GenerationEvent>
}

/** Lists the tools that the steps called. */
const listToolNotes = (finishedSteps: ReadonlyArray<FinishedStep>): ReadonlyArray<ToolNote> =>
  finishedSteps.flatMap(({ calls, results }) =>
    calls.map(({ callId, name }) => {
      const { ok = false, text, wrote } = results.get(callId) ?? {}
      return { name, ok, ...(wrote === true && text !== undefined ? { wrote: text } : {}), callId }
    })
  )

/**
 * Builds the message that stores the answer. Returns null for an unfinished answer without text and without tool calls.
 */
const buildMessage = (
  { checkedFigures, disclaimer, replacedWrites, finishedSteps, generation, shownOutput, runOutcome }: EndInput
): NewChatMessage | null =>
  shownOutput.text === "" && finishedSteps.every(({ calls }) => calls.length === 0) &&
    runOutcome.outcome !== "finished"
    ? null
    : {
      role: "assistant",
      content: shownOutput.text,
      lang: generation.brief.lang,
      images: [],
      charts: shownOutput.charts,
      tools: [...replacedWrites.map(({ callId: _, ...note }) => note), ...listToolNotes(finishedSteps)],
      suggestions: [],
      outcome: runOutcome.outcome,
      ...(disclaimer === null ? {} : { disclaimer }),
      ...checkedFigures
    }

/** Failures for which an answer with visible output is charged, because the user's request can cause them. */
const failuresCausedByRequest: ReadonlySet<FailureKey | null> = new Set([
  "answer_context_exceeded",
  "answer_filtered",
  // A user can instruct the model to write no answer.
  "answer_no_answer"
])

/**
 * Returns whether the account is charged for the answer. A finished answer is always charged. A cancelled answer, or an
 * answer that failed because of the request, is charged if it shows output.
 */
const isChargeable = ({ shownOutput, runOutcome: { failure, outcome } }: EndInput): boolean =>
  outcome === "finished" ||
  (hasOutput(shownOutput) && (outcome === "cancelled" || failuresCausedByRequest.has(failure)))

const formatFailure = (failure: FailureKey, reason: string | undefined, isPaid: boolean, lang: Language): string =>
  [
    formatMessage({ key: failure }, lang),
    ...(reason === undefined ? [] : [reason]),
    ...(isPaid ? [] : [formatMessage({ key: "nothing_charged" }, lang)])
  ].join(" ")

/**
 * Builds the end of a generation. The text shown so far becomes the answer, and open tool calls are reported as failed.
 */
export const buildEnd = (input: EndInput): GenerationEnd => {
  const { checkedFigures, disclaimer, finishedSteps, generation, pending, shownOutput, step, usage, runOutcome } = input
  const { brief: { lang }, conversation, id, reservation } = generation
  const isCharged = isChargeable(input)
  const openToolEvents: ReadonlyArray<GenerationEvent> = shownOutput.openTools.map(({ callId, name }) => ({
    kind: "tool_done",
    data: { call_id: callId, name, ok: false, took_ms: 0 }
  }))
  const url = shownOutput.charts.at(-1)
  const consumed = sumConsumption(finishedSteps)
  const proposals = runOutcome.outcome === "finished" ? listProposals(finishedSteps, lang) : []
  return {
    outcome: runOutcome.outcome,
    answer: buildMessage(input),
    proposals,
    settlement: isCharged ? { _tag: "Settle", response: null } : { _tag: "Release" },
    consumed: { ...consumed, ...addUsage(consumed, usage), steps: Math.max(step, consumed.steps) },
    events: (ending) => {
      const isPaid = isCharged && (ending._tag === "Ended" || ending.outcome === "settled")
      return [...pending, ...openToolEvents, {
        kind: "done",
        data: {
          conversation_id: conversation,
          outcome: runOutcome.outcome,
          lang,
          took_ms: Math.max(0, Math.round(input.tookMs)),
          credits_used: isPaid ? reservation.credits : 0,
          credits_left: ending.creditsLeft,
          ...(url === undefined ? {} : { url }),
          ...(disclaimer === null ? {} : { disclaimer }),
          ...checkedFigures,
          ...(proposals.length === 0 ? {} : { proposals: proposals.map((proposal) => toShownProposal(id, proposal)) }),
          ...(runOutcome.failure === null
            ? {}
            : {
              error: {
                code: runOutcome.failure.slice("answer_".length),
                message: formatFailure(runOutcome.failure, runOutcome.reason, isPaid, lang)
              }
            })
        }
      }]
    },
    isOpen: runOutcome.outcome === "finished"
  }
}
