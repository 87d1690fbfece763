import { Layer } from "effect"
import type { KeyStore } from "../engine/access/KeyStore.ts"
import type { Plans } from "../engine/access/plan.ts"
import type { ToolCaller } from "../engine/call/ToolCaller.ts"
import type { Ledger } from "../engine/credits/Ledger.ts"
import type { Toolbox } from "../engine/tool/Toolbox.ts"
import type { ConversationStore } from "./ConversationStore.ts"
import type { GenerationLog } from "./GenerationLog.ts"
import type { GenerationExecutor, GenerationRunner } from "./GenerationRunner.ts"
import type { GenerationStore } from "./GenerationStore.ts"
import type { LanguageModel } from "./LanguageModel.ts"
import type { ProposalStore } from "./ProposalStore.ts"
import { layerGenerationExecutor } from "./run/executeGeneration.ts"
import type { Analyst } from "./service/Analyst.ts"
import { layerAgentMaintenance, layerAnalyst } from "./service/layerAnalyst.ts"

/** The services that `layerAgent` provides. */
export type AgentServices = GenerationExecutor | Analyst | GenerationRunner

export interface AgentOptions<E, R> {
  /** The layer that runs answers, in fibres of one process or in a cluster. */
  readonly runner: Layer.Layer<GenerationRunner, E, GenerationExecutor | R>
}

/**
 * Provides the analyst and the fibres that run and maintain generations. The references `AgentTiming` and
 * `AnswerBounds` contain the analyst's settings.
 */
export const layerAgent = <E, R>({ runner }: AgentOptions<E, R>): Layer.Layer<
  AgentServices,
  E,
  | Exclude<R, GenerationExecutor>
  | ConversationStore
  | GenerationLog
  | GenerationStore
  | KeyStore
  | LanguageModel
  | Ledger
  | Plans
  | ProposalStore
  | ToolCaller
  | Toolbox
> =>
  Layer.mergeAll(layerAnalyst, layerAgentMaintenance).pipe(
    Layer.provideMerge(runner),
    Layer.provideMerge(layerGenerationExecutor)
  )
