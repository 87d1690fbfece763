import type { CatalogueCall } from "../../engine/tool/catalogue.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationBrief } from "../generation.ts"
import type { ModelImage } from "../LanguageModel.ts"
import type { WriteProposal } from "../writes.ts"

/** The inputs of an answer, except the results of its own steps. */
export interface Material {
  readonly brief: GenerationBrief
  readonly question: ChatMessage
  /** The messages before the question, oldest first. */
  readonly history: ReadonlyArray<ChatMessage>
  /** The summary of the messages before `history`. */
  readonly summary: string | null
  /** Images by message id: of the question and of the message before. Empty for a model that reads no images. */
  readonly images: ReadonlyMap<number, ReadonlyArray<ModelImage>>
  readonly carried: ReadonlyArray<ToolNote>
  /** The calls that the previous answer proposed and the question accepts. */
  readonly accepted: ReadonlyArray<WriteProposal>
  readonly tools: ReadonlyArray<CatalogueCall>
  /** The start of the run, as an ISO time. */
  readonly now: string
}
