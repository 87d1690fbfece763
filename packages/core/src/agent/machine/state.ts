import type { Schema } from "effect"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import type { AnswerErrorCode, GenerationEvent, Outcome } from "../event.ts"
import type { StoredStep } from "../generation.ts"
import type { ModelError, ModelPart, RequestedCall } from "../LanguageModel.ts"
import type { AllowedWrite } from "../writeProposal.ts"
import type { Bounds } from "./bounds.ts"
import type { ShownOutput } from "./shownOutput.ts"
import type { CallResult, FinishedStep, ModelStep } from "./steps.ts"

/** The properties of a tool that the model may request. */
export interface KnownTool {
  readonly credits: number
  readonly writes: boolean
}

/** The inputs of a run, which do not change while it runs. */
export interface Setup {
  readonly lang: Language
  readonly bounds: Bounds
  readonly tools: ReadonlyMap<string, KnownTool>
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly writes: ReadonlyArray<AllowedWrite>
  /**
   * Returns the faults in the arguments of a tool that writes, in the answer's language. Empty if the call could be
   * made. Null if nothing may be proposed: the key may not write, or no user would read the proposal.
   */
  readonly findArgumentFaults: ((tool: string, args: Schema.Json) => ReadonlyArray<string>) | null
  /** The writes of an answer that is being replaced. They remain, and the new answer mentions them. */
  readonly replacedWrites: ReadonlyArray<ToolNote>
}

/** The key of the message that explains why an answer failed. */
export type FailureKey = `answer_${AnswerErrorCode}`

/** The state of a run. In `Ended`, the answer has finished and waits for its suggestions. `Closed` is final. */
export interface RunState {
  readonly phase: "Accepted" | "Thinking" | "CallingTools" | "Ended" | "Closed"
  /** From 1; 0 before the first step. */
  readonly step: number
  readonly finishedSteps: ReadonlyArray<FinishedStep>
  readonly shownOutput: ShownOutput
  /** The answer's length before this step. */
  readonly stepOffset: number
  /** The current request to the model. Parts of other requests are ignored. */
  readonly requestId: number
  /** The number of requests for this step so far. */
  readonly attempt: number
  /**
   * How long the model's provider has been silent since the last finished step, including the pauses between attempts.
   */
  readonly silentMs: number
  /** The model must answer with the results so far, and is offered no tools. */
  readonly isLastStep: boolean
  /** The context was shortened, because the model could not read it. */
  readonly isCompacted: boolean
  /** The calls that this step's model output has requested so far. */
  readonly calls: ReadonlyArray<RequestedCall>
  /** The consumption of this step, including failed attempts. */
  readonly usage: ModelStep["usage"]
  /** The total price of the calls, whether they succeeded or not. */
  readonly callCredits: number
  /** The first half of a surrogate pair whose second half is still missing, of text and of reasoning. */
  readonly pendingSurrogate: { readonly text: string; readonly reasoning: string }
  /** UTF-16 units that this attempt wrote, reasoning and arguments included. */
  readonly writtenLength: number
  /** Whether the status `hasAnsweringStatus` was shown for this attempt. */
  readonly hasAnsweringStatus: boolean
}

/** An input of a run. `ranMs` is how long the run has lasted at that time. */
export type Input =
  | { readonly _tag: "Begin"; readonly ranMs: number }
  | {
    readonly _tag: "Part"
    readonly requestId: number
    readonly part: ModelPart
    /** The estimated input tokens of the request, for models that report none. */
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
  /** The pause before a retry is over. */
  | { readonly _tag: "Retry"; readonly requestId: number; readonly ranMs: number }
  | {
    readonly _tag: "ToolResult"
    readonly callId: string
    readonly result: CallResult
    readonly tookMs: number
    readonly ranMs: number
  }
  /** Time passed. */
  | { readonly _tag: "Clock"; readonly ranMs: number }
  | { readonly _tag: "Suggestions"; readonly questions: ReadonlyArray<string> }

/** The end of an answer. */
export interface RunOutcome {
  readonly outcome: Outcome
  readonly failure: FailureKey | null
}

/** The next action, after events and steps are stored. */
export type Command =
  | {
    readonly _tag: "CallModel"
    readonly requestId: number
    readonly step: number
    readonly isLastStep: boolean
    readonly isCompacted: boolean
    /** How long the provider may be silent before its answer begins. */
    readonly silenceMs: number
  }
  /** Stops the current request to the model. */
  | { readonly _tag: "StopModel" }
  | { readonly _tag: "Pause"; readonly requestId: number; readonly ms: number }
  | { readonly _tag: "CallTools"; readonly calls: ReadonlyArray<RequestedCall> }
  /** Stores the answer, ends the reservation and emits `finishedSteps`. Only suggestions may be stored after it. */
  | { readonly _tag: "End"; readonly runOutcome: RunOutcome }
  | { readonly _tag: "Suggest" }
  | { readonly _tag: "Close"; readonly questions: ReadonlyArray<string> }

/** The effects of an input. `events` and `steps` are stored together; then `commands` are executed in order. */
export interface TransitionResult {
  readonly state: RunState
  readonly events: ReadonlyArray<GenerationEvent>
  readonly steps: ReadonlyArray<StoredStep>
  readonly commands: ReadonlyArray<Command>
}
