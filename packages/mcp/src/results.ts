import type { CallToolResult } from "@modelcontextprotocol/server"
import { type Answered, type Called, ServiceError } from "./service.ts"
import { creditsOf, wordsOf } from "./words.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text = (words: string) => ({ type: "text" as const, text: words })

/** What a call cost, which a model may budget by. */
const cost = (used: number | undefined, left: number | undefined): ReadonlyArray<ReturnType<typeof text>> =>
  used === undefined || left === undefined ? [] : [text(`${creditsOf(used)} used, ${left} left this month.`)]

/** What a tool answered: structured, and as JSON in a text for clients that know no structure. */
export const called = ({ credits_left, credits_used, data }: Called): CallToolResult => ({
  content: [text(JSON.stringify(data)), ...cost(credits_used, credits_left)],
  structuredContent: isObject(data) ? { ...data } : { data },
  _meta: { "tapeline/credits": { used: credits_used, left: credits_left } }
})

/** Something that a model can act on, and that is no success. */
export const troubled = (words: string, problem?: unknown): CallToolResult => ({
  isError: true,
  content: [text(words)],
  ...(problem === undefined ? {} : { _meta: { "tapeline/problem": problem } })
})

/** What went wrong, in words for a model; what the service said of it goes beside them, for programs. */
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

/** What the analyst answered. */
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

/** The result of a call whose errors are told; an abort goes on. */
export const telling = async (call: () => Promise<CallToolResult>): Promise<CallToolResult> => {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ServiceError) return refused(error)
    throw error
  }
}
