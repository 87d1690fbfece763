import { type ClientError, isClientError } from "@tapeline/client"

/** An error, as a page shows it. */
export interface Trouble {
  readonly kind:
    | "offline"
    | "unreachable"
    | "signed out"
    | "other account"
    | "out of credits"
    | "too fast"
    | "away"
    | "not there"
    | "refused"
    | "failed"
  /** The service's message, in the language of the page; undefined if it sent none. */
  readonly says: string | undefined
  /** The request id, for a search in the service's log. */
  readonly request: string | undefined
  /** True if a retry may succeed. */
  readonly again: boolean
}

const textOf = (error: object, name: string): string | undefined => {
  const value: unknown = Object.entries(error).find(([field]) => field === name)?.[1]
  return typeof value === "string" ? value : undefined
}

const kindOf = (tag: string, status: number | undefined): Trouble["kind"] => {
  if (tag === "OverLimit") return "out of credits"
  if (tag === "OtherAccount") return "other account"
  // Another program responded, such as a proxy in front of an unavailable service.
  if (tag === "UnexpectedAnswer") return "unreachable"
  if (tag === "ConnectionLost" || tag === "DeadlineExceeded") return navigator.onLine ? "unreachable" : "offline"
  if (status === 401) return "signed out"
  if (status === 404) return "not there"
  if (status === 429) return "too fast"
  if (status === 503) return "away"
  return status !== undefined && status < 500 ? "refused" : "failed"
}

/** The message of a rejected request. For wrong arguments it lists the issues, which the service's message counts. */
const toldBy = (error: ClientError): string =>
  error._tag === "InvalidArguments"
    ? error.issues.map(({ message, path }) => [...path.slice(-1), message].join(": ")).join(" ")
    : error.message

const worthAnotherTry: ReadonlySet<Trouble["kind"]> = new Set(["offline", "unreachable", "too fast", "away", "failed"])

/** Converts an error for display. An error that the client did not create is a defect of the page. */
export const troubleOf = (error: unknown): Trouble => {
  if (!isClientError(error)) {
    return { kind: "failed", says: error instanceof Error ? error.message : undefined, request: undefined, again: true }
  }
  if (error._tag === "CallFailed") {
    return { kind: "refused", says: error.message, request: undefined, again: error.retryable }
  }
  const kind = kindOf(error._tag, "status" in error ? error.status : undefined)
  return {
    kind,
    says: kind === "unreachable" || kind === "offline" ? undefined : toldBy(error),
    request: textOf(error, "request_id"),
    again: worthAnotherTry.has(kind)
  }
}
