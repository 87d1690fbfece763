import type { CallToolResult } from "@modelcontextprotocol/server"
import { type Answered, type Called, ServiceError } from "./service.ts"
import { creditsOf, wordsOf } from "./words.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text = (words: string) => ({ type: "text" as const, text: words })

/** Describes the cost of a call, so that a model can plan its calls. */
const cost = (used: number | undefined, left: number | undefined): ReadonlyArray<ReturnType<typeof text>> =>
  used === undefined || left === undefined ? [] : [text(`${creditsOf(used)} used, ${left} left this month.`)]

/** Returns the result of a call as structured data, and as JSON text for clients without structured results. */
export const called = ({ credits_left, credits_used, data }: Called): CallToolResult => ({
  content: [text(JSON.stringify(data)), ...cost(credits_used, credits_left)],
  structuredContent: isObject(data) ? { ...data } : { data },
  _meta: { "tapeline/credits": { used: credits_used, left: credits_left } }
})

/** Returns an error result that a model can act on. */
export const troubled = (words: string, problem?: unknown): CallToolResult => ({
  isError: true,
  content: [text(words)],
  ...(problem === undefined ? {} : { _meta: { "tapeline/problem": problem } })
})

/** Returns the error result of a failed request, in words for a model. The service's problem is added for programs. */
export const refused = (error: ServiceError): CallToolResult => {
  const { trouble } = error
  if (trouble.kind === "unreachable") return troubled(wordsOf(error))
  if (trouble.kind === "refused") return troubled(wordsOf(error), trouble.problem)
  const { candidates, code, failure, message, retryable, source } = trouble
  return troubled(wordsOf(error), {
    code,
    message,
    retryable,
    ...(candidates === undefined ? {} : { candidates }),
    ...(source === undefined ? {} : { source }),
    ...(failure === undefined ? {} : { failure })
  })
}

/** Returns the result of the analyst. */
export const answered = (answer: Answered): CallToolResult => {
  const { conversation_id, credits_left, credits_used, error, outcome, suggestions } = answer
  if (outcome === "failed") {
    const why = error === undefined ? "no reason given" : `${error.message} (${error.code})`
    const { _meta, content } = troubled(`The analyst could not answer: ${why} Asking again may succeed.`, error)
    const shown = answer.answer === "" ? [] : [text(answer.answer)]
    return { isError: true, content: [...shown, ...content, ...cost(credits_used, credits_left)], _meta }
  }
  return {
    content: [
      text(answer.answer),
      text(`Conversation ${conversation_id}${outcome === "cancelled" ? "; cancelled before its end" : ""}.`),
      ...cost(credits_used, credits_left)
    ],
    structuredContent: {
      answer: answer.answer,
      conversation_id,
      outcome,
      suggestions: [...suggestions],
      ...(credits_used === undefined ? {} : { credits_used }),
      ...(credits_left === undefined ? {} : { credits_left })
    }
  }
}

/** Converts service errors of a call to error results. Other errors, such as an abort, are rethrown. */
export const telling = async (call: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServiceError) return refused(error)
    throw error
  }
}
