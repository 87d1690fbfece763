import type { Schema } from "effect"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import type { AnswerErrorCode, GenerationEvent, Outcome } from "../event.ts"
import type { StoredStep } from "../generation.ts"
import type { ModelError, ModelPart, RequestedCall } from "../LanguageModel.ts"
import type { Bounds } from "./bounds.ts"
import type { ShownOutput } from "./shownOutput.ts"
import type { CallResult, FinishedStep, ModelStep } from "./steps.ts"

export interface KnownTool {
  readonly credits: number
  readonly writes: boolean
}

/** The inputs of a run, which do not change during the run. */
export interface Setup {
  readonly lang: Language
  readonly bounds: Bounds
  readonly tools: ReadonlyMap<string, KnownTool>
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly generation: number
  /** Whether a call of a tool that writes becomes a proposal. */
  readonly mayPropose: boolean
  /** The number of calls of tools that write that the answer may make without a proposal. */
  readonly maxDirectWrites: number
  /**
   * The writes that the replaced answer made. The writes of a replaced answer remain in effect, and the new answer
   * mentions them.
   */
  readonly replacedWrites: ReadonlyArray<ToolNote>
}

export type FailureKey = `answer_${AnswerErrorCode}`

/** The state of a run. In the phase `Ended`, only suggestions are pending, and the phase `Closed` is final. */
export interface RunState {
  readonly phase: "Accepted" | "Thinking" | "Proposing" | "CallingTools" | "Ended" | "Closed"
  /** The number of the current step, starting at 1, or 0 before the first step. */
  readonly step: number
  readonly finishedSteps: ReadonlyArray<FinishedStep>
  readonly shownOutput: ShownOutput
  /** The length of the answer's text before the current step, in UTF-16 units. */
  readonly stepOffset: number
  /** The id of the current request to the model; parts of other requests are ignored. */
  readonly requestId: number
  readonly attempt: number
  /**
   * The time for which the model's provider has sent nothing since the last finished step, in ms, including pauses
   * between attempts.
   */
  readonly silentMs: number
  /** Whether the model must answer with the results so far, without tools. */
  readonly isLastStep: boolean
  /** Whether the context was shortened because it exceeded the model's limit. */
  readonly isCompacted: boolean
  readonly calls: ReadonlyArray<RequestedCall>
  /** The data of the current step that the model's provider requires in the next request. */
  readonly providerState: string | undefined
  /** The token usage of the current step, including failed attempts. */
  readonly usage: ModelStep["usage"]
  /** The total price of the run's tool calls in credits, including failed calls. */
  readonly callCredits: number
  /**
   * The end of the text and of the reasoning that the reader does not see yet: the first half of a surrogate pair, and
   * everything before the step's first visible character.
   */
  readonly pendingText: { readonly text: string; readonly reasoning: string }
  /** The number of UTF-16 units that the current attempt has written, including reasoning and arguments. */
  readonly writtenLength: number
  readonly hasAnsweringStatus: boolean
}

/** An input of the state machine that runs an answer. `ranMs` is the duration of the run so far, in ms. */
export type Input =
  | { readonly _tag: "Begin"; readonly ranMs: number }
  | {
    readonly _tag: "Part"
    readonly requestId: number
    readonly part: ModelPart
    /** The estimated input tokens of the request, for models that report no usage. */
    readonly inputTokens: number
    readonly ranMs: number
  }
  | {
    readonly _tag: "ModelFailed"
    readonly requestId: number
    readonly error: ModelError
    readonly inputTokens: number
    readonly ranMs: number
  }
  | { readonly _tag: "Retry"; readonly requestId: number; readonly ranMs: number }
  /** The results of the calls that the command `CheckProposals` checked, by call id. */
  | {
    readonly _tag: "ProposalsChecked"
    readonly requestId: number
    readonly results: ReadonlyMap<string, CallResult>
    readonly ranMs: number
  }
  | {
    readonly _tag: "ToolResult"
    readonly callId: string
    readonly result: CallResult
    readonly tookMs: number
    readonly ranMs: number
  }
  | { readonly _tag: "Clock"; readonly ranMs: number }
  | { readonly _tag: "Suggestions"; readonly questions: ReadonlyArray<string> }

export interface RunOutcome {
  readonly outcome: Outcome
  readonly failure: FailureKey | null
  /** A text for the user that explains the failure further. */
  readonly reason?: string | undefined
}

/** An action that the run executes after it has stored its events and steps. */
export type Command =
  | {
    readonly _tag: "CallModel"
    readonly requestId: number
    readonly step: number
    readonly isLastStep: boolean
    readonly isCompacted: boolean
    /** The maximum silence of the provider before the provider's answer begins, in ms. */
    readonly silenceMs: number
  }
  | { readonly _tag: "StopModel" }
  | { readonly _tag: "Pause"; readonly requestId: number; readonly ms: number }
  /** Checks calls that become proposals. The step is stored after the check, so that no process executes the calls. */
  | { readonly _tag: "CheckProposals"; readonly requestId: number; readonly calls: ReadonlyArray<RequestedCall> }
  | { readonly _tag: "CallTools"; readonly calls: ReadonlyArray<RequestedCall> }
  /** Stores the answer, ends the reservation and emits `done`; only suggestions may be stored later. */
  | { readonly _tag: "End"; readonly runOutcome: RunOutcome }
  | { readonly _tag: "Suggest" }
  | { readonly _tag: "Close"; readonly questions: ReadonlyArray<string> }

/**
 * The result of an input of the state machine. `events` and `steps` are stored together; then the run executes
 * `commands` in order.
 */
export interface TransitionResult {
  readonly state: RunState
  readonly events: ReadonlyArray<GenerationEvent>
  readonly steps: ReadonlyArray<StoredStep>
  readonly commands: ReadonlyArray<Command>
}
