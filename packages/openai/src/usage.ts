import type { Usage } from "@tapeline/core/agent"

type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (u: unknown): Fields =>
  // Any field may be read, and no field is assumed to exist.
  typeof u === "object" && u !== null ? u as Fields : {}

const count = (...candidates: ReadonlyArray<unknown>): number | undefined =>
  candidates.find((n): n is number => typeof n === "number" && Number.isSafeInteger(n) && n >= 0)

/**
 * Converts the usage that a server reports, in the names of either API; null if the report is unusable. Some servers
 * omit reasoning from the output and include it in the total.
 */
export const usageOf = (reported: unknown): Usage | null => {
  const usage = fieldsOf(reported)
  const input = count(usage["prompt_tokens"], usage["input_tokens"])
  const written = count(usage["completion_tokens"], usage["output_tokens"])
  if (input === undefined || written === undefined) return null
  const read = fieldsOf(usage["prompt_tokens_details"] ?? usage["input_tokens_details"])
  const wrote = fieldsOf(usage["completion_tokens_details"] ?? usage["output_tokens_details"])
  const reasoning = count(wrote["reasoning_tokens"]) ?? 0
  const output = Math.max(written, reasoning, (count(usage["total_tokens"]) ?? 0) - input)
  const cached = count(read["cached_tokens"], usage["prompt_cache_hit_tokens"]) ?? 0
  return {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: Math.min(cached, input),
    reasoningTokens: reasoning
  }
}
