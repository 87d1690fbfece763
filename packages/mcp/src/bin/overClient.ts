import { type AnswerEvent, type Client, type ClientError, isClientError } from "@tapeline/client"
import { progressIn } from "../progress.ts"
import {
  type Answered,
  type Asking,
  type Called,
  type Catalogue,
  type Problem,
  type Question,
  type Service,
  ServiceError,
  type Trouble
} from "../service.ts"

/**
 * The longest wait. The caller is a model's host with a timeout of about a minute, so a longer wait is reported as an
 * error.
 */
const longest_wait_ms = 5_000

/** Converts an error of the client to its problem: its own fields, without those of `Error`. */
const problemOf = (
  { _tag, ...problem }: Extract<ClientError, { readonly code: string; readonly detail: string }>
): Problem => problem

const troubleOf = (error: ClientError): Trouble => {
  switch (error._tag) {
    case "CallFailed": {
      const { candidates, code, failure, message, retryable, source } = error
      return { kind: "failed", code, message, retryable, candidates, source, failure }
    }
    case "ConnectionLost":
    case "DeadlineExceeded":
    case "UnexpectedAnswer":
      return { kind: "unreachable", message: error.message }
    case "AnswerLost":
      return { kind: "failed", code: "answer_lost", message: error.message, retryable: true }
    default:
      return { kind: "refused", problem: problemOf(error) }
  }
}

/** Converts an error of the client to a `ServiceError`. Other errors, such as an abort, are returned unchanged. */
export const asServiceError = (error: unknown): unknown =>
  isClientError(error) ? new ServiceError(troubleOf(error), error) : error

const translated = async <A>(work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    throw asServiceError(error)
  }
}

/** Builds an answer from its events. */
class Gathered {
  #done: Extract<AnswerEvent, { readonly kind: "done" }>["data"] | undefined
  #suggestions: ReadonlyArray<string> = []
  #storedOutcome: Answered["outcome"] | undefined

  take(event: AnswerEvent): void {
    if (event.kind === "done") this.#done = event.data
    if (event.kind === "suggest") this.#suggestions = event.data.questions
    if (event.kind === "stored") {
      this.#suggestions = event.data.message.suggestions
      this.#storedOutcome = event.data.message.outcome ?? "finished"
    }
  }

  answer(text: string, conversation: number): Answered {
    const { credits_left, credits_used, error, outcome } = this.#done ?? {}
    return {
      answer: text,
      conversation_id: conversation,
      outcome: outcome ?? this.#storedOutcome ?? "finished",
      credits_used,
      credits_left,
      suggestions: this.#suggestions,
      error
    }
  }
}

/**
 * Asks a question and reads the answer to its end. A caller may cancel before the conversation is known. The answer is
 * then cancelled as soon as the conversation is known, because an answer is charged once it has output.
 */
const ask = async (client: Client, question: Question, { cancelled, left, onProgress }: Asking): Promise<Answered> => {
  cancelled.throwIfAborted()
  const leaving = new AbortController()
  const leave = () => leaving.abort(left?.reason)
  left?.addEventListener("abort", leave, { once: true })
  if (left?.aborted === true) leave()
  const stream = client.agent.stream(question, { signal: leaving.signal, longest_wait_ms })
  let ending: Promise<unknown> | undefined
  const end = () => {
    const { conversation_id: conversation } = stream
    if (conversation === undefined || ending !== undefined) return
    // The caller no longer waits. If the cancellation fails, the answer is completed and stored.
    ending = client.agent.cancel(conversation).catch(() => undefined).finally(() => leaving.abort(cancelled.reason))
  }
  cancelled.addEventListener("abort", end, { once: true })
  const gathered = new Gathered()
  try {
    for await (const event of stream) {
      if (cancelled.aborted) end()
      gathered.take(event)
      const progress = progressIn(event.kind, event.data)
      if (progress !== undefined) onProgress(progress)
    }
  } finally {
    cancelled.removeEventListener("abort", end)
    left?.removeEventListener("abort", leave)
    await ending
  }
  cancelled.throwIfAborted()
  const { conversation_id: conversation } = stream
  if (conversation === undefined) {
    throw new ServiceError({ kind: "unreachable", message: "the answer named no conversation" })
  }
  return gathered.answer(stream.text, conversation)
}

const isEntry = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"

/** Validates that the response is a catalogue. Another JSON response means that the address is not the service. */
const soundCatalogue = (value: Awaited<ReturnType<Client["catalogue"]>>): Catalogue => {
  const lists: ReadonlyArray<unknown> = typeof value === "object" && value !== null
    ? [value.tools, value.operations]
    : [undefined]
  if (lists.every((list) => Array.isArray(list) && list.every(isEntry))) return value
  throw new ServiceError({ kind: "unreachable", message: "GET /v1/tools: what answers there gave no list of tools" })
}

/** Valid names of tools. An invalid one such as `..` would change the address. */
const toolName = /^[a-z][a-z0-9_]{0,63}$/

const called = (client: Client, name: string, args: unknown, signal: AbortSignal): Promise<Called> => {
  if (toolName.test(name)) return translated(() => client.call(name, args, { signal, longest_wait_ms }))
  const detail = "There is no tool of that name: names are of small letters, digits and underscores."
  return Promise.reject(new ServiceError({ kind: "refused", problem: { code: "unknown_tool", detail } }))
}

/** Implements the service with its typed client, and with the client's key. */
export const overClient = (client: Client): Service => ({
  catalogue: (signal) => translated(async () => soundCatalogue(await client.catalogue({}, { signal }))),
  call: (name, args, signal) => called(client, name, args, signal),
  ask: (question, asking) => translated(() => ask(client, question, asking))
})
