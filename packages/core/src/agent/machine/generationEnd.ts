import { formatMessage } from "../../engine/messages/language.ts"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { NewChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationEvent } from "../event.ts"
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
  /** The number of the current step. If the step is still in progress, `usage` contains its token usage. */
  readonly step: number
  readonly usage: ModelStep["usage"]
  readonly replacedWrites: ReadonlyArray<ToolNote>
  readonly tookMs: number
  readonly pending: ReadonlyArray<GenerationEvent>
}

/**
 * Returns the writes that the answer proposed and showed to the user. A proposal that is missing from the answer's text
 * cannot be accepted.
 */
const listShownProposals = (
  { replacedWrites, finishedSteps, generation, shownOutput, runOutcome }: EndInput
): ReadonlyArray<WriteProposal> => {
  const proposals = collectProposals(finishedSteps, replacedWrites)
  const text = formatProposals(proposals, generation.brief.lang)
  return runOutcome.outcome === "finished" && text !== "" && shownOutput.text.endsWith(text) ? proposals : []
}

/**
 * Lists the tools that the steps called, for the message of the answer. Each proposal is attached to the call that made
 * it.
 */
const listToolNotes = (
  finishedSteps: ReadonlyArray<FinishedStep>,
  proposals: ReadonlyArray<WriteProposal>
): ReadonlyArray<ToolNote> => {
  const unassigned = new Set(proposals)
  const toNote = ({ name, ok, proposed, text, wrote }: CallResult): ToolNote => {
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
      return result === undefined ? { name, ok: false } : toNote(result)
    })
  )
}

/**
 * Builds the message of the answer. An answer without text is stored if it called tools. The tools may have written,
 * and a later answer that replaces the message must know these writes.
 */
const buildMessage = (input: EndInput): NewChatMessage | null => {
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
      tools: [...replacedWrites, ...listToolNotes(finishedSteps, listShownProposals(input))],
      suggestions: [],
      outcome: runOutcome.outcome
    }
}

/**
 * Failures that a request can cause. A request can ask the model to write no answer, so the set contains
 * `answer_no_answer`. The service or the provider causes all other failures, which are free.
 */
const failuresCausedByRequest: ReadonlySet<FailureKey | null> = new Set([
  "answer_context_exceeded",
  "answer_filtered",
  "answer_no_answer"
])

/**
 * Decides whether the answer is charged. An answer that the user or the request ended early is charged if the user
 * still sees output.
 */
const isChargeable = ({ shownOutput, runOutcome: { failure, outcome } }: EndInput): boolean =>
  outcome === "finished" ||
  (hasOutput(shownOutput) && (outcome === "cancelled" || failuresCausedByRequest.has(failure)))

const formatFailure = (failure: FailureKey, isPaid: boolean, lang: Language): string =>
  isPaid
    ? formatMessage({ key: failure }, lang)
    : `${formatMessage({ key: failure }, lang)} ${formatMessage({ key: "nothing_charged" }, lang)}`

/**
 * Builds the end of a generation. The shown text becomes the answer, open tool calls are closed, and `done` contains
 * the cost. An answer whose reservation expired is not charged.
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
  return {
    outcome: runOutcome.outcome,
    answer: buildMessage(input),
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
          ...(runOutcome.failure === null
            ? {}
            : {
              error: {
                code: runOutcome.failure.slice("answer_".length),
                message: formatFailure(runOutcome.failure, isPaid, lang)
              }
            })
        }
      }]
    },
    isOpen: runOutcome.outcome === "finished"
  }
}
