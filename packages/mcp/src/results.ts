import type { CallToolResult } from "@modelcontextprotocol/server"
import { explainError, formatCredits } from "./messages.ts"
import { type AcceptedProposal, type AnalystAnswer, type CallResponse, type Proposal, ServiceError } from "./service.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textContent = (message: string) => ({ type: "text" as const, text: message })

/** Returns a text content with the cost of a call and the credits left, so that a model can plan further calls. */
const describeCost = (
  used: number | undefined,
  left: number | undefined
): ReadonlyArray<ReturnType<typeof textContent>> =>
  used === undefined || left === undefined ? [] : [textContent(`${formatCredits(used)} used, ${left} left this month.`)]

const callIdMeta = (callId: string | undefined) => callId === undefined ? {} : { "tapeline/call_id": callId }

/**
 * Returns the result of a call as structured data, and as JSON text for clients without support for structured results.
 */
export const toCallResult = ({ call_id, credits_left, credits_used, data }: CallResponse): CallToolResult => ({
  content: [textContent(JSON.stringify(data)), ...describeCost(credits_used, credits_left)],
  structuredContent: isObject(data) ? { ...data } : { data },
  _meta: { "tapeline/credits": { used: credits_used, left: credits_left }, ...callIdMeta(call_id) }
})

/** Returns an error result that a model can act on. */
export const makeErrorResult = (message: string, problem?: unknown): CallToolResult => ({
  isError: true,
  content: [textContent(message)],
  ...(problem === undefined ? {} : { _meta: { "tapeline/problem": problem } })
})

/**
 * Returns the error result of a failed request. The result contains an explanation for the model and the problem for
 * programs.
 */
export const toErrorResult = (error: ServiceError): CallToolResult => {
  const { reason } = error
  if (reason.kind === "unreachable") return makeErrorResult(explainError(error))
  if (reason.kind === "refused") return makeErrorResult(explainError(error), reason.problem)
  const { call_id, candidates, code, failure, message, retryable, source } = reason
  const result = makeErrorResult(explainError(error), {
    code,
    message,
    retryable,
    ...(candidates === undefined ? {} : { candidates }),
    ...(source === undefined ? {} : { source }),
    ...(failure === undefined ? {} : { failure })
  })
  return { ...result, _meta: { ...result._meta, ...callIdMeta(call_id) } }
}

/** A proposal of an answer with its state, after the host has asked the user. */
export interface DecidedProposal extends Proposal {
  /** The state of the proposal, or `unknown` after an error. */
  readonly state: string
  /** Why an accepted proposal was not carried out. */
  readonly error?: string
}

/** Converts an accepted proposal to the result of the tool `accept_proposal`. */
export const toAcceptedResult = ({ envelope, error, ...proposal }: AcceptedProposal): CallToolResult =>
  proposal.state === "accepted"
    ? {
      content: [textContent(`Done: ${proposal.summary}`), textContent(JSON.stringify(envelope))],
      structuredContent: { ...proposal, envelope }
    }
    : makeErrorResult(`The proposal was not carried out: ${error?.message ?? proposal.state}`, error ?? undefined)

export const toAnswerResult = (
  answer: Omit<AnalystAnswer, "proposals"> & { readonly proposals?: ReadonlyArray<DecidedProposal> }
): CallToolResult => {
  const { call_id, conversation_id, credits_left, credits_used, error, outcome, suggestions } = answer
  const { disclaimer, proposals = [] } = answer
  if (outcome === "failed") {
    const reason = error === undefined ? "no reason given" : `${error.message} (${error.code})`
    const { _meta, content } = makeErrorResult(
      `The analyst could not answer: ${reason} A retry may succeed.`,
      error
    )
    const shownContent = answer.answer === "" ? [] : [textContent(answer.answer)]
    return {
      isError: true,
      content: [...shownContent, ...content, ...describeCost(credits_used, credits_left)],
      _meta: { ..._meta, ...callIdMeta(call_id) }
    }
  }
  return {
    content: [
      textContent(answer.answer),
      ...(disclaimer === undefined ? [] : [textContent(disclaimer)]),
      textContent(`Conversation ${conversation_id}${outcome === "cancelled" ? "; cancelled before completion" : ""}.`),
      ...proposals.map(({ id, state, summary }) => textContent(`Proposal ${id} (${state}): ${summary}`)),
      ...describeCost(credits_used, credits_left)
    ],
    structuredContent: {
      answer: answer.answer,
      conversation_id,
      outcome,
      suggestions: [...suggestions],
      ...(disclaimer === undefined ? {} : { disclaimer }),
      ...(proposals.length === 0 ? {} : { proposals: proposals.map((proposal) => ({ ...proposal })) }),
      ...(credits_used === undefined ? {} : { credits_used }),
      ...(credits_left === undefined ? {} : { credits_left })
    },
    _meta: callIdMeta(call_id)
  }
}

/** Converts the service errors of a call to error results, and rethrows other errors, such as an abort. */
export const catchServiceErrors = async (call: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServiceError) return toErrorResult(error)
    throw error
  }
}
