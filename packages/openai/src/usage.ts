import type { Usage } from "@tapeline/core/agent"

type Fields = Readonly<Record<string, unknown>>

export const toFields = (u: unknown): Fields =>
  // The cast is safe because a `Fields` promises nothing about the fields: each field has the type `unknown` and may be
  // missing.
  typeof u === "object" && u !== null ? u as Fields : {}

const firstCount = (...candidates: ReadonlyArray<unknown>): number | undefined =>
  candidates.find((n): n is number => typeof n === "number" && Number.isSafeInteger(n) && n >= 0)

/**
 * Converts the token usage that a server reports, or returns null if the report is unusable. Some servers omit
 * reasoning from the output tokens, but include it in the total.
 */
export const readUsage = (reported: unknown): Usage | null => {
  const usage = toFields(reported)
  const input = firstCount(usage["prompt_tokens"], usage["input_tokens"])
  const reportedOutput = firstCount(usage["completion_tokens"], usage["output_tokens"])
  if (input === undefined || reportedOutput === undefined) return null
  const inputDetails = toFields(usage["prompt_tokens_details"] ?? usage["input_tokens_details"])
  const outputDetails = toFields(usage["completion_tokens_details"] ?? usage["output_tokens_details"])
  const reasoning = firstCount(outputDetails["reasoning_tokens"]) ?? 0
  const output = Math.max(reportedOutput, reasoning, (firstCount(usage["total_tokens"]) ?? 0) - input)
  const cached = firstCount(inputDetails["cached_tokens"], usage["prompt_cache_hit_tokens"]) ?? 0
  return {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: Math.min(cached, input),
    reasoningTokens: reasoning
  }
}
