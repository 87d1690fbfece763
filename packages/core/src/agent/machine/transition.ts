import type { GenerationEvent } from "../event.ts"
import type { ModelError, ModelPart, RequestedCall, Usage } from "../LanguageModel.ts"
import { formatProposalId } from "../proposal.ts"
import { limitProposals } from "./proposals.ts"
import { makeRequestedCall, toShownArguments, toStorableText } from "./requestedCall.ts"
import { applyEvent, noOutput, type ShownOutput } from "./shownOutput.ts"
import type { Command, FailureKey, Input, RunState, Setup, TransitionResult } from "./state.ts"
import { makeStatusEvent } from "./status.ts"
import {
  addUsage,
  type CallResult,
  encodeResult,
  encodeStep,
  type FinishedStep,
  makeFailedResult,
  noUsage,
  sumConsumption
} from "./steps.ts"
import { validateCalls } from "./validateCalls.ts"

/** The pause before the first retry, in ms. The pause doubles with each further retry. */
const firstPauseMs = 500
const maxPauseMs = 20_000
/** The estimated number of characters per token, for models that do not report their token usage. */
const charactersPerToken = 3

const noPendingText = { text: "", reasoning: "" }

/** Begins or restores a run. `silentMs` is the time for which the model's provider was silent before the run, in ms. */
export const restoreRun = (
  finishedSteps: ReadonlyArray<FinishedStep>,
  shownOutput: ShownOutput = noOutput,
  silentMs: number = 0
): RunState => ({
  phase: "Accepted",
  step: finishedSteps.length,
  finishedSteps,
  shownOutput,
  stepOffset: finishedSteps.reduce((length, { text }) => length + text.length, 0),
  requestId: 0,
  attempt: 0,
  silentMs,
  isLastStep: false,
  isCompacted: false,
  calls: [],
  providerState: undefined,
  usage: noUsage,
  callCredits: finishedSteps.reduce((sum, { priced }) => sum + priced, 0),
  pendingText: noPendingText,
  writtenLength: 0,
  hasAnsweringStatus: false
})

interface Draft {
  state: RunState
  readonly setup: Setup
  readonly ranMs: number
  readonly events: Array<GenerationEvent>
  readonly steps: Array<TransitionResult["steps"][number]>
  readonly commands: Array<Command>
}

const updateState = (draft: Draft, changes: Partial<RunState>): void => {
  draft.state = { ...draft.state, ...changes }
}

const emitEvent = (draft: Draft, event: GenerationEvent): void => {
  draft.events.push(event)
  updateState(draft, { shownOutput: applyEvent(draft.state.shownOutput, event) })
}

const readStepText = ({ stepOffset, shownOutput }: RunState): string => shownOutput.text.slice(stepOffset)

const endRun = (draft: Draft, failure: FailureKey | null): void => {
  const outcome = failure === null ? "finished" : "failed"
  updateState(draft, { phase: failure === null ? "Ended" : "Closed", requestId: draft.state.requestId + 1 })
  draft.commands.push({ _tag: "End", runOutcome: { outcome, failure } })
  if (failure === null) draft.commands.push({ _tag: "Suggest" })
}

/**
 * Returns whether the answer has reached a resource limit. After reaching a limit, the model may call no more tools.
 */
const isAtBound = ({ ranMs, setup: { bounds }, state }: Draft): boolean => {
  const consumed = sumConsumption(state.finishedSteps)
  return state.step >= bounds.steps ||
    consumed.toolCalls >= bounds.toolCalls ||
    state.callCredits >= bounds.toolCredits ||
    consumed.inputTokens + consumed.outputTokens >= bounds.tokens ||
    ranMs >= bounds.runMs ||
    state.finishedSteps.at(-1)?.bounded === true
}

const requestModel = (draft: Draft): void => {
  const { setup: { bounds }, state: { requestId, attempt, isCompacted, isLastStep, silentMs, step } } = draft
  const silenceMs = bounds.silenceMs - silentMs
  if (silenceMs <= 0) return endRun(draft, "answer_model_unavailable")
  updateState(draft, {
    phase: "Thinking",
    requestId: requestId + 1,
    attempt: attempt + 1,
    calls: [],
    providerState: undefined,
    pendingText: noPendingText,
    writtenLength: 0,
    hasAnsweringStatus: false
  })
  draft.commands.push({ _tag: "CallModel", requestId: requestId + 1, step, isLastStep, isCompacted, silenceMs })
}

const startStep = (draft: Draft): void => {
  updateState(draft, {
    step: draft.state.finishedSteps.length + 1,
    attempt: 0,
    usage: noUsage,
    stepOffset: draft.state.shownOutput.text.length
  })
  updateState(draft, { isLastStep: isAtBound(draft) })
  emitEvent(draft, makeStatusEvent(draft.setup.lang, "thinking", draft.state.step))
  requestModel(draft)
}

/** Removes the output that the current step has shown, so that the step can run again. */
const rewindStep = (draft: Draft): void => {
  const { stepOffset, shownOutput, step } = draft.state
  emitEvent(draft, makeStatusEvent(draft.setup.lang, "retrying", step))
  if (shownOutput.reasoning.step === step && shownOutput.reasoning.text !== "") {
    emitEvent(draft, { kind: "reasoning", data: { step, offset: 0, text: "" } })
  }
  if (shownOutput.text.length > stepOffset) emitEvent(draft, { kind: "delta", data: { offset: stepOffset, text: "" } })
}

const beginRun = (draft: Draft): void => {
  const { finishedSteps, shownOutput } = draft.state
  const lastStep = finishedSteps.at(-1)
  const callsWithoutResult = lastStep?.calls.filter(({ callId }) => !lastStep.results.has(callId)) ?? []
  if (callsWithoutResult.length > 0) {
    updateState(draft, { phase: "CallingTools" })
    draft.commands.push({ _tag: "CallTools", calls: callsWithoutResult })
    return
  }
  const step = finishedSteps.length + 1
  if (shownOutput.text.length === draft.state.stepOffset && shownOutput.reasoning.step !== step) return startStep(draft)
  updateState(draft, { step, attempt: 0 })
  updateState(draft, { isLastStep: isAtBound(draft) })
  rewindStep(draft)
  requestModel(draft)
}

/** Returns whether a text has no visible character. */
const isBlank = (text: string): boolean => !/[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(text)

/**
 * Joins pending text with the next part, and returns the text to show and the text that stays pending. A trailing half
 * of a surrogate pair stays pending. If `isFirst`, blank text stays pending, because a reader does not pay for a step
 * without visible text, and could otherwise read data from its blanks.
 */
const joinText = (
  pending: string,
  part: string,
  isFirst: boolean
): { readonly text: string; readonly pending: string } => {
  const joined = pending + part
  if (isFirst && isBlank(part)) return { text: "", pending: joined }
  const shownLength = joined.length - (/[\ud800-\udbff]$/.test(joined) ? 1 : 0)
  const text = joined.slice(0, shownLength)
  return isFirst && isBlank(text)
    ? { text: "", pending: joined }
    : { text: toStorableText(text), pending: joined.slice(shownLength) }
}

const writeText = (draft: Draft, part: string): void => {
  const { pendingText, shownOutput, step } = draft.state
  const isFirst = shownOutput.text.length === draft.state.stepOffset
  const { pending, text } = joinText(pendingText.text, part, isFirst)
  updateState(draft, { pendingText: { ...pendingText, text: pending } })
  if (text === "") return
  if (!draft.state.hasAnsweringStatus) {
    updateState(draft, { hasAnsweringStatus: true })
    emitEvent(draft, makeStatusEvent(draft.setup.lang, "answering", step))
  }
  const gap = isFirst && shownOutput.text !== "" && !shownOutput.text.endsWith("\n") ? "\n\n" : ""
  emitEvent(draft, { kind: "delta", data: { offset: shownOutput.text.length, text: gap + text } })
}

const writeReasoning = (draft: Draft, part: string): void => {
  const { pendingText, shownOutput: { reasoning }, step } = draft.state
  const offset = reasoning.step === step ? reasoning.text.length : 0
  const { pending, text } = joinText(pendingText.reasoning, part, offset === 0)
  updateState(draft, { pendingText: { ...pendingText, reasoning: pending } })
  if (text === "") return
  emitEvent(draft, { kind: "reasoning", data: { step, offset, text } })
}

const toolDoneEvent = (
  { generation }: Setup,
  callId: string,
  { name, ok, proposal, url }: CallResult,
  tookMs: number
): GenerationEvent => ({
  kind: "tool_done",
  data: {
    call_id: callId,
    name,
    ok,
    took_ms: Math.max(0, Math.round(tookMs)),
    ...(url === undefined ? {} : { url }),
    ...(proposal === undefined ? {} : { proposal: formatProposalId({ generation, call: callId }) })
  }
})

/** Stores the step, its tool calls, and the results of calls that need no execution. */
const storeStep = (
  draft: Draft,
  { isBounded, validated }: ReturnType<typeof validateCalls>,
  checkedProposals: ReadonlyMap<string, CallResult>
): void => {
  const { setup, state } = draft
  const { providerState, step, usage } = state
  const calls = validated.map(({ call }) => call)
  const resultOf = ({ call, result }: (typeof validated)[number]) => result ?? checkedProposals.get(call.callId)
  const knownResults = validated.flatMap((one) => {
    const result = resultOf(one)
    return result === undefined ? [] : [[one.call.callId, result] as const]
  })
  const priced = validated.reduce((sum, { price }) => sum + price, 0)
  const content = {
    text: readStepText(state),
    calls,
    priced,
    usage,
    bounded: isBounded,
    ...(providerState === undefined ? {} : { providerState })
  }
  draft.steps.push(encodeStep(step, content), ...knownResults.map(([callId, result]) => encodeResult(callId, result)))
  updateState(draft, {
    finishedSteps: [...state.finishedSteps, { ...content, results: new Map(knownResults) }],
    callCredits: state.callCredits + priced,
    silentMs: 0,
    calls: []
  })
  if (calls.length > 0) emitEvent(draft, makeStatusEvent(setup.lang, "calling_tools", step))
  for (const { arguments: args, callId, name } of calls) {
    emitEvent(draft, { kind: "tool", data: { call_id: callId, name, arguments: toShownArguments(args), step } })
  }
  for (const [callId, result] of knownResults) emitEvent(draft, toolDoneEvent(setup, callId, result, 0))
  const callsToMake: ReadonlyArray<RequestedCall> = validated.flatMap((one) =>
    resultOf(one) === undefined ? [one.call] : []
  )
  if (callsToMake.length === 0) return startStep(draft)
  updateState(draft, { phase: "CallingTools" })
  draft.commands.push({ _tag: "CallTools", calls: callsToMake })
}

/**
 * Validates the calls of a step, and stores the step. If the step proposes writes, the step is stored only after the
 * proposals have been checked. No process can therefore find a stored call without a result and execute it.
 */
const handleCalls = (draft: Draft): void => {
  const { setup, state } = draft
  const validation = validateCalls(setup, state)
  const proposals = validation.validated.filter(({ isProposal }) => isProposal).map(({ call }) => call)
  if (proposals.length === 0) return storeStep(draft, validation, new Map())
  updateState(draft, { phase: "Proposing" })
  draft.commands.push({ _tag: "CheckProposals", requestId: state.requestId, calls: proposals })
}

/** Stores a step whose proposals have been checked. A proposal without a result was not checked, and is rejected. */
const storeCheckedStep = (draft: Draft, results: ReadonlyMap<string, CallResult>): void => {
  const { setup, state } = draft
  const validation = validateCalls(setup, state)
  const checked = validation.validated.flatMap(({ call: { callId, name }, isProposal }) =>
    isProposal
      ? [[callId, results.get(callId) ?? makeFailedResult(name, "internal", "The call was not checked.")] as const]
      : []
  )
  storeStep(draft, validation, limitProposals(state.finishedSteps, new Map(checked), setup.lang))
}

/** Retries a step that produced no text and no calls, or ends the run after the last attempt. */
const handleEmptyStep = (draft: Draft): void => {
  const { attempt, shownOutput } = draft.state
  if (attempt < draft.setup.bounds.attempts) {
    rewindStep(draft)
    return requestModel(draft)
  }
  endRun(draft, shownOutput.text === "" ? "answer_no_answer" : null)
}

const finishStep = (draft: Draft, usage: Usage, isFiltered: boolean): void => {
  updateState(draft, { usage: addUsage(draft.state.usage, usage), requestId: draft.state.requestId + 1 })
  const { calls, isLastStep } = draft.state
  if (isFiltered) return endRun(draft, "answer_filtered")
  if (calls.length > 0 && !isLastStep) return handleCalls(draft)
  if (readStepText(draft.state) !== "") return endRun(draft, null)
  handleEmptyStep(draft)
}

const estimateUsage = ({ writtenLength }: RunState, inputTokens: number): Usage => ({
  ...noUsage,
  inputTokens,
  outputTokens: Math.ceil(writtenLength / charactersPerToken)
})

const handlePart = (draft: Draft, part: ModelPart, inputTokens: number): void => {
  const { setup: { bounds } } = draft
  switch (part._tag) {
    case "Text":
      writeText(draft, part.text)
      break
    case "Reasoning":
      writeReasoning(draft, part.text)
      break
    case "Call": {
      const { calls, step } = draft.state
      // One call above the limit is kept, to show that the model requested too many calls.
      if (calls.length <= bounds.toolCalls) {
        updateState(draft, { calls: [...calls, makeRequestedCall(step, calls.length + 1, part.name, part.arguments)] })
      }
      break
    }
    case "End":
      if (part.providerState !== undefined) {
        updateState(draft, { providerState: toStorableText(part.providerState) })
      }
      return finishStep(draft, part.usage ?? estimateUsage(draft.state, inputTokens), part.reason === "Filtered")
  }
  const length = part._tag === "Call" ? part.arguments.length + part.name.length : part.text.length
  updateState(draft, { writtenLength: draft.state.writtenLength + length })
  // Without a token count, four characters count as one token. The maximum length is twice the length of the permitted
  // output, so only a model that ignores its limit exceeds it. A call does not end the step, because the calls need the
  // `providerState` of the `End` that follows them.
  const isCall = part._tag === "Call" && draft.state.calls.length <= bounds.toolCalls
  if (!isCall && draft.state.writtenLength > bounds.stepOutputTokens * 8) {
    draft.commands.push({ _tag: "StopModel" })
    finishStep(draft, estimateUsage(draft.state, inputTokens), false)
  }
}

const toFailureKey = (error: ModelError): FailureKey => {
  switch (error._tag) {
    case "ContextExceeded":
      return "answer_context_exceeded"
    case "ContentFiltered":
      return "answer_filtered"
    case "ModelRefused":
      return "answer_model_refused"
    default:
      return "answer_model_unavailable"
  }
}

const handleModelFailure = (draft: Draft, error: ModelError, inputTokens: number): void => {
  const { attempt, isCompacted, usage, writtenLength } = draft.state
  // An attempt without output costs nothing, because the provider rejected the attempt.
  if (writtenLength > 0) updateState(draft, { usage: addUsage(usage, estimateUsage(draft.state, inputTokens)) })
  if (error._tag === "ContextExceeded" && !isCompacted) {
    rewindStep(draft)
    updateState(draft, { isCompacted: true })
    return requestModel(draft)
  }
  const { attempts, silenceMs } = draft.setup.bounds
  if (!error.retryable || attempt >= attempts) return endRun(draft, toFailureKey(error))
  const requestedDelayMs = error._tag === "ModelRateLimited" ? error.retryAfterMs : null
  const ms = Math.min(maxPauseMs, Math.max(requestedDelayMs ?? 0, firstPauseMs * 2 ** (attempt - 1)))
  if (error._tag === "ModelTimeout") updateState(draft, { silentMs: draft.state.silentMs + error.waitedMs + ms })
  if (draft.state.silentMs >= silenceMs) return endRun(draft, toFailureKey(error))
  rewindStep(draft)
  updateState(draft, { requestId: draft.state.requestId + 1, writtenLength: 0 })
  draft.commands.push({ _tag: "Pause", requestId: draft.state.requestId, ms })
}

const handleToolResult = (draft: Draft, callId: string, result: CallResult, tookMs: number): void => {
  const { finishedSteps } = draft.state
  const lastStep = finishedSteps.at(-1)
  if (
    lastStep === undefined || lastStep.results.has(callId) || !lastStep.calls.some((call) => call.callId === callId)
  ) return
  const results = new Map([...lastStep.results, [callId, result]])
  draft.steps.push(encodeResult(callId, result))
  emitEvent(draft, toolDoneEvent(draft.setup, callId, result, tookMs))
  updateState(draft, { finishedSteps: [...finishedSteps.slice(0, -1), { ...lastStep, results }] })
  if (results.size === lastStep.calls.length) startStep(draft)
}

const handleClock = (draft: Draft): void => {
  const { ranMs, setup: { bounds }, state } = draft
  if (ranMs >= bounds.runMs + bounds.graceMs) {
    if (state.phase === "Thinking") draft.commands.push({ _tag: "StopModel" })
    if (state.shownOutput.text !== "") return endRun(draft, null)
    const isSilent = state.phase === "Thinking" && state.writtenLength === 0
    return endRun(draft, isSilent ? "answer_model_unavailable" : "answer_no_answer")
  }
  if (ranMs < bounds.runMs || state.phase !== "Thinking" || state.isLastStep || readStepText(state) !== "") return
  draft.commands.push({ _tag: "StopModel" })
  updateState(draft, { isLastStep: true })
  rewindStep(draft)
  requestModel(draft)
}

const applyInput = (draft: Draft, input: Input): void => {
  const { phase } = draft.state
  const isCurrentRequest = "requestId" in input && phase === "Thinking" && input.requestId === draft.state.requestId
  switch (input._tag) {
    case "Begin":
      return phase === "Accepted" ? beginRun(draft) : undefined
    case "Part":
      return isCurrentRequest ? handlePart(draft, input.part, input.inputTokens) : undefined
    case "ModelFailed":
      return isCurrentRequest ? handleModelFailure(draft, input.error, input.inputTokens) : undefined
    case "Retry":
      return isCurrentRequest ? requestModel(draft) : undefined
    case "ToolResult":
      return phase === "CallingTools" ? handleToolResult(draft, input.callId, input.result, input.tookMs) : undefined
    case "ProposalsChecked":
      return phase === "Proposing" && input.requestId === draft.state.requestId
        ? storeCheckedStep(draft, input.results)
        : undefined
    case "Clock":
      return phase === "Thinking" || phase === "Proposing" || phase === "CallingTools" ? handleClock(draft) : undefined
    case "Suggestions":
      if (phase !== "Ended") return
      updateState(draft, { phase: "Closed" })
      draft.commands.push({ _tag: "Close", questions: input.questions })
  }
}

/**
 * Applies an input to the state of an answer, as a pure function without clock, randomness or I/O. Irrelevant inputs,
 * such as parts of an abandoned request or a repeated result, change nothing.
 */
export const transition = (setup: Setup, state: RunState, input: Input): TransitionResult => {
  const draft: Draft = {
    state,
    setup,
    ranMs: "ranMs" in input ? input.ranMs : 0,
    events: [],
    steps: [],
    commands: []
  }
  applyInput(draft, input)
  return { state: draft.state, events: draft.events, steps: draft.steps, commands: draft.commands }
}
