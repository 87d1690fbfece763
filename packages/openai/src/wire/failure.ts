import {
  ContentFiltered,
  ContextExceeded,
  type ModelError,
  ModelRateLimited,
  ModelRefused,
  ModelTimeout,
  ModelUnavailable
} from "@tapeline/core/agent"
import { APIConnectionError, APIError } from "openai"
import { toStorableText } from "../text.ts"
import { toFields } from "../usage.ts"
import type { Provider } from "./client.ts"
import { readRetryAfter } from "./retryAfter.ts"
import { SilenceTimeout } from "./watchBody.ts"

const maxLength = 300

/** The minimum number of consecutive characters of the API key that cause a word to be hidden. */
const minSecretPart = 6

const containsPartOf = (word: string, secret: string): boolean => {
  if (secret.length <= minSecretPart) return word.includes(secret)
  for (let i = 0; i + minSecretPart <= secret.length; i++) {
    if (word.includes(secret.slice(i, i + minSecretPart))) return true
  }
  return false
}

/**
 * Makes a provider's text safe to show: shortens it to one line, and hides URLs, which may contain passwords. Also
 * hides words that contain a part of the API key or look like a key.
 */
export const toSafeMessage = (message: string, secret: string): string => {
  const words = toStorableText(message.slice(0, 4 * maxLength)).replace(/[\p{C}\s]+/gu, " ").trim().split(" ")
  const safeText = words.map((word) =>
    /:\/\/|\*\*|…\w|^["'(]?(sk|pk|key|tok)[-_]\w/iu.test(word) || (secret !== "" && containsPartOf(word, secret))
      ? "[...]"
      : word
  ).join(" ")
  return safeText.length > maxLength ? `${safeText.slice(0, maxLength).toWellFormed()}...` : safeText
}

/** The API key to hide in failure messages, and the timeouts to report in failure messages. */
type FailureContext = Pick<Provider, "secret" | "timeouts">

export interface ProviderError {
  readonly status: number | undefined
  readonly code: string
  readonly message: string
  readonly headers: Headers | undefined
}

const text = (u: unknown): string => typeof u === "string" ? u : typeof u === "number" ? String(u) : ""

/**
 * Parses an error object of a provider. An error within a stream has no HTTP status, so the status is derived from the
 * code of the error.
 */
export const readProviderError = (error: unknown, status?: number, headers?: Headers): ProviderError => {
  const fields = toFields(Array.isArray(error) ? toFields(error[0])["error"] : error)
  const code = text(fields["code"])
  const statusInCode = /^[45]\d\d$/u.test(code) ? Number(code) : undefined
  const kinds = [code, text(fields["type"]), text(fields["status"])].filter((kind) => kind !== "").join(" ")
  const message = typeof error === "string" ? error : text(fields["message"]) || text(fields["error"])
  return { status: status ?? statusInCode, code: kinds, message, headers }
}

const contextPatterns = [
  /context_length_exceeded|exceed_context_size|string_above_max_length|request_too_large/iu,
  /context (length|size|window)|maximum (context|input|prompt)|max(imum)? (model|context) len/iu,
  /(prompt|input|request|messages?) (is |are |was |has )?(too (long|large|many)|exceeds?)/iu,
  /too many (input )?tokens|(token count|number of tokens).{0,60}exceeds|reduce the length/iu,
  /prompt contains \d+ tokens/iu,
  /request too large/iu
]

/** Matches the error codes of content filters, but not `content_filter_error`, the code of a failed filter. */
const filterCodePattern = /\b(content_filter|content_policy_violation|invalid_prompt|data_inspection_failed)\b/iu

const filterPatterns = [
  /content management policy|content exists risk|potentially violating our usage policy/iu,
  /(rejected by|as a result of) our safety system|requires moderation.{0,60}flagged/iu
]

const billingPattern =
  /insufficient_quota|insufficient.{0,8}(balance|credit|funds)|billing|exceeded your current quota|payment/iu

const overloadPattern = /overloaded|unavailable|server_error|internal|timeout|try again/iu

/** Returns the cause of a rejected request for the operator, with the settings to check. */
const explainStatus = (status: number | undefined): string => {
  switch (status) {
    case 401:
      return "the provider rejected the key (OPENAI_API_KEY)"
    case 402:
      return "the account of the key has no credit at the provider"
    case 403:
      return "the key may not use this model, or not from this region (OPENAI_API_KEY, OPENAI_MODEL)"
    case 404:
      return "there is no such model or address (OPENAI_MODEL; OPENAI_BASE_URL usually ends in /v1)"
    case 405:
      return "the address does not support this request (OPENAI_BASE_URL usually ends in /v1; OPENAI_API)"
    default:
      return status !== undefined && status >= 300 && status < 400
        ? "the address redirects (OPENAI_BASE_URL must be the target of the redirection)"
        : "the provider rejected the request"
  }
}

const toModelRefused = ({ code, message, status }: ProviderError, { secret }: FailureContext): ModelRefused => {
  const safeMessage = status === 401 || status === 403
    ? ""
    : toSafeMessage([code, message].filter(Boolean).join(": "), secret)
  const number = status === undefined ? "" : ` (status ${status})`
  return new ModelRefused({
    detail: `${explainStatus(status)}${number}${safeMessage === "" ? "" : `: ${safeMessage}`}`
  })
}

/** Converts an error that a provider reports to a `ModelError`. */
export const toModelError = (providerError: ProviderError, context: FailureContext, nowMs: number): ModelError => {
  const { code, headers, message, status } = providerError
  const safeMessage = toSafeMessage([code, message].filter(Boolean).join(": "), context.secret)
  const isOverContext = [code, message].some((one) => contextPatterns.some((words) => words.test(one)))
  if (billingPattern.test(code) || (status === 429 && billingPattern.test(message))) {
    return new ModelRefused({ detail: `${explainStatus(402)}: ${safeMessage}` })
  }
  const isFiltered = filterCodePattern.test(code) || filterPatterns.some((words) => words.test(message))
  if (isFiltered && (status === undefined || status < 500)) return new ContentFiltered({ detail: safeMessage })
  if (isOverContext && (status === undefined || status < 500)) return new ContextExceeded({ detail: safeMessage })
  if (status === 413) return new ContextExceeded({ detail: safeMessage || "the request is too large" })
  if (status === 429 || /rate_?limit|too_many_requests|RESOURCE_EXHAUSTED/iu.test(code)) {
    return new ModelRateLimited({ retryAfterMs: readRetryAfter(headers, message, nowMs) })
  }
  const isProviderFault = status === undefined
    ? overloadPattern.test(code) || overloadPattern.test(message) || code === ""
    : status >= 500 || status === 408 || status === 409 || status === 425
  if (!isProviderFault) return toModelRefused(providerError, context)
  return new ModelUnavailable({ detail: `${status === undefined ? "it failed" : `status ${status}`}: ${safeMessage}` })
}

/** Returns the error code of the system or of the HTTP client, from any level of an error's causes. */
const findSystemCode = (error: unknown): string | undefined => {
  let current: unknown = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if ("code" in current && typeof current.code === "string" && /^[A-Z0-9_]{2,40}$/u.test(current.code)) {
      return current.code
    }
    current = current.cause
  }
  return undefined
}

const findSilence = (error: unknown): SilenceTimeout | undefined => {
  let current: unknown = error
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (current instanceof SilenceTimeout) return current
    current = current.cause
  }
  return undefined
}

/** Converts an error that the client threw to a `ModelError`. */
export const toFailure = (error: unknown, context: FailureContext, nowMs: number): ModelError => {
  const silenceError = findSilence(error)
  if (silenceError !== undefined) return new ModelTimeout({ waitedMs: silenceError.waitedMs })
  const code = findSystemCode(error)
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new ModelTimeout({ waitedMs: context.timeouts.connectMs })
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    return toModelError(readProviderError(error.error ?? "", error.status, error.headers), context, nowMs)
  }
  if (error instanceof SyntaxError) return new ModelUnavailable({ detail: "the response is not JSON" })
  const description = error instanceof APIConnectionError
    ? "the provider cannot be reached"
    : "the connection broke off"
  return new ModelUnavailable({ detail: code === undefined ? description : `${description} (${code})` })
}
