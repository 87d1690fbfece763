import type { AnswerEvent, ClientSettings } from "../../src/index.ts"
import { jsonResponse, makeTestClient, type ReceivedRequest, type Responder } from "./fakeService.ts"

export interface TestEvent {
  readonly kind: string
  readonly data: unknown
}

export const conversationEvent = (id = 56): TestEvent => ({
  kind: "conversation",
  data: { conversation_id: id, lang: "en", mode: "analyst" }
})
export const deltaEvent = (offset: number, text: string): TestEvent => ({ kind: "delta", data: { offset, text } })
export const doneEvent = (outcome = "finished"): TestEvent => ({
  kind: "done",
  data: { conversation_id: 56, outcome, lang: "en", took_ms: 5, credits_used: 20, credits_left: 80 }
})
export const suggestEvent: TestEvent = { kind: "suggest", data: { questions: ["And ETH?"] } }

export const encodeEvent = ({ data, kind }: TestEvent, n: number, generation = 12) =>
  `id: ${generation}-${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`

/** The events of an answer with a repeated step, in which a part of the text is removed and replaced. */
export const answerEvents: ReadonlyArray<TestEvent> = [
  conversationEvent(),
  { kind: "reasoning", data: { step: 1, offset: 0, text: "생각" } },
  deltaEvent(0, "BTC 는 "),
  deltaEvent(6, "🚀 nowhere"),
  { kind: "status", data: { phase: "retrying", step: 1, text: "Again" } },
  deltaEvent(6, "🚀 at 97,120\nid: 9-9"),
  doneEvent(),
  suggestEvent
]
export const answerText = "BTC 는 🚀 at 97,120\nid: 9-9"
export const encodedEvents = answerEvents.map((event, i) => encodeEvent(event, i + 1))

export const storedMessage = (content: string, overrides: object = {}) => ({
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
  ...overrides
})
export const userMessage = (content: string, id = 1) => ({ ...storedMessage(content), id, role: "user", outcome: null })
export const conversationResponse = (messages: ReadonlyArray<object>, next: string | null = null) =>
  jsonResponse({ id: 56, title: "why?", mode: "analyst", lang: "en", running: false, messages, next_cursor: next })

export const readAll = async (events: AsyncIterable<AnswerEvent>) => {
  const all: Array<AnswerEvent> = []
  for await (const event of events) all.push(event)
  return all
}

export const askAndCollect = async (
  respond: Responder,
  settings: Partial<ClientSettings> = {},
  question: object = {}
) => {
  const { requests, client, time } = makeTestClient(respond, settings)
  const answer = client.agent.stream({ message: "why?", ...question })
  const events: Array<AnswerEvent> = []
  let failure: unknown
  try {
    for await (const event of answer) events.push(event)
  } catch (error) {
    failure = error
  }
  return { answer, requests, client, events, failure, time }
}

export const requestLinesOf = (requests: ReadonlyArray<ReceivedRequest>) =>
  requests.map(({ headers, method, path }) => {
    const last = headers.get("last-event-id")
    return `${method} ${path}${last === null ? "" : ` after ${last}`}`
  })
export const questionLine = "POST /v1/agent/stream"
export const resumeLine = "GET /v1/agent/resume/56"

export const lastEventNumber = ({ headers }: ReceivedRequest): number =>
  Number(headers.get("last-event-id")?.split("-")[1] ?? 0)
