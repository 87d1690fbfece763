import type { ProblemOf, RefusalCode } from "@tapeline/api"
import type { FailureCode, ReportedFailure } from "@tapeline/core/specifications"

const brand = Symbol.for("@tapeline/client/ClientError")

/** What every error of this client is: an `Error` with a `_tag` that tells which. */
abstract class Tagged<Tag extends string> extends Error {
  readonly _tag: Tag

  constructor(tag: Tag, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this._tag = tag
    Object.defineProperty(this, "name", { value: tag, configurable: true })
    Object.defineProperty(this, brand, { value: true })
  }
}

/** `over_limit` as a tag: `OverLimit`. */
export type TagOf<Code extends string> = Code extends `${infer Word}_${infer Rest}`
  ? `${Capitalize<Word>}${TagOf<Rest>}`
  : Capitalize<Code>

const tagOf = (code: string): string =>
  code.split("_").map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")

/** What a problem has that its error has under the same name: all but the words of RFC 9457 itself. */
type Told<Code extends RefusalCode> = Omit<ProblemOf<Code>, "type" | "title">

/** The refusal of one code: its tag, and the fields that the code's problem has. */
export type RefusalOf<Code extends RefusalCode> = Error & Told<Code> & { readonly _tag: TagOf<Code> }

/**
 * What the service refuses a request with: one error for each code of its contract, which `_tag` and `code` tell apart.
 * A service that is newer than this client may refuse with a code that stands in no type here; it comes as it is.
 */
export type Refusal = { readonly [Code in RefusalCode]: RefusalOf<Code> }[RefusalCode]

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const ownNames: ReadonlySet<string> = new Set(["stack", "cause", "_tag", "type", "title"])

/** What errors have of themselves: a text in place of `toString` would make one that cannot be printed. */
const isOwn = (name: string): boolean => ownNames.has(name) || name in Error.prototype

class Problem extends Tagged<string> {
  constructor(code: string, detail: string, fields: Readonly<Record<string, unknown>>) {
    super(tagOf(code), detail)
    for (const [name, value] of Object.entries(fields)) {
      if (!isOwn(name)) Object.defineProperty(this, name, { value, enumerable: true })
    }
  }
}

/** A problem has its code's own fields as the service's contract says: what came is not judged again here. */
const isRefusal = (problem: Problem): problem is Problem & Refusal => "code" in problem && "status" in problem

/** The refusal that a body tells of what was asked; undefined when it is no problem of the service. */
export const refusalIn = (body: unknown, asked = ""): Refusal | undefined => {
  if (!isObject(body) || typeof body["code"] !== "string" || typeof body["status"] !== "number") return undefined
  const detail = typeof body["detail"] === "string" ? body["detail"] : body["code"]
  // Which address that was tells whoever gave the client one with more behind it, as /v1.
  const message = body["code"] === "not_found" && asked !== "" ? `${detail} (${asked})` : detail
  const problem = new Problem(body["code"], message, body)
  return isRefusal(problem) ? problem : undefined
}

/** A stock that an ambiguous name may mean. */
export interface Candidate {
  readonly symbol: string
  readonly name: string
  readonly exchange: string
}

/**
 * A call that was made properly and that the tool could not answer. It cost nothing. `retryable` is true where the same
 * call may succeed later.
 */
export class CallFailed extends Tagged<"CallFailed"> {
  readonly tool: string
  readonly code: FailureCode
  readonly retryable: boolean
  /** Of an ambiguous name: what it may mean. */
  readonly candidates: ReadonlyArray<Candidate> | undefined
  /** Of `source_unavailable`: the source that failed, and how; undefined where an older service does not say. */
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

/** No whole answer came, however often it was asked for; `cause` is what the last try met. */
export class ConnectionLost extends Tagged<"ConnectionLost"> {
  readonly tries: number

  constructor(what: string, tries: number, cause: unknown) {
    super(
      "ConnectionLost",
      `${what}: no whole answer in ${tries} ${tries === 1 ? "try" : "tries"}: ${told(cause)}`,
      cause
    )
    this.tries = tries
  }
}

/** The time that the caller gave was over. Whether the service has done what was asked is not known. */
export class DeadlineExceeded extends Tagged<"DeadlineExceeded"> {
  readonly timeout_ms: number

  constructor(what: string, timeoutMs: number, cause?: unknown) {
    super("DeadlineExceeded", `${what}: not within ${timeoutMs} ms`, cause)
    this.timeout_ms = timeoutMs
  }
}

/** Something answered that is not the service, or not as its contract says: a proxy's page, a redirect. */
export class UnexpectedAnswer extends Tagged<"UnexpectedAnswer"> {
  readonly status: number
  /** The beginning of what came. */
  readonly body: string

  constructor(what: string, status: number, why: string, body: string) {
    super("UnexpectedAnswer", `${what}: ${why} (status ${status})`)
    this.status = status
    this.body = body.slice(0, 500)
  }
}

/**
 * The answer ended while the connection was away, and its conversation has nothing of it: it failed, or was cancelled
 * before anything of it was written. It was not charged.
 */
export class AnswerLost extends Tagged<"AnswerLost"> {
  readonly conversation_id: number

  constructor(conversationId: number) {
    super("AnswerLost", `The answer in conversation ${conversationId} ended, and nothing of it was kept`)
    this.conversation_id = conversationId
  }
}

/** Everything that a method of the client fails with, but for the abort of its caller. */
export type ClientError = Refusal | CallFailed | ConnectionLost | DeadlineExceeded | UnexpectedAnswer | AnswerLost

/** True for an error of this client; in a `catch` it makes `_tag` and the fields known. */
export const isClientError = (error: unknown): error is ClientError =>
  typeof error === "object" && error !== null && brand in error

/** What an error says, with what lies under it: `fetch failed` alone tells nobody anything. */
const told = (error: unknown): string => {
  const parts: Array<string> = []
  for (let next = error; next instanceof Error && parts.length < 4; next = next.cause) {
    if (next.message !== "") parts.push(next.message)
  }
  return parts.length === 0 ? "no reason given" : parts.join(": ")
}
