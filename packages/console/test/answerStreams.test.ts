import { type AnswerEvent, type Client, createClient } from "@tapeline/client"
import { beforeEach, expect, it, vi } from "vitest"
import { AnswerStreams, type Question } from "../browser/pages/analyst/AnswerStreams.ts"

const question: Question = { text: "why?", images: [], lang: undefined, mode: "analyst" }

const event = (n: number, kind: string, data: object) =>
  // The cast is safe because the tests pass data in the format of the service's events.
  ({ id: `7-${n}`, n, kind, data }) as AnswerEvent

const begin = event(1, "conversation", { conversation_id: 5, lang: "en", mode: "analyst" })
const word = (n: number, offset: number, text: string) => event(n, "delta", { offset, text })

/**
 * A fake client whose streams send the events that the test passes, in the order in which the streams were requested.
 */
class Streams {
  readonly calls: Array<{ readonly request: unknown; readonly after?: string | undefined; readonly key?: string }> = []
  readonly #opened: Array<ReadableStreamDefaultController<AnswerEvent>> = []
  readonly client: Client

  constructor() {
    const open = (): AsyncIterable<AnswerEvent> =>
      new ReadableStream<AnswerEvent>({ start: (controller) => void this.#opened.push(controller) })
    const realClient = createClient({ url: "http://127.0.0.1:1", key: "tl_test" })
    // `AnswerStreams` uses only the iterator of a stream, so a `ReadableStream` suffices.
    this.client = {
      ...realClient,
      agent: {
        ...realClient.agent,
        stream: (request, options) => {
          this.calls.push({ request, key: options!.idempotency_key! })
          return open()
        },
        resume: (conversation, options) => {
          this.calls.push({ request: conversation, after: options?.after })
          return open()
        }
      }
    } as Client
  }

  emit(n: number, ...events: ReadonlyArray<AnswerEvent>): void {
    for (const one of events) this.#opened[n]!.enqueue(one)
  }

  end(n: number): void {
    this.#opened[n]!.close()
  }

  fail(n: number, error: Error): void {
    this.#opened[n]!.error(error)
  }
}

const settled = vi.fn<(conversation: number, after: number) => Promise<number | undefined>>()

beforeEach(() => void settled.mockReset().mockResolvedValue(undefined))

const makeStreams = () =>
  new AnswerStreams({ onStarted: () => undefined, settle: (_, conversation, after) => settled(conversation, after) })

it("stops a started answer immediately, and a requested one as soon as it starts", async () => {
  const streams = new Streams()
  const one = makeStreams()
  const cancel = vi.fn<(conversation: number) => void>()
  one.ask(streams.client, "new", question, 0)
  one.stop("new", cancel)
  expect(cancel).not.toHaveBeenCalled()
  expect(one.session("new")?.stop).toBeDefined()
  streams.emit(0, begin)
  await vi.waitFor(() => expect(cancel).toHaveBeenCalledExactlyOnceWith(5))
  expect(one.session(5)?.stop).toBeUndefined()
  one.stop(5, cancel)
  expect(cancel).toHaveBeenCalledTimes(2)
})

it("forgets a pending stop when a lost question is sent again", async () => {
  const streams = new Streams()
  const one = makeStreams()
  const cancel = vi.fn<(conversation: number) => void>()
  one.ask(streams.client, "new", question, 0)
  one.stop("new", cancel)
  streams.fail(0, new Error("gone"))
  await vi.waitFor(() => expect(one.session("new")?.state).toBe("lost"))
  one.askAgain(streams.client, "new")
  streams.emit(1, begin)
  await vi.waitFor(() => expect(one.session(5)?.isStarted).toBe(true))
  expect(cancel).not.toHaveBeenCalled()
})

it("moves a new question to its conversation, and later its details to the stored answer", async () => {
  const streams = new Streams()
  const one = makeStreams()
  settled.mockResolvedValue(9)
  one.ask(streams.client, "new", question, 0)
  expect(one.session("new")).toMatchObject({ state: "running", isStarted: false, question })
  streams.emit(0, begin, word(2, 0, "because"))
  await vi.waitFor(() => expect(one.session(5)?.live.text).toBe("because"))
  expect(one.startedConversation()).toBe(5)
  expect(one.session("new")).toBeUndefined()
  streams.end(0)
  await vi.waitFor(() => expect(one.session(5)).toBeUndefined())
  expect(one.details(9)?.text).toBe("because")
})

it("reports the conversation that a new question started until a page opens it", async () => {
  const streams = new Streams()
  const one = makeStreams()
  const onChange = vi.fn()
  one.subscribe(() => onChange(one.startedConversation()))
  one.ask(streams.client, "new", question, 0)
  expect(one.startedConversation()).toBeUndefined()
  streams.emit(0, begin)
  await vi.waitFor(() => expect(onChange).toHaveBeenLastCalledWith(5))
  one.markOpened("new")
  one.markOpened(4)
  expect(one.startedConversation()).toBe(5)
  one.markOpened(5)
  expect(onChange).toHaveBeenLastCalledWith(undefined)
  one.ask(streams.client, 5, question, 3)
  streams.emit(1, begin)
  await vi.waitFor(() => expect(one.session(5)?.live.lastId).toBe("7-1"))
  expect(one.startedConversation()).toBeUndefined()
})

it("resumes a lost answer after its last event, without repeated or missing text", async () => {
  const streams = new Streams()
  const one = makeStreams()
  one.ask(streams.client, 5, question, 3)
  streams.emit(0, begin, word(2, 0, "be"))
  await vi.waitFor(() => expect(one.session(5)?.live.text).toBe("be"))
  streams.fail(0, new Error("gone"))
  await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
  one.follow(streams.client, 5, one.session(5)!)
  expect(streams.calls[1]).toEqual({ request: 5, after: "7-2" })
  streams.emit(1, word(3, 2, "cause"))
  await vi.waitFor(() => expect(one.session(5)?.live.text).toBe("because"))
  expect(one.session(5)).toMatchObject({ state: "running", question, newestMessageId: 3 })
})

it("reuses the idempotency key of a question that did not start when it is sent again", async () => {
  const streams = new Streams()
  const one = makeStreams()
  one.ask(streams.client, 5, question, 3)
  streams.fail(0, new Error("no network"))
  await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
  one.askAgain(streams.client, 5)
  expect(streams.calls[1]).toEqual(streams.calls[0])
})

it("keeps an answer that the service did not store until it is dismissed", async () => {
  const streams = new Streams()
  const one = makeStreams()
  one.ask(streams.client, 5, question, 3)
  const error = { code: "no_answer", message: "nothing" }
  streams.emit(0, begin, event(2, "done", { conversation_id: 5, outcome: "failed", error }))
  streams.end(0)
  await vi.waitFor(() => expect(one.session(5)?.state).toBe("ended"))
  expect(one.session(5)?.live.done?.error).toEqual(error)
  expect(settled).toHaveBeenCalledWith(5, 3)
  one.dismiss(5)
  expect(one.session(5)).toBeUndefined()
})

it("marks an answer as lost and keeps its text if its conversation cannot be read", async () => {
  const streams = new Streams()
  const one = makeStreams()
  settled.mockRejectedValueOnce(new Error("away"))
  one.follow(streams.client, 5, { newestMessageId: 3, isRegeneration: false })
  streams.emit(0, begin, word(2, 0, "because"))
  streams.end(0)
  await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
  expect(one.session(5)?.live.text).toBe("because")
})

it("follows a running answer once, does not dismiss it, and ignores its events after `close`", async () => {
  const streams = new Streams()
  const one = makeStreams()
  one.follow(streams.client, 5, { newestMessageId: 3, isRegeneration: false })
  one.follow(streams.client, 5, { newestMessageId: 3, isRegeneration: false })
  one.dismiss(5)
  expect(streams.calls).toHaveLength(1)
  expect(one.session(5)?.state).toBe("running")
  one.close()
  streams.emit(0, begin)
  streams.end(0)
  await new Promise(setImmediate)
  expect(one.session(5)).toBeUndefined()
})

it("reports a rate limit with a long wait immediately", async () => {
  const body = { type: "about:blank", status: 429, code: "rate_limited", detail: "60 s more" }
  const headers = { "content-type": "application/problem+json", "retry-after": "60" }
  const fetch = vi.fn(async () => new Response(JSON.stringify(body), { status: 429, headers }))
  const one = makeStreams()
  one.ask(createClient({ url: "http://127.0.0.1:1", key: "tl_test", fetch }), 5, question, 3)
  await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
  expect(one.session(5)?.error).toMatchObject({ _tag: "RateLimited" })
  expect(fetch).toHaveBeenCalledTimes(1)
})

it("sends the id of the message whose proposals a reply accepts, also when it is sent again", async () => {
  const streams = new Streams()
  const one = makeStreams()
  one.ask(streams.client, 5, { ...question, text: "yes, 1", answers: 3 }, 3)
  streams.fail(0, new Error("no network"))
  await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
  one.askAgain(streams.client, 5)
  one.ask(streams.client, 6, question, 3)
  const [first, second, other] = streams.calls
  expect([first?.request, second?.request]).toEqual(Array(2).fill(expect.objectContaining({ last_message_id: 3 })))
  expect(other?.request).not.toHaveProperty("last_message_id")
})

it("sends a rate-limited question again once, after the wait that the service requests", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  try {
    const body = { status: 429, code: "rate_limited", detail: "52 s more", retry_after_seconds: 52 }
    const headers = { "content-type": "application/problem+json", "retry-after": "52" }
    const fetch = vi.fn(async (_: unknown, init?: RequestInit) => {
      void init
      return new Response(JSON.stringify(body), { status: 429, headers })
    })
    const one = makeStreams()
    one.ask(createClient({ url: "http://127.0.0.1:1", key: "tl_test", fetch }), 5, question, 3)
    await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
    const wait = one.session(5)!.retryAt! - Date.now()
    expect(wait).toBeGreaterThan(50_000)
    expect(wait).toBeLessThanOrEqual(52_000)
    await vi.advanceTimersByTimeAsync(wait - 1)
    expect(fetch).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
    expect(one.session(5)?.retryAt).toBeUndefined()
    await vi.advanceTimersByTimeAsync(600_000)
    expect(fetch).toHaveBeenCalledTimes(2)
    const keys = fetch.mock.calls.map(([, init]) => new Headers(init?.headers).get("idempotency-key"))
    expect(keys[0]).toBe(keys[1])
  } finally {
    vi.useRealTimers()
  }
})

it("does not send a question that is dismissed while it waits", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  try {
    const body = { status: 429, code: "rate_limited", detail: "52 s more", retry_after_seconds: 52 }
    const headers = { "content-type": "application/problem+json", "retry-after": "52" }
    const fetch = vi.fn(async () => new Response(JSON.stringify(body), { status: 429, headers }))
    const one = makeStreams()
    one.ask(createClient({ url: "http://127.0.0.1:1", key: "tl_test", fetch }), 5, question, 3)
    await vi.waitFor(() => expect(one.session(5)?.state).toBe("lost"))
    one.dismiss(5)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(fetch).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})
