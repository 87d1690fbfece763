import { type ClientError, isClientError } from "@tapeline/client"

/** What went wrong, as a page tells it. */
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
  /** What the service says of it, in the language of the page; nothing where it said nothing. */
  readonly says: string | undefined
  /** What a search of the service's log finds it by. */
  readonly request: string | undefined
  /** Whether the same may go well if it is tried again. */
  readonly again: boolean
}

const textOf = (error: object, name: string): string | undefined => {
  const value: unknown = Object.entries(error).find(([field]) => field === name)?.[1]
  return typeof value === "string" ? value : undefined
}

const kindOf = (tag: string, status: number | undefined): Trouble["kind"] => {
  if (tag === "OverLimit") return "out of credits"
  if (tag === "OtherAccount") return "other account"
  // Something answered that is not the service: a proxy in front of one that is away.
  if (tag === "UnexpectedAnswer") return "unreachable"
  if (tag === "ConnectionLost" || tag === "DeadlineExceeded") return navigator.onLine ? "unreachable" : "offline"
  if (status === 401) return "signed out"
  if (status === 404) return "not there"
  if (status === 429) return "too fast"
  if (status === 503) return "away"
  return status !== undefined && status < 500 ? "refused" : "failed"
}

/** The text of a refusal. For wrong arguments it names each one; the service's own sentence counts them only. */
const toldBy = (error: ClientError): string =>
  error._tag === "InvalidArguments"
    ? error.issues.map(({ message, path }) => [...path.slice(-1), message].join(": ")).join(" ")
    : error.message

const worthAnotherTry: ReadonlySet<Trouble["kind"]> = new Set(["offline", "unreachable", "too fast", "away", "failed"])

/** What an error of the client comes to. An error that is none of its own is a fault of the page. */
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
