import { type ClientError, isClientError } from "@tapeline/client"

export interface Problem {
  readonly kind:
    | "offline"
    | "unreachable"
    | "signed out"
    | "other account"
    | "sign in again"
    | "scope missing"
    | "out of credits"
    | "too fast"
    | "away"
    | "not there"
    | "refused"
    | "failed"
  /** The service's message in the language of the page; undefined if the service sent no message. */
  readonly message: string | undefined
  readonly requestId: string | undefined
  readonly isRetryable: boolean
}

const textField = (error: object, name: string): string | undefined => {
  const value: unknown = Object.entries(error).find(([field]) => field === name)?.[1]
  return typeof value === "string" ? value : undefined
}

const kindOf = (tag: string, status: number | undefined): Problem["kind"] => {
  if (tag === "OverLimit") return "out of credits"
  if (tag === "OtherAccount") return "other account"
  if (tag === "SignInAgain") return "sign in again"
  if (tag === "AdminScopeRequired") return "scope missing"
  // The client throws `UnexpectedAnswer` if another program responded, such as a proxy in front of an unavailable
  // service.
  if (tag === "UnexpectedAnswer") return "unreachable"
  if (tag === "ConnectionLost" || tag === "DeadlineExceeded") return navigator.onLine ? "unreachable" : "offline"
  if (status === 401) return "signed out"
  if (status === 404) return "not there"
  if (status === 429) return "too fast"
  if (status === 503) return "away"
  return status !== undefined && status < 500 ? "refused" : "failed"
}

/** Returns the message of a rejected request. For invalid arguments, the message lists every issue. */
const messageOf = (error: ClientError): string =>
  error._tag === "InvalidArguments"
    ? error.issues.map(({ message, path }) => [...path.slice(-1), message].join(": ")).join(" ")
    : error.message

const retryableKinds: ReadonlySet<Problem["kind"]> = new Set(["offline", "unreachable", "too fast", "away", "failed"])

/**
 * Converts an error to the problem that the page displays. The error can come from the service or from a bug of the
 * page.
 */
export const toProblem = (error: unknown): Problem => {
  if (!isClientError(error)) {
    return {
      kind: "failed",
      message: error instanceof Error ? error.message : undefined,
      requestId: undefined,
      isRetryable: true
    }
  }
  if (error._tag === "CallFailed") {
    return { kind: "refused", message: error.message, requestId: undefined, isRetryable: error.retryable }
  }
  const kind = kindOf(error._tag, "status" in error ? error.status : undefined)
  return {
    kind,
    message: kind === "unreachable" || kind === "offline" ? undefined : messageOf(error),
    requestId: textField(error, "request_id"),
    isRetryable: retryableKinds.has(kind)
  }
}
