import type { ProblemCode, ProblemOf } from "@tapeline/api"
import type { FailureCode, ReportedFailure } from "@tapeline/core/specifications"

const brand = Symbol.for("@tapeline/client/ClientError")

/** The base class of the client's errors: an `Error` whose `_tag` identifies the kind of error. */
abstract class TaggedClientError<Tag extends string> extends Error {
  readonly _tag: Tag

  constructor(tag: Tag, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this._tag = tag
    Object.defineProperty(this, "name", { value: tag, configurable: true })
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Converts an error code to an error tag: `over_limit` to `OverLimit`. */
export type TagOf<Code extends string> = Code extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Word>}${TagOf<Rest>}`
  : Capitalize<Code>

const tagOfCode = (code: string): string =>
  code.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** The fields of an RFC 9457 problem that the client's error repeats: all except `type` and `title`. */
type ProblemFields<Code extends ProblemCode> = Omit<ProblemOf<Code>, "type" | "title">

/**
 * The client's error for one error code of the service. The error contains the fields of the problem response and a
 * `_tag`.
 */
export type ProblemErrorOf<Code extends ProblemCode> = Error & ProblemFields<Code> & { readonly _tag: TagOf<Code> }

/** An error with which the service rejects a request. A newer service may return unknown error codes. */
export type ProblemError = { readonly [Code in ProblemCode]: ProblemErrorOf<Code> }[ProblemCode]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const reservedNames: ReadonlySet<string> = new Set(["stack", "cause", "_tag", "type", "title"])

/**
 * Returns whether `Error` already has a property with the name `name`. Replacing a property of `Error`, for example
 * `toString`, could make the error unprintable.
 */
const isReserved = (name: string): boolean => reservedNames.has(name) || name in Error.prototype

class ProblemErrorBase extends TaggedClientError<string> {
  constructor(code: string, detail: string, fields: Readonly<Record<string, unknown>>) {
    super(tagOfCode(code), detail)
    for (const [name, value] of Object.entries(fields)) {
      if (!isReserved(name)) Object.defineProperty(this, name, { value, enumerable: true })
    }
  }
}

/** Narrows the type of a problem without checking the fields. The service guarantees the fields of each error code. */
const isProblemError = (problem: ProblemErrorBase): problem is ProblemErrorBase & ProblemError =>
  "code" in problem && "status" in problem

export const parseProblem = (body: unknown, requestTarget = ""): ProblemError | undefined => {
  if (!isObject(body) || typeof body["code"] !== "string" || typeof body["status"] !== "number") return undefined
  const detail = typeof body["detail"] === "string" ? body["detail"] : body["code"]
  // The message contains the requested path, so that the user notices a wrong path in the configured URL, such as
  // `/v1`.
  const message = body["code"] === "not_found" && requestTarget !== "" ? `${detail} (${requestTarget})` : detail
  const problem = new ProblemErrorBase(body["code"], message, body)
  return isProblemError(problem) ? problem : undefined
}

/** A stock that an ambiguous name may mean. */
export interface Candidate {
  readonly symbol: string
  readonly name: string
  readonly exchange: string
}

/**
 * The tool could not answer a valid call, and the service charged nothing. `retryable` is true if an identical call may
 * succeed later.
 */
export class CallFailed extends TaggedClientError<"CallFailed"> {
  readonly tool: string
  readonly code: FailureCode
  readonly retryable: boolean
  readonly candidates: ReadonlyArray<Candidate> | undefined
  /** The failed data source of the error `source_unavailable`, or undefined from an older service. */
  readonly source: string | undefined
  readonly failure: ReportedFailure | undefined
  readonly credits_left: number

  constructor(fields: {
    readonly tool: string
    readonly code: FailureCode
    readonly message: string
    readonly retryable: boolean
    readonly candidates: ReadonlyArray<Candidate> | undefined
    readonly source: string | undefined
    readonly failure: ReportedFailure | undefined
    readonly credits_left: number
  }) {
    super("CallFailed", fields.message)
    this.tool = fields.tool
    this.code = fields.code
    this.retryable = fields.retryable
    this.candidates = fields.candidates
    this.source = fields.source
    this.failure = fields.failure
    this.credits_left = fields.credits_left
  }
}

/** No complete response arrived, despite retries; `cause` is the failure of the last try. */
export class ConnectionLost extends TaggedClientError<"ConnectionLost"> {
  readonly tries: number

  constructor(requestName: string, attempts: number, cause: unknown) {
    super(
      "ConnectionLost",
      `${requestName}: no complete response in ${attempts} ${attempts === 1 ? "try" : "tries"}: ${joinMessages(cause)}`,
      cause
    )
    this.tries = attempts
  }
}

/** The caller's timeout has passed, and the service may or may not have executed the request. */
export class DeadlineExceeded extends TaggedClientError<"DeadlineExceeded"> {
  readonly timeout_ms: number

  constructor(requestName: string, timeoutMs: number, cause?: unknown) {
    super("DeadlineExceeded", `${requestName}: no response within ${timeoutMs} ms`, cause)
    this.timeout_ms = timeoutMs
  }
}

/** The response does not match the service's API, for example a proxy's error page or a redirect. */
export class UnexpectedAnswer extends TaggedClientError<"UnexpectedAnswer"> {
  readonly status: number
  /** The first 500 characters of the response body. */
  readonly body: string

  constructor(requestName: string, status: number, reason: string, body: string) {
    super("UnexpectedAnswer", `${requestName}: ${reason} (status ${status})`)
    this.status = status
    this.body = body.slice(0, 500)
  }
}

/**
 * An answer failed or was cancelled while the client was disconnected, and the service did not store the answer. The
 * service charged the answer only if the answer had shown output.
 */
export class AnswerLost extends TaggedClientError<"AnswerLost"> {
  readonly conversation_id: number

  constructor(conversationId: number) {
    super("AnswerLost", `The answer in conversation ${conversationId} ended while disconnected, and was not stored`)
    this.conversation_id = conversationId
  }
}

/** All errors of the client's methods, except an abort by the caller. */
export type ClientError = ProblemError | CallFailed | ConnectionLost | DeadlineExceeded | UnexpectedAnswer | AnswerLost

/** Returns whether an error is a `ClientError`, whose type a caller can narrow by `_tag`. */
export const isClientError = (error: unknown): error is ClientError =>
  typeof error === "object" && error !== null && brand in error

/** Joins the messages of an error and of all its causes, because `fetch failed` alone does not contain the reason. */
const joinMessages = (error: unknown): string => {
  const messages: Array<string> = []
  for (let next = error; next instanceof Error && messages.length < 4; next = next.cause) {
    if (next.message !== "") messages.push(next.message)
  }
  return messages.length === 0 ? "no reason given" : messages.join(": ")
}
