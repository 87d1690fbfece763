import { say } from "../../engine/messages/language.ts"
import type { GenerationEvent } from "../event.ts"
import type { AskedCall, ModelError, ModelPart, Usage } from "../LanguageModel.ts"
import { askedCall, shownArguments, storableText } from "./asked.ts"
import { judgeCalls } from "./judgeCalls.ts"
import { couldHide, proposalsOf, proposalText } from "./proposals.ts"
import { nothingShown, show, type Shown } from "./shown.ts"
import type { Command, FailureKey, Input, RunState, Setup, Turned } from "./state.ts"
import { statusOf } from "./status.ts"
import { addUsage, type CallResult, consumedBy, type DoneStep, noUsage, storedCall, storedStep } from "./steps.ts"

/** The first pause before a retry, in ms. Each further pause is twice as long. */
const firstPauseMs = 500
const longestPauseMs = 20_000
/** A rough value for text of any language. It is used only if the model does not report its tokens. */
const lettersPerToken = 3

const noHalf = { text: "", reasoning: "" }

/**
 * Restores a run from the stored steps and the shown output, or begins a new one. `silentMs` is how long the provider
 * was already silent before the run.
 */
export const restore = (
  done: ReadonlyArray<DoneStep>,
  shown: Shown = nothingShown,
  silentMs: number = 0
): RunState => ({
  phase: "Accepted",
  step: done.length,
  done,
  shown,
  base: done.reduce((length, { text }) => length + text.length, 0),
  ask: 0,
  attempt: 0,
  silentMs,
  last: false,
  compacted: false,
  calls: [],
  usage: noUsage,
  priced: done.reduce((sum, { priced }) => sum + priced, 0),
  half: noHalf,
  written: 0,
  answering: false
})

/** Collects the effects of an input. */
interface Draft {
  state: RunState
  readonly setup: Setup
  readonly ranMs: number
  readonly events: Array<GenerationEvent>
  readonly steps: Array<Turned["steps"][number]>
  readonly commands: Array<Command>
}

const change = (draft: Draft, changes: Partial<RunState>): void => {
  draft.state = { ...draft.state, ...changes }
}

const emit = (draft: Draft, event: GenerationEvent): void => {
  draft.events.push(event)
  change(draft, { shown: show(draft.state.shown, event) })
}

const stepText = ({ base, shown }: RunState): string => shown.text.slice(base)

/**
 * Appends the proposed writes to the answer, exactly as they would be made, so that a yes accepts exactly these calls.
 */
const showProposals = (draft: Draft): void => {
  const { setup: { carried, lang }, state: { done, shown } } = draft
  const proposals = proposalsOf(done, carried)
  if (proposals.length === 0) return
  const text = couldHide(shown.text)
    ? `\n\n${say({ key: "answer_proposal_withheld" }, lang)}`
    : proposalText(proposals, lang)
  emit(draft, { kind: "delta", data: { offset: shown.text.length, text } })
}

const end = (draft: Draft, failure: FailureKey | null): void => {
  if (failure === null) showProposals(draft)
  const outcome = failure === null ? "finished" : "failed"
  change(draft, { phase: failure === null ? "Ended" : "Closed", ask: draft.state.ask + 1 })
  draft.commands.push({ _tag: "End", verdict: { outcome, failure } })
  if (failure === null) draft.commands.push({ _tag: "Suggest" })
}

/** Whether the answer has reached a bound, so that no more tools may be called. */
const atBound = ({ ranMs, setup: { bounds }, state }: Draft): boolean => {
  const consumed = consumedBy(state.done)
  return state.step >= bounds.steps ||
    consumed.toolCalls >= bounds.toolCalls ||
    state.priced >= bounds.toolCredits ||
    consumed.inputTokens + consumed.outputTokens >= bounds.tokens ||
    ranMs >= bounds.runMs ||
    state.done.at(-1)?.bounded === true
}

const ask = (draft: Draft): void => {
  const { setup: { bounds }, state: { ask, attempt, compacted, last, silentMs, step } } = draft
  const silenceMs = bounds.silenceMs - silentMs
  if (silenceMs <= 0) return end(draft, "answer_model_unavailable")
  change(draft, {
    phase: "Thinking",
    ask: ask + 1,
    attempt: attempt + 1,
    calls: [],
    half: noHalf,
    written: 0,
    answering: false
  })
  draft.commands.push({ _tag: "CallModel", ask: ask + 1, step, last, compacted, silenceMs })
}

/** Starts the next step of the model, once all calls of the previous step have results. */
const think = (draft: Draft): void => {
  change(draft, { step: draft.state.done.length + 1, attempt: 0, usage: noUsage, base: draft.state.shown.text.length })
  change(draft, { last: atBound(draft) })
  emit(draft, statusOf(draft.setup.lang, "thinking", draft.state.step))
  ask(draft)
}

/** Withdraws the output that this step has shown, so that the step can run again. */
const rewind = (draft: Draft): void => {
  const { base, shown, step } = draft.state
  emit(draft, statusOf(draft.setup.lang, "retrying", step))
  if (shown.reasoning.step === step && shown.reasoning.text !== "") {
    emit(draft, { kind: "reasoning", data: { step, offset: 0, text: "" } })
  }
  if (shown.text.length > base) emit(draft, { kind: "delta", data: { offset: base, text: "" } })
}

const begin = (draft: Draft): void => {
  const { done, shown } = draft.state
  const open = done.at(-1)
  const unanswered = open?.calls.filter(({ callId }) => !open.results.has(callId)) ?? []
  if (unanswered.length > 0) {
    change(draft, { phase: "CallingTools" })
    draft.commands.push({ _tag: "CallTools", calls: unanswered })
    return
  }
  const step = done.length + 1
  if (shown.text.length === draft.state.base && shown.reasoning.step !== step) return think(draft)
  change(draft, { step, attempt: 0 })
  change(draft, { last: atBound(draft) })
  rewind(draft)
  ask(draft)
}

/**
 * Joins text so that no surrogate pair is split and every store can keep it. Returns a trailing half pair separately.
 */
const whole = (half: string, text: string): { readonly text: string; readonly half: string } => {
  const joined = half + text
  const isHalf = /[\ud800-\udbff]$/.test(joined)
  return {
    text: storableText(isHalf ? joined.slice(0, -1) : joined),
    half: isHalf ? joined.slice(-1) : ""
  }
}

const writeText = (draft: Draft, part: string): void => {
  const { half: kept, shown, step } = draft.state
  const { half, text } = whole(kept.text, part)
  change(draft, { half: { ...kept, text: half } })
  if (text === "") return
  if (!draft.state.answering) {
    change(draft, { answering: true })
    emit(draft, statusOf(draft.setup.lang, "answering", step))
  }
  const isFirst = shown.text.length === draft.state.base
  const gap = isFirst && shown.text !== "" && !shown.text.endsWith("\n") ? "\n\n" : ""
  emit(draft, { kind: "delta", data: { offset: shown.text.length, text: gap + text } })
}

const writeReasoning = (draft: Draft, part: string): void => {
  const { half: kept, shown: { reasoning }, step } = draft.state
  const { half, text } = whole(kept.reasoning, part)
  change(draft, { half: { ...kept, reasoning: half } })
  if (text === "") return
  const offset = reasoning.step === step ? reasoning.text.length : 0
  emit(draft, { kind: "reasoning", data: { step, offset, text } })
}

const doneTool = (callId: string, result: CallResult, tookMs: number): GenerationEvent => ({
  kind: "tool_done",
  data: {
    call_id: callId,
    name: result.name,
    ok: result.ok,
    took_ms: Math.max(0, Math.round(tookMs)),
    ...(result.url === undefined ? {} : { url: result.url })
  }
})

/** Stores the step with the calls that it makes, and the results that are already known. */
const keepStep = (draft: Draft): void => {
  const { setup, state } = draft
  const { step, usage } = state
  const { bounded, judged } = judgeCalls(setup, state)
  const calls = judged.map(({ call }) => call)
  const known = judged.flatMap(({ call, result }) => result === null ? [] : [[call.callId, result] as const])
  const priced = judged.reduce((sum, { price }) => sum + price, 0)
  const content = { text: stepText(state), calls, priced, usage, bounded }
  draft.steps.push(storedStep(step, content), ...known.map(([callId, result]) => storedCall(callId, result)))
  change(draft, {
    done: [...state.done, { ...content, results: new Map(known) }],
    priced: state.priced + priced,
    silentMs: 0,
    calls: []
  })
  if (calls.length > 0) emit(draft, statusOf(setup.lang, "calling_tools", step))
  for (const { arguments: args, callId, name } of calls) {
    emit(draft, { kind: "tool", data: { call_id: callId, name, arguments: shownArguments(args), step } })
  }
  for (const [callId, result] of known) emit(draft, doneTool(callId, result, 0))
  const made: ReadonlyArray<AskedCall> = judged.flatMap(({ call, result }) => result === null ? [call] : [])
  if (made.length === 0) return think(draft)
  change(draft, { phase: "CallingTools" })
  draft.commands.push({ _tag: "CallTools", calls: made })
}

/** Handles a step that produced no text and no calls. */
const afterNothing = (draft: Draft): void => {
  const { attempt, shown } = draft.state
  if (attempt < draft.setup.bounds.attempts) {
    rewind(draft)
    return ask(draft)
  }
  end(draft, shown.text === "" ? "answer_no_answer" : null)
}

const finishStep = (draft: Draft, usage: Usage, isFiltered: boolean): void => {
  change(draft, { usage: addUsage(draft.state.usage, usage), ask: draft.state.ask + 1 })
  const { calls, last } = draft.state
  if (isFiltered) return end(draft, "answer_filtered")
  if (calls.length > 0 && !last) return keepStep(draft)
  if (stepText(draft.state) !== "") return end(draft, null)
  afterNothing(draft)
}

/** Estimates the consumption of an attempt whose provider reports none. */
const estimated = ({ written }: RunState, inputTokens: number): Usage => ({
  ...noUsage,
  inputTokens,
  outputTokens: Math.ceil(written / lettersPerToken)
})

const readPart = (draft: Draft, part: ModelPart, inputTokens: number): void => {
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
      // One call more than the limit shows that there were too many. Further calls are dropped.
      if (calls.length <= bounds.toolCalls) {
        change(draft, { calls: [...calls, askedCall(step, calls.length + 1, part.name, part.arguments)] })
      }
      break
    }
    case "End":
      return finishStep(draft, part.usage ?? estimated(draft.state, inputTokens), part.reason === "Filtered")
  }
  const length = part._tag === "Call" ? part.arguments.length + part.name.length : part.text.length
  change(draft, { written: draft.state.written + length })
  // At four letters per token, this is twice the allowed output, so the model ignores its limit.
  if (draft.state.written > bounds.stepOutputTokens * 8) {
    draft.commands.push({ _tag: "StopModel" })
    finishStep(draft, estimated(draft.state, inputTokens), false)
  }
}

const failureOf = (error: ModelError): FailureKey => {
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

const modelFailed = (draft: Draft, error: ModelError, inputTokens: number): void => {
  const { attempt, compacted, usage, written } = draft.state
  // An attempt without output was rejected, and costs nothing.
  if (written > 0) change(draft, { usage: addUsage(usage, estimated(draft.state, inputTokens)) })
  if (error._tag === "ContextExceeded" && !compacted) {
    rewind(draft)
    change(draft, { compacted: true })
    return ask(draft)
  }
  const { attempts, silenceMs } = draft.setup.bounds
  if (!error.retryable || attempt >= attempts) return end(draft, failureOf(error))
  const askedMs = error._tag === "ModelRateLimited" ? error.retryAfterMs : null
  const ms = Math.min(longestPauseMs, Math.max(askedMs ?? 0, firstPauseMs * 2 ** (attempt - 1)))
  if (error._tag === "ModelTimeout") change(draft, { silentMs: draft.state.silentMs + error.waitedMs + ms })
  if (draft.state.silentMs >= silenceMs) return end(draft, failureOf(error))
  rewind(draft)
  change(draft, { ask: draft.state.ask + 1, written: 0 })
  draft.commands.push({ _tag: "Pause", ask: draft.state.ask, ms })
}

const toolResult = (draft: Draft, callId: string, result: CallResult, tookMs: number): void => {
  const { done } = draft.state
  const open = done.at(-1)
  if (open === undefined || open.results.has(callId) || !open.calls.some((call) => call.callId === callId)) return
  const results = new Map([...open.results, [callId, result]])
  draft.steps.push(storedCall(callId, result))
  emit(draft, doneTool(callId, result, tookMs))
  change(draft, { done: [...done.slice(0, -1), { ...open, results }] })
  if (results.size === open.calls.length) think(draft)
}

const clock = (draft: Draft): void => {
  const { ranMs, setup: { bounds }, state } = draft
  if (ranMs >= bounds.runMs + bounds.graceMs) {
    if (state.phase === "Thinking") draft.commands.push({ _tag: "StopModel" })
    if (state.shown.text !== "") return end(draft, null)
    const isSilent = state.phase === "Thinking" && state.written === 0
    return end(draft, isSilent ? "answer_model_unavailable" : "answer_no_answer")
  }
  if (ranMs < bounds.runMs || state.phase !== "Thinking" || state.last || stepText(state) !== "") return
  draft.commands.push({ _tag: "StopModel" })
  change(draft, { last: true })
  rewind(draft)
  ask(draft)
}

const turn = (draft: Draft, input: Input): void => {
  const { phase } = draft.state
  const isAsked = "ask" in input && phase === "Thinking" && input.ask === draft.state.ask
  switch (input._tag) {
    case "Begin":
      return phase === "Accepted" ? begin(draft) : undefined
    case "Part":
      return isAsked ? readPart(draft, input.part, input.inputTokens) : undefined
    case "ModelFailed":
      return isAsked ? modelFailed(draft, input.error, input.inputTokens) : undefined
    case "Retry":
      return isAsked ? ask(draft) : undefined
    case "ToolResult":
      return phase === "CallingTools" ? toolResult(draft, input.callId, input.result, input.tookMs) : undefined
    case "Clock":
      return phase === "Thinking" || phase === "CallingTools" ? clock(draft) : undefined
    case "Suggestions":
      if (phase !== "Ended") return
      change(draft, { phase: "Closed" })
      draft.commands.push({ _tag: "Close", questions: input.questions })
  }
}

/**
 * The state machine of an answer: a pure function without clock, randomness or I/O. Returns what to show and store
 * after `input`, and the next commands. Irrelevant inputs, such as parts of an abandoned request or a repeated result,
 * change nothing.
 */
export const transition = (setup: Setup, state: RunState, input: Input): Turned => {
  const draft: Draft = {
    state,
    setup,
    ranMs: "ranMs" in input ? input.ranMs : 0,
    events: [],
    steps: [],
    commands: []
  }
  turn(draft, input)
  return { state: draft.state, events: draft.events, steps: draft.steps, commands: draft.commands }
}
