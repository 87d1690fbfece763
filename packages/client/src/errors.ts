import type { ProblemCode, ProblemOf } from "@tapeline/api"
import type { FailureCode, ReportedFailure } from "@tapeline/core/specifications"

const brand = Symbol.for("@tapeline/client/ClientError")

/** The base class of the client's errors: an `Error` with a `_tag` that identifies its kind. */
abstract class TaggedClientError<Tag extends string> extends Error {
  readonly _tag: Tag

  constructor(tag: Tag, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this._tag = tag
    Object.defineProperty(this, "name", { value: tag, configurable: true })
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Converts a code to a tag: `over_limit` to `OverLimit`. */
export type TagOf<Code extends string> = Code extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Word>}${TagOf<Rest>}`
  : Capitalize<Code>

const tagOfCode = (code: string): string =>
  code.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** The fields of a problem that its error also has: all except `type` and `title` of RFC 9457. */
type ProblemFields<Code extends ProblemCode> = Omit<ProblemOf<Code>, "type" | "title">

/** The error of one code, with its tag and the fields of the code's problem. */
export type ProblemErrorOf<Code extends ProblemCode> = Error & ProblemFields<Code> & { readonly _tag: TagOf<Code> }

/**
 * An error with which the service rejects a request. Each code of the contract has its own, distinguished by `_tag` and
 * `code`. A newer service may use a code that this type does not contain; its error has the same form.
 */
export type ProblemError = { readonly [Code in ProblemCode]: ProblemErrorOf<Code> }[ProblemCode]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const reservedNames: ReadonlySet<string> = new Set(["stack", "cause", "_tag", "type", "title"])

/**
 * Whether errors already have a property of this name. A text in place of `toString`, for example, would make the error
 * unprintable.
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

/** By the service's contract, a problem has the fields of its code. The client does not validate them again. */
const isProblemError = (problem: ProblemErrorBase): problem is ProblemErrorBase & ProblemError =>
  "code" in problem && "status" in problem

/** Returns the error in a response's body; undefined if the body is not a problem of the service. */
export const parseProblem = (body: unknown, requestTarget = ""): ProblemError | undefined => {
  if (!isObject(body) || typeof body["code"] !== "string" || typeof body["status"] !== "number") return undefined
  const detail = typeof body["detail"] === "string" ? body["detail"] : body["code"]
  // The requested path reveals a client address with an additional path, such as /v1.
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

/** A valid call that the tool could not answer. It is free. `retryable` is true if the same call may succeed later. */
export class CallFailed extends TaggedClientError<"CallFailed"> {
  readonly tool: string
  readonly code: FailureCode
  readonly retryable: boolean
  /** The stocks that an ambiguous name may mean. */
  readonly candidates: ReadonlyArray<Candidate> | undefined
  /**
   * For `source_unavailable`: the source that failed. `failure` is its kind of failure. Undefined if an older service
   * does not report them.
   */
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

/** No complete response arrived, despite retries. `cause` is the failure of the last try. */
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

/** The caller's timeout has passed. It is unknown whether the service has executed the request. */
export class DeadlineExceeded extends TaggedClientError<"DeadlineExceeded"> {
  readonly timeout_ms: number

  constructor(requestName: string, timeoutMs: number, cause?: unknown) {
    super("DeadlineExceeded", `${requestName}: no response within ${timeoutMs} ms`, cause)
    this.timeout_ms = timeoutMs
  }
}

/** The response does not match the service's contract, for example a proxy's page or a redirect. */
export class UnexpectedAnswer extends TaggedClientError<"UnexpectedAnswer"> {
  readonly status: number
  /** The beginning of the response. */
  readonly body: string

  constructor(requestName: string, status: number, reason: string, body: string) {
    super("UnexpectedAnswer", `${requestName}: ${reason} (status ${status})`)
    this.status = status
    this.body = body.slice(0, 500)
  }
}

/**
 * The answer ended while the connection was lost, and its conversation does not contain it. The answer failed or was
 * cancelled. It was charged only if output had been shown.
 */
export class AnswerLost extends TaggedClientError<"AnswerLost"> {
  readonly conversation_id: number

  constructor(conversationId: number) {
    super("AnswerLost", `The answer in conversation ${conversationId} ended while disconnected, and was not stored`)
    this.conversation_id = conversationId
  }
}

/** All errors of the client's methods, except the abort of the caller. */
export type ClientError = ProblemError | CallFailed | ConnectionLost | DeadlineExceeded | UnexpectedAnswer | AnswerLost

/** Whether an error is one of this client. In a `catch`, this narrows `_tag` and the fields. */
export const isClientError = (error: unknown): error is ClientError =>
  typeof error === "object" && error !== null && brand in error

/** Joins the messages of an error and its causes, because `fetch failed` gives no reason. */
const joinMessages = (error: unknown): string => {
  const messages: Array<string> = []
  for (let next = error; next instanceof Error && messages.length < 4; next = next.cause) {
    if (next.message !== "") messages.push(next.message)
  }
  return messages.length === 0 ? "no reason given" : messages.join(": ")
}
