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
import { fieldsOf } from "../usage.ts"
import type { Provider } from "./client.ts"
import { tellable } from "./detail.ts"
import { retryAfterOf } from "./retryAfter.ts"
import { Silent } from "./watched.ts"

/** The data for messages about failures: the key, which messages must not contain, and the timeouts. */
type Teller = Pick<Provider, "secret" | "patience">

/** An error that a provider reports, in a response or within a stream. */
export interface Complaint {
  readonly status: number | undefined
  readonly code: string
  readonly message: string
  readonly headers: Headers | undefined
}

const text = (u: unknown): string => typeof u === "string" ? u : typeof u === "number" ? String(u) : ""

/** Reads the error object of a provider. Within a stream, the status can only be in its code. */
export const complaintOf = (error: unknown, status?: number, headers?: Headers): Complaint => {
  const fields = fieldsOf(Array.isArray(error) ? fieldsOf(error[0])["error"] : error)
  const code = text(fields["code"])
  const inCode = /^[45]\d\d$/u.test(code) ? Number(code) : undefined
  const kinds = [code, text(fields["type"]), text(fields["status"])].filter((kind) => kind !== "").join(" ")
  const message = typeof error === "string" ? error : text(fields["message"]) || text(fields["error"])
  return { status: status ?? inCode, code: kinds, message, headers }
}

const contextWords = [
  /context_length_exceeded|exceed_context_size|string_above_max_length|request_too_large/iu,
  /context (length|size|window)|maximum (context|input|prompt)|max(imum)? (model|context) len/iu,
  /(prompt|input|request|messages?) (is |are |was |has )?(too (long|large|many)|exceeds?)/iu,
  /too many (input )?tokens|(token count|number of tokens).{0,60}exceeds|reduce the length/iu,
  /prompt contains \d+ tokens/iu,
  /request too large/iu
]

/** Codes of content filters. A filter that itself failed (`content_filter_error`) is not one of them. */
const filterCode = /\b(content_filter|content_policy_violation|invalid_prompt|data_inspection_failed)\b/iu

const filterWords = [
  /content management policy|content exists risk|potentially violating our usage policy/iu,
  /(rejected by|as a result of) our safety system|requires moderation.{0,60}flagged/iu
]

const noMoney =
  /insufficient_quota|insufficient.{0,8}(balance|credit|funds)|billing|exceeded your current quota|payment/iu

const overloaded = /overloaded|unavailable|server_error|internal|timeout|try again/iu

/** Returns what an operator can do about a rejected request. */
const hint = (status: number | undefined): string => {
  switch (status) {
    case 401:
      return "the provider does not accept the key (OPENAI_API_KEY)"
    case 402:
      return "the provider wants to be paid: the account behind the key has no credit"
    case 403:
      return "the key may not use this model, or not from here (OPENAI_API_KEY, OPENAI_MODEL)"
    case 404:
      return "there is no such model or address (OPENAI_MODEL; OPENAI_BASE_URL usually ends in /v1)"
    case 405:
      return "the address takes no such request (OPENAI_BASE_URL usually ends in /v1; OPENAI_API)"
    default:
      return status !== undefined && status >= 300 && status < 400
        ? "the address leads elsewhere (OPENAI_BASE_URL must be the last one of a redirection)"
        : "the provider does not take the request"
  }
}

const refused = ({ code, message, status }: Complaint, { secret }: Teller): ModelRefused => {
  const said = status === 401 || status === 403 ? "" : tellable([code, message].filter(Boolean).join(": "), secret)
  const number = status === undefined ? "" : ` (status ${status})`
  return new ModelRefused({ detail: `${hint(status)}${number}${said === "" ? "" : `: ${said}`}` })
}

/** Converts an error that a provider reports to an error of the port. */
export const complained = (complaint: Complaint, teller: Teller, nowMs: number): ModelError => {
  const { code, headers, message, status } = complaint
  const said = tellable([code, message].filter(Boolean).join(": "), teller.secret)
  const isOverContext = [code, message].some((one) => contextWords.some((words) => words.test(one)))
  if (noMoney.test(code) || (status === 429 && noMoney.test(message))) {
    return new ModelRefused({ detail: `${hint(402)}: ${said}` })
  }
  const isFiltered = filterCode.test(code) || filterWords.some((words) => words.test(message))
  if (isFiltered && (status === undefined || status < 500)) return new ContentFiltered({ detail: said })
  if (isOverContext && (status === undefined || status < 500)) return new ContextExceeded({ detail: said })
  if (status === 413) return new ContextExceeded({ detail: said || "the request is too large" })
  if (status === 429 || /rate_?limit|too_many_requests|RESOURCE_EXHAUSTED/iu.test(code)) {
    return new ModelRateLimited({ retryAfterMs: retryAfterOf(headers, message, nowMs) })
  }
  const isTheirs = status === undefined
    ? overloaded.test(code) || overloaded.test(message) || code === ""
    : status >= 500 || status === 408 || status === 409 || status === 425
  if (!isTheirs) return refused(complaint, teller)
  return new ModelUnavailable({ detail: `${status === undefined ? "it failed" : `status ${status}`}: ${said}` })
}

/** Returns the error code of the system or of the HTTP client, from any level of an error's causes. */
const systemCode = (error: unknown): string | undefined => {
  let at: unknown = error
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if ("code" in at && typeof at.code === "string" && /^[A-Z0-9_]{2,40}$/u.test(at.code)) return at.code
    at = at.cause
  }
  return undefined
}

const silence = (error: unknown): Silent | undefined => {
  let at: unknown = error
  for (let depth = 0; depth < 8 && at instanceof Error; depth++) {
    if (at instanceof Silent) return at
    at = at.cause
  }
  return undefined
}

/** Converts an error that the client threw to an error of the port. */
export const failureOf = (error: unknown, teller: Teller, nowMs: number): ModelError => {
  const silent = silence(error)
  if (silent !== undefined) return new ModelTimeout({ waitedMs: silent.waitedMs })
  const code = systemCode(error)
  if (code === "UND_ERR_CONNECT_TIMEOUT") return new ModelTimeout({ waitedMs: teller.patience.connectMs })
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    return complained(complaintOf(error.error ?? "", error.status, error.headers), teller, nowMs)
  }
  if (error instanceof SyntaxError) return new ModelUnavailable({ detail: "it sent what is no JSON" })
  const what = error instanceof APIConnectionError ? "it cannot be reached" : "it broke off"
  return new ModelUnavailable({ detail: code === undefined ? what : `${what} (${code})` })
}
