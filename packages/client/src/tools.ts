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
import { callPatience, type Connection, nameOf } from "./transport/Connection.ts"

/** The tools that this version of the service has: their types alone, nothing of which is loaded. */
export type BuiltIn = typeof specifications

/** What a tool answers to a call that it could answer. */
export interface ToolAnswer<Name extends string = string, Data = unknown> {
  readonly tool: Name
  readonly credits_used: number
  /** What is left of the month's, as it stood right after this call was admitted. */
  readonly credits_left: number
  readonly took_ms: number
  readonly data: Data
}

type AnswerOf<S extends ToolSpecification> = ToolAnswer<S["name"], ResultOf<S>>

/** A tool as a method: its arguments, which may be left out where none is required, and how it is called. */
export type ToolMethod<S extends ToolSpecification> = {} extends ArgumentsOf<S>
  ? (args?: ArgumentsOf<S>, options?: ChargedOptions) => Promise<AnswerOf<S>>
  : (args: ArgumentsOf<S>, options?: ChargedOptions) => Promise<AnswerOf<S>>

/** Every tool as a method under its name. */
export type Tools<Specifications extends ReadonlyArray<ToolSpecification> = BuiltIn> = {
  readonly [S in Specifications[number] as S["name"]]: ToolMethod<S>
}

interface Envelope extends ToolAnswer {
  readonly data: unknown
}

const isEnvelope = (value: unknown): value is Envelope =>
  typeof value === "object" && value !== null && "tool" in value && "data" in value && "credits_left" in value

/** What a failed call says. An older service says less. */
interface FailedCall {
  readonly code: FailureCode
  readonly message: string
  readonly retryable?: boolean
  readonly candidates?: ReadonlyArray<Candidate>
  readonly source?: string
  readonly failure?: ReportedFailure
}

/** What a failed call says; undefined of any other. No result has a field `error`. */
const failureIn = (data: unknown): FailedCall | undefined => {
  if (typeof data !== "object" || data === null || !("error" in data)) return undefined
  const { error } = data
  // As the service's contract has it.
  return typeof error === "object" && error !== null && "code" in error && "message" in error
    ? error as FailedCall // as above
    : undefined
}

/** Calls a tool by its name; one that could not be answered fails with `CallFailed`. */
export const callTool = async (
  connection: Connection,
  name: string,
  args: unknown = {},
  options: ChargedOptions = {}
): Promise<ToolAnswer> => {
  const asked = {
    method: "POST",
    path: `/v1/tools/${encodeURIComponent(name)}`,
    // Made before the first try: a repeat under it is charged once, whatever became of the answer before.
    headers: { "idempotency-key": options.idempotency_key ?? newIdempotencyKey() },
    body: JSON.stringify(args),
    options
  } as const
  const envelope = await connection.json<unknown>(asked, callPatience)
  if (!isEnvelope(envelope)) {
    throw new UnexpectedAnswer(nameOf(asked), 200, "the answer is no tool's", JSON.stringify(envelope))
  }
  const failure = failureIn(envelope.data)
  if (failure === undefined) return envelope
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

/** A name that stands for a tool; `then` would make the whole of the tools look like a promise. */
const isToolName = (name: string | symbol): name is string =>
  typeof name === "string" && name !== "then" && /^[a-z][a-z0-9_]{0,63}$/.test(name)

/**
 * An object whose every property is what `method` makes of its name. So the tools stand in types alone, and a client
 * knows the tools that its service gets later, under their names.
 */
export const byToolName = (method: (name: string) => unknown): object => {
  const known = new Map<string, unknown>()
  return new Proxy<object>({}, {
    get: (_, name) => {
      if (!isToolName(name)) return undefined
      const found = known.get(name) ?? method(name)
      known.set(name, found)
      return found
    }
  })
}
