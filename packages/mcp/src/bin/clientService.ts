import { type AnswerEvent, type Client, type ClientError, isClientError } from "@tapeline/client"
import { describeProgress } from "../messages.ts"
import {
  type AnalystAnswer,
  type CallResponse,
  type Catalogue,
  type FailureReason,
  type Problem,
  type Question,
  type QuestionSignals,
  type Service,
  ServiceError
} from "../service.ts"

/**
 * The longest wait that the bridge accepts from the service, in ms, because MCP hosts time out after about a minute.
 */
const maxWaitMs = 5_000

const toProblem = (
  { _tag, ...problem }: Extract<ClientError, { readonly code: string; readonly detail: string }>
): Problem => problem

const toFailureReason = (error: ClientError): FailureReason => {
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
      return { kind: "refused", problem: toProblem(error) }
  }
}

/** Converts a client error to a `ServiceError`, and returns other errors, such as an abort, unchanged. */
export const toServiceError = (error: unknown): unknown =>
  isClientError(error) ? new ServiceError(toFailureReason(error), error) : error

const translateErrors = async <A>(work: () => Promise<A>): Promise<A> => {
  try {
    return await work()
  } catch (error) {
    throw toServiceError(error)
  }
}

class AnswerCollector {
  #done: Extract<AnswerEvent, { readonly kind: "done" }>["data"] | undefined
  #suggestions: ReadonlyArray<string> = []
  #storedOutcome: AnalystAnswer["outcome"] | undefined
  #storedProposals: AnalystAnswer["proposals"]
  #storedDisclaimer: string | undefined

  addEvent(event: AnswerEvent): void {
    if (event.kind === "done") this.#done = event.data
    if (event.kind === "suggest") this.#suggestions = event.data.questions
    if (event.kind === "stored") {
      this.#suggestions = event.data.message.suggestions
      this.#storedOutcome = event.data.message.outcome ?? "finished"
      this.#storedDisclaimer = event.data.message.disclaimer
      this.#storedProposals = event.data.message.proposals.filter(({ state }) => state === "open")
    }
  }

  toAnswer(text: string, conversation: number, callId: string | undefined): AnalystAnswer {
    const { credits_left, credits_used, disclaimer, error, outcome, proposals } = this.#done ?? {}
    return {
      answer: text,
      conversation_id: conversation,
      outcome: outcome ?? this.#storedOutcome ?? "finished",
      credits_used,
      credits_left,
      suggestions: this.#suggestions,
      disclaimer: disclaimer ?? this.#storedDisclaimer,
      proposals: proposals ?? this.#storedProposals,
      call_id: callId,
      error
    }
  }
}

/**
 * Asks a question and reads the answer to its end. If the caller cancels, also cancels the answer in the service,
 * because the service would charge further output.
 */
const askQuestion = async (
  client: Client,
  question: Question,
  { cancelled, disconnected, onProgress }: QuestionSignals
): Promise<AnalystAnswer> => {
  cancelled.throwIfAborted()
  const streamAbort = new AbortController()
  const abortStream = () => streamAbort.abort(disconnected?.reason)
  disconnected?.addEventListener("abort", abortStream, { once: true })
  if (disconnected?.aborted === true) abortStream()
  const stream = client.agent.stream(question, { signal: streamAbort.signal, max_wait_ms: maxWaitMs })
  let cancellation: Promise<unknown> | undefined
  const cancelAnswer = () => {
    const { conversation_id: conversation } = stream
    if (conversation === undefined || cancellation !== undefined) return
    // The stream ends after the request to cancel the answer, even if the request failed.
    cancellation = client.agent.cancel(conversation).catch(() => undefined).finally(() =>
      streamAbort.abort(cancelled.reason)
    )
  }
  cancelled.addEventListener("abort", cancelAnswer, { once: true })
  const collector = new AnswerCollector()
  try {
    for await (const event of stream) {
      if (cancelled.aborted) cancelAnswer()
      collector.addEvent(event)
      const progress = describeProgress(event.kind, event.data)
      if (progress !== undefined) onProgress(progress)
    }
  } finally {
    cancelled.removeEventListener("abort", cancelAnswer)
    disconnected?.removeEventListener("abort", abortStream)
    await cancellation
  }
  cancelled.throwIfAborted()
  const { conversation_id: conversation } = stream
  if (conversation === undefined) {
    throw new ServiceError({ kind: "unreachable", message: "the response contains no conversation" })
  }
  return collector.toAnswer(stream.text, conversation, stream.call_id)
}

const isEntry = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"

/** Validates that the response is a tool catalogue, because another server may respond at a wrong URL. */
const requireCatalogue = (value: Awaited<ReturnType<Client["catalogue"]>>): Catalogue => {
  const lists: ReadonlyArray<unknown> = typeof value === "object" && value !== null
    ? [value.tools, value.operations]
    : [undefined]
  if (lists.every((list) => Array.isArray(list) && list.every(isEntry))) return value
  throw new ServiceError({ kind: "unreachable", message: "GET /v1/tools: the response contains no list of tools" })
}

/** Matches valid tool names. An invalid name such as `..` would change the URL of the call. */
const toolNamePattern = /^[a-z][a-z0-9_]{0,63}$/

const callTool = (client: Client, name: string, args: unknown, signal: AbortSignal): Promise<CallResponse> => {
  if (toolNamePattern.test(name)) {
    return translateErrors(() => client.call(name, args, { signal, max_wait_ms: maxWaitMs }))
  }
  const detail = "There is no tool with this name: names consist of lower-case letters, digits and underscores."
  return Promise.reject(new ServiceError({ kind: "refused", problem: { code: "unknown_tool", detail } }))
}

/** Creates a `Service` that calls the Tapeline service with the typed client. */
export const makeClientService = (client: Client): Service => ({
  catalogue: (signal) => translateErrors(async () => requireCatalogue(await client.catalogue({}, { signal }))),
  call: (name, args, signal) => callTool(client, name, args, signal),
  ask: (question, signals) => translateErrors(() => askQuestion(client, question, signals)),
  acceptProposal: (id, signal) => translateErrors(() => client.proposals.accept(id, { signal, max_wait_ms: maxWaitMs }))
})
