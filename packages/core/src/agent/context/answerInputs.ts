import type { CallableEntry } from "../../engine/tool/catalogue.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationBrief } from "../generation.ts"
import type { AcceptedCall, ModelImage } from "../LanguageModel.ts"
import type { Proposal } from "../proposal.ts"

/** The inputs of an answer, except the results of the answer's own steps. */
export interface AnswerInputs {
  readonly brief: GenerationBrief
  readonly question: ChatMessage
  /** The conversation's messages before the question, oldest first. */
  readonly history: ReadonlyArray<ChatMessage>
  readonly summary: string | null
  /**
   * The images of the question and of the previous message, by message id. `images` is empty if the model reads no
   * images.
   */
  readonly images: ReadonlyMap<number, ReadonlyArray<ModelImage>>
  readonly replacedWrites: ReadonlyArray<ToolNote>
  /** The accepted proposals of the answer that the new answer replaces. */
  readonly replacedProposals: ReadonlyArray<Proposal>
  /** The proposal that the question accepted, with its result. */
  readonly accepted: AcceptedCall | null
  /** The proposals of the answers in `history`. */
  readonly proposals: ReadonlyArray<Proposal>
  readonly tools: ReadonlyArray<CallableEntry>
  /** The start time of the run, as an ISO 8601 string. */
  readonly now: string
}
