import type { ModelRequest } from "@tapeline/core/agent"
import type { Effort, OpenAiModelOptions } from "./options.ts"

/** Returns the reasoning effort: as configured for answers, and at most "low" for other purposes. */
export const effortOf = ({ purpose }: ModelRequest, { reasoningEffort }: OpenAiModelOptions): Effort | undefined =>
  purpose === "answer" || reasoningEffort === undefined || reasoningEffort === "none" || reasoningEffort === "minimal"
    ? reasoningEffort
    : "low"
