import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { NewChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationEvent } from "../event.ts"
import { checkAnswer } from "../figures/checkAnswer.ts"
import type { CheckedFigures } from "../figures/figure.ts"
import type { Generation } from "../generation.ts"
import type { GenerationEnd } from "../GenerationStore.ts"
import type { WriteProposal } from "../writeProposal.ts"
import { collectProposals, formatProposals, isSameCall, readProposal } from "./proposals.ts"
import { hasOutput, type ShownOutput } from "./shownOutput.ts"
import type { FailureKey, RunOutcome } from "./state.ts"
import { addUsage, type CallResult, type FinishedStep, type ModelStep, sumConsumption } from "./steps.ts"

export interface EndInput {
  readonly generation: Generation
  readonly runOutcome: RunOutcome
  readonly shownOutput: ShownOutput
  readonly finishedSteps: ReadonlyArray<FinishedStep>
  /** The number of the current step. The token usage of a step in progress is in `usage`. */
  readonly step: number
  readonly usage: ModelStep["usage"]
  readonly replacedWrites: ReadonlyArray<ToolNote>
  /** Texts that the answer may repeat: the user's questions. */
  readonly userTexts: ReadonlyArray<string>
  readonly tookMs: number
  readonly pending: ReadonlyArray<GenerationEvent>
}

/** Returns the proposed writes, or an empty list if the answer's text does not show them. */
const listShownProposals = (
  { replacedWrites, finishedSteps, generation, shownOutput, runOutcome }: EndInput
): ReadonlyArray<WriteProposal> => {
  const proposals = collectProposals(finishedSteps, replacedWrites)
  const text = formatProposals(proposals, generation.brief.lang)
  return runOutcome.outcome === "finished" && text !== "" && shownOutput.text.endsWith(text) ? proposals : []
}

/** Lists the tools that the steps called, and attaches each proposal to the call that made it. */
const listToolNotes = (
  finishedSteps: ReadonlyArray<FinishedStep>,
  proposals: ReadonlyArray<WriteProposal>
): ReadonlyArray<ToolNote> => {
  const unassigned = new Set(proposals)
  const toNote = ({ name, ok, proposed, text, wrote }: CallResult): Omit<ToolNote, "callId"> => {
    const ownProposal = readProposal(name, proposed)
    const proposal = [...unassigned].find((candidate) => ownProposal !== null && isSameCall(candidate, ownProposal))
    if (proposal !== undefined) unassigned.delete(proposal)
    return {
      name,
      ok,
      ...(wrote === true ? { wrote: text } : {}),
      ...(proposal === undefined || proposed === undefined ? {} : { proposed })
    }
  }
  return finishedSteps.flatMap(({ calls, results }) =>
    calls.map(({ callId, name }) => {
      const result = results.get(callId)
      return { ...(result === undefined ? { name, ok: false } : toNote(result)), callId }
    })
  )
}

/**
 * Builds the message that stores the answer. Returns null for an unfinished answer without text and without tool calls.
 */
const buildMessage = (input: EndInput, checked: CheckedFigures | null): NewChatMessage | null => {
  const { replacedWrites, finishedSteps, generation, shownOutput, runOutcome } = input
  return shownOutput.text === "" && finishedSteps.every(({ calls }) => calls.length === 0) &&
      runOutcome.outcome !== "finished"
    ? null
    : {
      role: "assistant",
      content: shownOutput.text,
      lang: generation.brief.lang,
      images: [],
      charts: shownOutput.charts,
      tools: [
        ...replacedWrites.map(({ callId: _, ...note }) => note),
        ...listToolNotes(finishedSteps, listShownProposals(input))
      ],
      suggestions: [],
      outcome: runOutcome.outcome,
      ...checked
    }
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
  const { finishedSteps, generation, pending, shownOutput, step, tookMs, usage, runOutcome } = input
  const { brief: { lang }, conversation, reservation } = generation
  const isCharged = isChargeable(input)
  const openToolEvents: ReadonlyArray<GenerationEvent> = shownOutput.openTools.map(({ callId, name }) => ({
    kind: "tool_done",
    data: { call_id: callId, name, ok: false, took_ms: 0 }
  }))
  const url = shownOutput.charts.at(-1)
  const consumed = sumConsumption(finishedSteps)
  const checked = runOutcome.outcome === "finished" ? checkAnswer(input) : null
  return {
    outcome: runOutcome.outcome,
    answer: buildMessage(input, checked),
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
          took_ms: Math.max(0, Math.round(tookMs)),
          credits_used: isPaid ? reservation.credits : 0,
          credits_left: ending.creditsLeft,
          ...(url === undefined ? {} : { url }),
          ...checked,
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
