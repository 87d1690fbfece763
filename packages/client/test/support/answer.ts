import type { AnswerEvent, ClientSettings } from "../../src/index.ts"
import { type Answering, type Came, clientOf, json } from "./fakeService.ts"

/* An answer as the service sends and stores it, and a reader of answers. */

export interface Told {
  readonly kind: string
  readonly data: unknown
}

export const conversation = (id = 56): Told => ({
  kind: "conversation",
  data: { conversation_id: id, lang: "en", mode: "analyst" }
})
export const delta = (offset: number, text: string): Told => ({ kind: "delta", data: { offset, text } })
export const done = (outcome = "finished"): Told => ({
  kind: "done",
  data: { conversation_id: 56, outcome, lang: "en", took_ms: 5, credits_used: 20, credits_left: 80 }
})
export const suggest: Told = { kind: "suggest", data: { questions: ["And ETH?"] } }

export const wire = ({ data, kind }: Told, n: number, generation = 12) =>
  `id: ${generation}-${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`

/** An answer with a repeated step: a part of its text is removed and replaced. */
export const told: ReadonlyArray<Told> = [
  conversation(),
  { kind: "reasoning", data: { step: 1, offset: 0, text: "생각" } },
  delta(0, "BTC 는 "),
  delta(6, "🚀 nowhere"),
  { kind: "status", data: { phase: "retrying", step: 1, text: "Again" } },
  delta(6, "🚀 at 97,120\nid: 9-9"),
  done(),
  suggest
]
export const whole = "BTC 는 🚀 at 97,120\nid: 9-9"
export const lines = told.map((event, i) => wire(event, i + 1))

export const stored = (content: string, more: object = {}) => ({
  id: 2,
  role: "assistant",
  content,
  created_at: "2026-11-22T00:00:00.000Z",
  lang: "en",
  images: [],
  charts: [],
  tools: [],
  suggestions: [],
  outcome: "finished",
  ...more
})
export const asked = (content: string, id = 1) => ({ ...stored(content), id, role: "user", outcome: null })
export const view = (messages: ReadonlyArray<object>, next: string | null = null) =>
  json({ id: 56, title: "why?", mode: "analyst", lang: "en", running: false, messages, next_cursor: next })

export const read = async (events: AsyncIterable<AnswerEvent>) => {
  const all: Array<AnswerEvent> = []
  for await (const event of events) all.push(event)
  return all
}

/** Sends a question to a fake service. Returns the events, the failure, and the requests. */
export const asking = async (answering: Answering, settings: Partial<ClientSettings> = {}, question: object = {}) => {
  const { came, client, time } = clientOf(answering, settings)
  const answer = client.agent.stream({ message: "why?", ...question })
  const events: Array<AnswerEvent> = []
  let failure: unknown
  try {
    for await (const event of answer) events.push(event)
  } catch (error) {
    failure = error
  }
  return { answer, came, client, events, failure, time }
}

export const pathsOf = (came: ReadonlyArray<Came>) =>
  came.map(({ headers, method, path }) => {
    const last = headers.get("last-event-id")
    return `${method} ${path}${last === null ? "" : ` after ${last}`}`
  })
export const question = "POST /v1/agent/stream"
export const resume = "GET /v1/agent/resume/56"

/** The number of the event after which a request resumes. */
export const after = ({ headers }: Came): number => Number(headers.get("last-event-id")?.split("-")[1] ?? 0)
