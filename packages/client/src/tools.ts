import type {
  ArgumentsOf,
  FailureCode,
  ReportedFailure,
  ResultOf,
  specifications,
  ToolSpecification
} from "@tapeline/core/specifications"
import { CallFailed, type Candidate, UnexpectedAnswer } from "./errors.ts"
import { newIdempotencyKey } from "./idempotencyKey.ts"
import type { ChargedOptions } from "./settings.ts"
import { type Connection, defaultRetryPolicy, requestNameOf } from "./transport/Connection.ts"

/** The type of all tool specifications in this version of the service. The client imports only types, no tool code. */
export type BuiltIn = typeof specifications

/** The result of a successful call of a tool. */
export interface ToolAnswer<Name extends string = string, Data = unknown> {
  readonly tool: Name
  readonly credits_used: number
  /** The remaining credits of the month, directly after the service admitted the call. */
  readonly credits_left: number
  readonly took_ms: number
  readonly data: Data
  /** The id of the call, for questions to the operator; undefined if an older version of the service omits the id. */
  readonly call_id?: string
}

type AnswerOf<S extends ToolSpecification> = ToolAnswer<S["name"], ResultOf<S>>

/** The type of a tool as a method. The arguments of the method are optional if the tool has no required argument. */
export type ToolMethod<S extends ToolSpecification> = {} extends ArgumentsOf<S>
  ? (args?: ArgumentsOf<S>, options?: ChargedOptions) => Promise<AnswerOf<S>>
  : (args: ArgumentsOf<S>, options?: ChargedOptions) => Promise<AnswerOf<S>>

/** All tools as methods, by tool name. */
export type Tools<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> = {
  readonly [S in Specifications[number] as S["name"]]: ToolMethod<S>
}

interface ToolEnvelope extends ToolAnswer {
  readonly data: unknown
}

const isEnvelope = (value: unknown): value is ToolEnvelope =>
  typeof value === "object" && value !== null && "tool" in value && "data" in value && "credits_left" in value

/** The error of a failed tool call. Older versions of the service omit the optional fields. */
interface ToolError {
  readonly code: FailureCode
  readonly message: string
  readonly retryable?: boolean
  readonly candidates?: ReadonlyArray<Candidate>
  readonly source?: string
  readonly failure?: ReportedFailure
}

/**
 * Returns the error in the `data` of a tool's response, or undefined if the call succeeded. The result of a successful
 * call never has a field `error`.
 */
const toolErrorIn = (data: unknown): ToolError | undefined => {
  if (typeof data !== "object" || data === null || !("error" in data)) return undefined
  const { error } = data
  return typeof error === "object" && error !== null && "code" in error && "message" in error
    ? error as ToolError // The cast is safe because the API defines the fields of an error.
    : undefined
}

/** Calls a tool by name; fails with `CallFailed` if the tool could not return a result. */
export const callTool = async (
  connection: Connection,
  name: string,
  args: unknown = {},
  options: ChargedOptions = {}
): Promise<ToolAnswer> => {
  const request = {
    method: "POST",
    path: `/v1/tools/${encodeURIComponent(name)}`,
    // The idempotency key is created before the first try, so that retries are charged once.
    headers: { "idempotency-key": options.idempotency_key ?? newIdempotencyKey() },
    body: JSON.stringify(args),
    options
  } as const
  const { callId, envelope } = await connection.request(
    request,
    defaultRetryPolicy,
    async (response, { abortScope }) => ({
      callId: response.headers.get("tapeline-call-id"),
      envelope: await connection.body(request, response, abortScope)
    })
  )
  if (!isEnvelope(envelope)) {
    throw new UnexpectedAnswer(requestNameOf(request), 200, "not a tool result", JSON.stringify(envelope))
  }
  const failure = toolErrorIn(envelope.data)
  if (failure === undefined) return callId === null ? envelope : { ...envelope, call_id: callId }
  throw new CallFailed({
    tool: envelope.tool,
    code: failure.code,
    message: failure.message,
    retryable: failure.retryable === true,
    candidates: failure.candidates,
    source: failure.source,
    failure: failure.failure,
    credits_left: envelope.credits_left
  })
}

/**
 * Returns whether a property name can be the name of a tool. Excludes `then`, because JavaScript would treat an object
 * with a method `then` as a promise.
 */
const isToolName = (name: string | symbol): name is string =>
  typeof name === "string" && name !== "then" && /^[a-z][a-z0-9_]{0,63}$/.test(name)

/** Returns a proxy with a method for any tool name, so that a client can call tools that the service adds later. */
export const makeToolProxy = (method: (name: string) => unknown): object => {
  const methods = new Map<string, unknown>()
  return new Proxy<object>({}, {
    get: (_, name) => {
      if (!isToolName(name)) return undefined
      const found = methods.get(name) ?? method(name)
      methods.set(name, found)
      return found
    }
  })
}
