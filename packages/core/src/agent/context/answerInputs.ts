import type { CallableEntry } from "../../engine/tool/catalogue.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationBrief } from "../generation.ts"
import type { ModelImage } from "../LanguageModel.ts"
import type { WriteProposal } from "../writeProposal.ts"

/** The inputs of an answer, except the results of its own steps. */
export interface AnswerInputs {
  readonly brief: GenerationBrief
  readonly question: ChatMessage
  /** The messages before the question, oldest first. */
  readonly history: ReadonlyArray<ChatMessage>
  /** The summary of the messages before `history`. */
  readonly summary: string | null
  /** Images by message id: of the question and of the message before. Empty for a model that reads no images. */
  readonly images: ReadonlyMap<number, ReadonlyArray<ModelImage>>
  readonly replacedWrites: ReadonlyArray<ToolNote>
  /** The calls that the previous answer proposed and the question accepts. */
  readonly accepted: ReadonlyArray<WriteProposal>
  readonly tools: ReadonlyArray<CallableEntry>
  /** The start of the run, as an ISO time. */
  readonly now: string
}
