import type { ModelError } from "@tapeline/core/agent"
import { SourceUnavailable } from "@tapeline/core/market"

const source = "openai"

export const makeMalformed = (reason: string): SourceUnavailable =>
  new SourceUnavailable({ source, failure: "malformed", reason, retryable: true })

/**
 * Converts the error of an embeddings request to a `SourceUnavailable`. Omits the provider's message, because the
 * message may repeat embedded texts.
 */
export const toSourceUnavailable = (failure: ModelError): SourceUnavailable => {
  switch (failure._tag) {
    case "ModelRateLimited": {
      const { retryAfterMs } = failure
      const retryField = retryAfterMs === null ? {} : { retryAfterMs }
      return new SourceUnavailable({
        source,
        failure: "rate_limited",
        reason: "too many requests to the embedding provider",
        retryable: true,
        ...retryField
      })
    }
    case "ModelTimeout":
      return new SourceUnavailable({
        source,
        failure: "unreachable",
        reason: `no response of the embedding provider for ${failure.waitedMs} ms`,
        retryable: true
      })
    case "ModelUnavailable":
      return new SourceUnavailable({
        source,
        failure: "unreachable",
        reason: "the embedding provider cannot be reached, or failed",
        retryable: true
      })
    case "ContextExceeded":
      return new SourceUnavailable({
        source,
        failure: "not_configured",
        reason: "a text is too long for the embedding model",
        retryable: false
      })
    case "ContentFiltered":
      return new SourceUnavailable({
        source,
        failure: "not_configured",
        reason: "a content filter of the embedding provider rejected a text",
        retryable: false
      })
    case "ModelRefused":
      return new SourceUnavailable({
        source,
        failure: "not_configured",
        reason: "the embedding provider rejected the request: check OPENAI_API_KEY, OPENAI_BASE_URL and " +
          "OPENAI_EMBEDDING_MODEL",
        retryable: false,
        variable: "OPENAI_EMBEDDING_MODEL"
      })
  }
}
