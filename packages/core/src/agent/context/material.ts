import type { CatalogueCall } from "../../engine/tool/catalogue.ts"
import type { ChatMessage, ToolNote } from "../conversation.ts"
import type { GenerationBrief } from "../generation.ts"
import type { ModelImage } from "../LanguageModel.ts"
import type { WriteProposal } from "../writes.ts"

/** What an answer is made from, beside what its steps bring. */
export interface Material {
  readonly brief: GenerationBrief
  readonly question: ChatMessage
  /** What was said before the question, oldest first. */
  readonly history: ReadonlyArray<ChatMessage>
  /** What came before that. */
  readonly summary: string | null
  /** By message: those of the question, and of the one before; none for a model that sees none. */
  readonly images: ReadonlyMap<number, ReadonlyArray<ModelImage>>
  readonly carried: ReadonlyArray<ToolNote>
  /** What the answer before had proposed and the question accepts. */
  readonly accepted: ReadonlyArray<WriteProposal>
  readonly tools: ReadonlyArray<CatalogueCall>
  /** ISO time of the run's begin. */
  readonly now: string
}
