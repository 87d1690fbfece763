import type { ModelRequest } from "@tapeline/core/agent"
import type { Effort, OpenAiModelOptions } from "./options.ts"

/** How long to reason: as configured for answers, and not long about what stands beside them. */
export const effortOf = ({ purpose }: ModelRequest, { reasoningEffort }: OpenAiModelOptions): Effort | undefined =>
  purpose === "answer" || reasoningEffort === undefined || reasoningEffort === "none" || reasoningEffort === "minimal"
    ? reasoningEffort
    : "low"
