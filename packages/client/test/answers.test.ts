import { describe, expect, it } from "vitest"
import { type AnswerEvent, type ClientSettings, isClientError, textAfter } from "../src/index.ts"
import { type Answering, broken, type Came, clientOf, json, never, problem, stream } from "./support/fakeService.ts"

interface Told {
  readonly kind: string
  readonly data: unknown
}

const conversation = (id = 56): Told => ({
  kind: "conversation",
  data: { conversation_id: id, lang: "en", mode: "analyst" }
})
const delta = (offset: number, text: string): Told => ({ kind: "delta", data: { offset, text } })
const done = (outcome = "finished"): Told => ({
  kind: "done",
  data: { conversation_id: 56, outcome, lang: "en", took_ms: 5, credits_used: 20, credits_left: 80 }
})
const suggest: Told = { kind: "suggest", data: { questions: ["And ETH?"] } }

const wire = ({ data, kind }: Told, n: number, generation = 12) =>
  `id: ${generation}-${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`

/** An answer whose step was made again: it is cut back in the middle. */
const told: ReadonlyArray<Told> = [
  conversation(),
  { kind: "reasoning", data: { step: 1, offset: 0, text: "생각" } },
  delta(0, "BTC 는 "),
  delta(6, "🚀 nowhere"),
  { kind: "status", data: { phase: "retrying", step: 1, text: "Again" } },
  delta(6, "🚀 at 97,120\nid: 9-9"),
  done(),
  suggest
]
const whole = "BTC 는 🚀 at 97,120\nid: 9-9"
const lines = told.map((event, i) => wire(event, i + 1))

const stored = (content: string, more: object = {}) => ({
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
const asked = (content: string, id = 1) => ({ ...stored(content), id, role: "user", outcome: null })
const view = (messages: ReadonlyArray<object>, next: string | null = null) =>
  json({ id: 56, title: "why?", mode: "analyst", lang: "en", running: false, messages, next_cursor: next })

const read = async (events: AsyncIterable<AnswerEvent>) => {
  const all: Array<AnswerEvent> = []
  for await (const event of events) all.push(event)
  return all
}

/** Asks a service that answers so, and gives the events, or what they failed with, and the requests. */
const asking = async (answering: Answering, settings: Partial<ClientSettings> = {}, question: object = {}) => {
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

const pathsOf = (came: ReadonlyArray<Came>) =>
  came.map(({ headers, method, path }) => {
    const last = headers.get("last-event-id")
    return `${method} ${path}${last === null ? "" : ` after ${last}`}`
  })
const question = "POST /v1/agent/stream"
const resume = "GET /v1/agent/resume/56"

/** What comes after the event that a request names. */
const after = ({ headers }: Came): number => Number(headers.get("last-event-id")?.split("-")[1] ?? 0)

describe("a connection that is cut", () => {
  it("at any byte leaves an exact answer, in pieces of any size", async () => {
    const bytes = new TextEncoder().encode(lines.join(""))
    const ends = ["broken", "whole"] as const
    for (let cut = 0; cut <= bytes.length; cut++) {
      const size = 1 + cut % 7
      const parts = Array.from(
        { length: Math.ceil(cut / size) },
        (_, i) => bytes.slice(i * size, Math.min(cut, (i + 1) * size))
      )
      const end = ends[cut % 2]!
      const { answer, came, events, failure } = await asking((request, n) => {
        if (n === 0) return stream(parts, end)
        if (request.path.includes("/conversations/")) {
          return view([asked("why?"), stored(whole, { suggestions: ["And ETH?"] })])
        }
        return stream(lines.slice(after(request)))
      })
      const seen = `cut at ${cut} of ${bytes.length}, ${end}`
      expect(failure, seen).toBeUndefined()
      expect(answer.text, seen).toBe(whole)
      expect(events.reduce(textAfter, ""), seen).toBe(whole)
      expect(new Set(came.map(({ headers }) => headers.get("idempotency-key"))).size, seen).toBeLessThan(3)
      const sent = events.filter(({ kind }) => kind !== "stored")
      expect(sent.map(({ n }) => n), seen).toEqual(sent.map((_, i) => i + 1))
      expect(sent.map(({ id }) => id), seen).toEqual(sent.map((_, i) => `12-${i + 1}`))
      // Only what is asked next may be missing, and is then found in the conversation.
      if (sent.length < told.length) expect([sent.length, events.length <= 8], seen).toEqual([7, true])
    }
  })

  it("before anything of the answer was read is asked again under the same key; after, it is resumed", async () => {
    const { came, events } = await asking((request, n) => {
      if (n < 2) return broken()
      if (n === 2) return stream([])
      return n === 3 ? stream(lines.slice(0, 3), "broken") : stream(lines.slice(after(request)))
    })
    expect(pathsOf(came)).toEqual([question, question, question, question, `${resume} after 12-3`])
    const keys = came.slice(0, 4).map(({ headers }) => headers.get("idempotency-key"))
    expect(new Set(keys).size).toBe(1)
    expect(came[4]?.headers.get("idempotency-key")).toBeNull()
    expect(events.length).toBe(told.length)
  })

  it("is opened again when the service says that it may", async () => {
    const refusals = [
      problem(503, "unavailable", { retry_after_seconds: 4 }, { "retry-after": "4" }),
      problem(429, "rate_limited", { retry_after_seconds: 20 }, { "retry-after": "20" }),
      new Response("<h1>Bad gateway</h1>", { status: 502 })
    ]
    const { came, events } = await asking((request, n) =>
      n === 0 ? stream(lines.slice(0, 2), "broken") : refusals.shift() ?? stream(lines.slice(after(request)))
    )
    expect(came.map(({ at }) => at).slice(0, 4)).toEqual([0, 125, 4_125, 24_125])
    expect(events.length).toBe(told.length)
  })

  it("ends with what a resume is refused with for good", async () => {
    for (
      const [status, code, tag] of [[401, "invalid_key", "InvalidKey"], [
        404,
        "conversation_not_found",
        "ConversationNotFound"
      ]] as const
    ) {
      const { came, events, failure } = await asking((_, n) =>
        n === 0 ? stream(lines.slice(0, 3), "broken") : problem(status, code)
      )
      expect(failure).toMatchObject({ _tag: tag, status })
      expect([came.length, events.length]).toEqual([2, 3])
    }
  })

  it("is given up when nothing was heard for long enough, however often it was tried", async () => {
    const { came, failure } = await asking((_, n) => n === 0 ? stream(lines.slice(0, 2), "broken") : broken(), {
      reconnect_ms: 30_000
    })
    expect(failure).toMatchObject({ _tag: "ConnectionLost" })
    expect(came.at(-1)?.at).toBeLessThanOrEqual(30_000)
    expect(came.length).toBeGreaterThan(8)
  })

  it("is tried for ever while something new comes of it", async () => {
    const { came, events } = await asking((request) => {
      const next = after(request)
      return next < 6 ? stream(lines.slice(next, next + 1), "broken") : stream(lines.slice(next))
    }, { reconnect_ms: 200 })
    expect(events.length).toBe(told.length)
    expect(came.length).toBe(7)
  })
})

describe("a silence", () => {
  it("of more than two heartbeats is a lost connection; heartbeats are none", async () => {
    const { came, events } = await asking((request, n) => {
      if (n === 0) return stream([...lines.slice(0, 3), ":\n\n"], "silent")
      return n === 1 ? never() : stream(lines.slice(after(request)))
    })
    expect(came.map(({ at }) => at)).toEqual([0, 40_125, 80_375])
    expect(pathsOf(came).slice(1)).toEqual(Array(2).fill(`${resume} after 12-3`))
    expect(events.length).toBe(told.length)
  })

  it("of the caller is none", async () => {
    const { client, time, came } = clientOf(() => stream(lines))
    const events: Array<AnswerEvent> = []
    for await (const event of client.agent.stream({ message: "why?" })) {
      events.push(event)
      await new Promise<void>((resolve) => void time.after(600_000, resolve))
    }
    expect([came.length, events.length]).toEqual([1, told.length])
  })
})

describe("what cannot be the next event", () => {
  it.each([
    ["a gap", [lines[0]!, lines[2]!]],
    ["no number", [lines[0]!, "event: delta\ndata: {}\n\n"]],
    ["no JSON", [lines[0]!, "id: 12-2\nevent: delta\ndata: {\"off\n\n"]]
  ])("is asked for again: %s", async (_, first) => {
    const { came, events, failure } = await asking((request, n) =>
      n === 0 ? stream(first) : stream(lines.slice(after(request)))
    )
    expect(failure).toBeUndefined()
    expect(pathsOf(came)).toEqual([question, `${resume} after 12-1`])
    expect(events.length).toBe(told.length)
  })

  it("is passed over when it was read before", async () => {
    const { events } = await asking((_, n) => n === 0 ? stream(lines.slice(0, 4), "broken") : stream(lines))
    expect(events.map(({ n }) => n)).toEqual(told.map((_, i) => i + 1))
  })

  it("comes as it is where only its kind is new", async () => {
    const { events } = await asking(() =>
      stream([lines[0]!, wire({ kind: "mood", data: { m: 1 } }, 2), wire(done("failed"), 3)])
    )
    expect(events[1]).toEqual({ kind: "mood", data: { m: 1 }, id: "12-2", n: 2 })
  })
})

describe("an answer that ended while the connection was away", () => {
  const cut = stream.bind(null, lines.slice(0, 3), "broken")

  it("is given as its conversation has it: the one to this question, on whichever page", async () => {
    const pages = [
      view([asked("why?"), stored("an older one"), asked("else?", 3), stored("another")], "p2"),
      view([asked("why?", 5), stored("BTC is whole.", { id: 6 }), asked("later?", 7), stored("no", { id: 8 })])
    ]
    const { answer, came, events } = await asking((request, n) => {
      if (n === 0) return cut()
      return request.path.includes("/resume/") ? json({ running: false }) : pages.shift()!
    })
    expect(pathsOf(came).slice(1)).toEqual([
      `${resume} after 12-3`,
      "GET /v1/agent/conversations/56?limit=200",
      "GET /v1/agent/conversations/56?cursor=p2&limit=200"
    ])
    expect(events.at(-1)).toMatchObject({ kind: "stored", data: { conversation_id: 56, message: { id: 6 } } })
    expect(answer.text).toBe("BTC is whole.")
  })

  it("is so too where another question is being answered by now", async () => {
    const { events } = await asking((request, n) => {
      if (n === 0) return cut()
      return request.path.includes("/resume/")
        ? stream([wire(conversation(), 1, 13), wire(delta(0, "another"), 2, 13)], "silent")
        : view([asked("why?"), stored("mine"), asked("other?", 3)])
    })
    expect(events.map(({ kind }) => kind)).toEqual(["conversation", "reasoning", "delta", "stored"])
  })

  it("and of which nothing was kept is told as lost", async () => {
    const { failure } = await asking((request, n) => {
      if (n === 0) return cut()
      return request.path.includes("/resume/")
        ? json({ running: false })
        : view([asked("why?"), stored("x"), asked("why?", 3)])
    })
    expect(failure).toMatchObject({ _tag: "AnswerLost", conversation_id: 56 })
  })

  it("right after its last word has what could be asked next, if that is to be had", async () => {
    const outcomes = [
      view([asked("why?"), stored(whole, { suggestions: ["And ETH?"] })]),
      view([asked("why?"), stored(whole)])
    ]
    for (const conversation of [...outcomes, problem(500, "internal")]) {
      const { came, events, failure } = await asking((_, n) =>
        n === 0 ? stream(lines.slice(0, 7), "broken") : conversation
      )
      expect(failure).toBeUndefined()
      expect(events.slice(0, 7).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7])
      expect(events.length).toBe(conversation === outcomes[0] ? 8 : 7)
      expect(pathsOf(came)[1]).toBe("GET /v1/agent/conversations/56?limit=200")
    }
  })

  it("long ago, under the same key, is found through the answer that the key has", async () => {
    const { came, events } = await asking(({ path }) => {
      if (path.endsWith("/stream")) {
        return new Response("", { headers: { "content-type": "text/event-stream", "idempotent-replayed": "true" } })
      }
      return path.endsWith("/messages")
        ? json({ answer: "old", conversation_id: 56 })
        : view([asked("why?"), stored("old")])
    })
    expect(events).toMatchObject([{ kind: "stored", data: { message: { content: "old" } } }])
    expect(new Set(came.slice(0, 2).map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1)
  })
})

describe("a stream", () => {
  it("sends nothing before it is read, and is left by whoever stops reading", async () => {
    const { came, client } = clientOf(() => stream(lines.slice(0, 2), "silent"))
    const answer = client.agent.stream({ message: "why?" })
    expect(came).toEqual([])
    for await (const _ of answer) break
    expect(came[0]?.signal.aborted).toBe(true)
    expect(await answer.next()).toEqual({ done: true, value: undefined })
    // One that waits for its next event is left as well.
    const waiting = client.agent.stream({ message: "why?" })
    await waiting.next()
    await waiting.next()
    const next = waiting.next()
    await waiting.return()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(came.length).toBe(2)
  })

  it("ends at its deadline, or with the reason of its signal, and the answer is written on", async () => {
    const late = clientOf(() => stream(lines.slice(0, 2), "silent"))
    await expect(read(late.client.agent.stream({ message: "why?" }, { timeout_ms: 30_000 }))).rejects.toMatchObject({
      _tag: "DeadlineExceeded",
      timeout_ms: 30_000
    })
    const reason = new Error("enough")
    const aborted = clientOf(() => stream(lines))
    await expect(read(aborted.client.agent.stream({ message: "why?" }, { signal: AbortSignal.abort(reason) }))).rejects
      .toBe(reason)
    expect(late.came.length).toBe(1)
  })

  it("fails with what the question is refused with", async () => {
    const { events, failure } = await asking(() =>
      problem(402, "over_limit", { price: 20, credits_left: 7, ways_forward: [] })
    )
    expect(events).toEqual([])
    expect(isClientError(failure) && failure._tag === "OverLimit" && failure.price).toBe(20)
    const page = await asking(() => json({ hello: true }))
    expect(page.failure).toMatchObject({ _tag: "UnexpectedAnswer" })
  })

  it("is resumed by another process, after what that one knows", async () => {
    const { came, client } = clientOf((request) => stream(lines.slice(after(request))))
    const events = await read(client.agent.resume(56, { after: "12-5" }))
    expect(events.map(({ n }) => n)).toEqual([6, 7, 8])
    await read(client.agent.resume(56))
    expect(pathsOf(came)).toEqual([`${resume} after 12-5`, resume])
    expect(() => client.agent.resume(56, { after: "junk" })).toThrow(/after must be the id/)
  })

  it("of an answer that failed or was cancelled ends with its last word", async () => {
    for (const outcome of ["failed", "cancelled"]) {
      const { came, events } = await asking(() => stream([lines[0]!, wire(done(outcome), 2)], "silent"))
      expect(events.map(({ kind }) => kind)).toEqual(["conversation", "done"])
      expect(came.length).toBe(1)
    }
  })
})
