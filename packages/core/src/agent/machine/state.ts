import type { Schema } from "effect"
import type { Language } from "../../engine/messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import type { AnswerErrorCode, GenerationEvent, Outcome } from "../event.ts"
import type { StoredStep } from "../generation.ts"
import type { AskedCall, ModelError, ModelPart } from "../LanguageModel.ts"
import type { AllowedWrite } from "../writes.ts"
import type { Bounds } from "./bounds.ts"
import type { Shown } from "./shown.ts"
import type { CallResult, DoneStep, ModelStep } from "./steps.ts"

/** What is known of a tool that may be asked for. */
export interface KnownTool {
  readonly credits: number
  readonly writes: boolean
}

/** What a run is given, and does not change while it runs. */
export interface Setup {
  readonly lang: Language
  readonly bounds: Bounds
  readonly tools: ReadonlyMap<string, KnownTool>
  readonly facts: Readonly<Record<string, Schema.Json>>
  readonly writes: ReadonlyArray<AllowedWrite>
  /**
   * What is wrong with the arguments of a tool that writes, in the answer's language; empty when a call of it could be
   * made. Null where nothing may be proposed: the key may not write, or no user would read it.
   */
  readonly faultsOf: ((tool: string, args: Schema.Json) => ReadonlyArray<string>) | null
  /** What an answer that is being replaced had written: it stays written, and is told of in the new one. */
  readonly carried: ReadonlyArray<ToolNote>
}

/** Why an answer failed, as a message's key says it. */
export type FailureKey = `answer_${AnswerErrorCode}`

/** What a run has come to. `Ended` finished, and waits for its suggestions; `Closed` is over. */
export interface RunState {
  readonly phase: "Accepted" | "Thinking" | "CallingTools" | "Ended" | "Closed"
  /** From 1; 0 before the first. */
  readonly step: number
  readonly done: ReadonlyArray<DoneStep>
  readonly shown: Shown
  /** The answer's length before this step. */
  readonly base: number
  /** Which request to the model is listened to: parts of any other are of no account. */
  readonly ask: number
  /** How often this step was asked for. */
  readonly attempt: number
  /** How long the model's provider has been silent since the last finished step, pauses between attempts included. */
  readonly silentMs: number
  /** The model is to answer with what it has, and is offered no tools. */
  readonly last: boolean
  /** The context was cut down, since the model could not read it. */
  readonly compacted: boolean
  /** What this step's calls came to so far, and what it asked for. */
  readonly calls: ReadonlyArray<AskedCall>
  /** Of this step, failed attempts included. */
  readonly usage: ModelStep["usage"]
  /** What the calls were priced at, whether they succeeded or not. */
  readonly priced: number
  /** The first half of a surrogate pair whose second is still to come, of text and of reasoning. */
  readonly half: { readonly text: string; readonly reasoning: string }
  /** UTF-16 units that this attempt wrote, reasoning and arguments included. */
  readonly written: number
  /** Whether `answering` was said of this attempt. */
  readonly answering: boolean
}

/** What happens to a run. `ranMs` is how long it has run by then. */
export type Input =
  | { readonly _tag: "Begin"; readonly ranMs: number }
  | {
    readonly _tag: "Part"
    readonly ask: number
    readonly part: ModelPart
    /** What the request is estimated to have been read as, for models that report nothing. */
    readonly inputTokens: number
    readonly ranMs: number
  }
  | {
    readonly _tag: "ModelFailed"
    readonly ask: number
    readonly error: ModelError
    readonly inputTokens: number
    readonly ranMs: number
  }
  /** The pause before another try is over. */
  | { readonly _tag: "Retry"; readonly ask: number; readonly ranMs: number }
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

/** How an answer ends. */
export interface Verdict {
  readonly outcome: Outcome
  readonly failure: FailureKey | null
}

/** What is to be done next, once events and steps are stored. */
export type Command =
  | {
    readonly _tag: "CallModel"
    readonly ask: number
    readonly step: number
    readonly last: boolean
    readonly compacted: boolean
    /** How long the provider may be silent before its answer begins. */
    readonly silenceMs: number
  }
  /** The request to the model that runs is to be stopped. */
  | { readonly _tag: "StopModel" }
  | { readonly _tag: "Pause"; readonly ask: number; readonly ms: number }
  | { readonly _tag: "CallTools"; readonly calls: ReadonlyArray<AskedCall> }
  /** Stores the answer, ends the reservation and says `done`; nothing may be stored after it but suggestions. */
  | { readonly _tag: "End"; readonly verdict: Verdict }
  | { readonly _tag: "Suggest" }
  | { readonly _tag: "Close"; readonly questions: ReadonlyArray<string> }

/** What an input comes to: `events` and `steps` are stored together, and then `commands` are carried out in order. */
export interface Turned {
  readonly state: RunState
  readonly events: ReadonlyArray<GenerationEvent>
  readonly steps: ReadonlyArray<StoredStep>
  readonly commands: ReadonlyArray<Command>
}
