import { describe, expect, it } from "vitest"
import { type AnswerEvent, applyEvent, isClientError } from "../src/index.ts"
import {
  answerEvents,
  answerText,
  askAndCollect,
  deltaEvent,
  doneEvent,
  encodedEvents,
  encodeEvent,
  lastEventNumber,
  questionLine,
  readAll,
  requestLinesOf,
  resumeLine
} from "./support/answerFixtures.ts"
import {
  failFetch,
  jsonResponse,
  makeTestClient,
  neverResolve,
  problemResponse,
  streamResponse
} from "./support/fakeService.ts"

describe("an answer stream whose connection breaks", () => {
  it("yields every event exactly once if it breaks at any byte, in chunks of any size", async () => {
    const bytes = new TextEncoder().encode(encodedEvents.join(""))
    const ends = ["broken", "whole"] as const
    for (let cutOffset = 0; cutOffset <= bytes.length; cutOffset++) {
      const size = 1 + cutOffset % 7
      const parts = Array.from(
        { length: Math.ceil(cutOffset / size) },
        (_, i) => bytes.slice(i * size, Math.min(cutOffset, (i + 1) * size))
      )
      const end = ends[cutOffset % 2]!
      const { answer, requests, events, failure } = await askAndCollect((request, n) => {
        return n === 0 ? streamResponse(parts, end) : streamResponse(encodedEvents.slice(lastEventNumber(request)))
      })
      const caseName = `cut at ${cutOffset} of ${bytes.length}, ${end}`
      expect(failure, caseName).toBeUndefined()
      expect(answer.text, caseName).toBe(answerText)
      expect(events.reduce(applyEvent, ""), caseName).toBe(answerText)
      expect(new Set(requests.map(({ headers }) => headers.get("idempotency-key"))).size, caseName).toBeLessThan(3)
      expect(events.map(({ data, kind }) => ({ data, kind })), caseName).toEqual(answerEvents)
      expect(events.map(({ id }) => id), caseName).toEqual(answerEvents.map((_, i) => `12-${i + 1}`))
    }
  })

  it("has the id of the answer, also after a resumption without the id", async () => {
    const { answer } = await askAndCollect((request, n) =>
      n === 0
        ? streamResponse(encodedEvents.slice(0, 3), "broken", { "tapeline-call-id": "call_202611_5" })
        : streamResponse(encodedEvents.slice(lastEventNumber(request)))
    )
    expect(answer.call_id).toBe("call_202611_5")
  })

  it("repeats the question under the same key before the first event, and resumes after it", async () => {
    const { requests, events } = await askAndCollect((request, n) => {
      if (n < 2) return failFetch()
      if (n === 2) return streamResponse([])
      return n === 3
        ? streamResponse(encodedEvents.slice(0, 3), "broken")
        : streamResponse(encodedEvents.slice(lastEventNumber(request)))
    })
    expect(requestLinesOf(requests)).toEqual([
      questionLine,
      questionLine,
      questionLine,
      questionLine,
      `${resumeLine} after 12-3`
    ])
    const keys = requests.slice(0, 4).map(({ headers }) => headers.get("idempotency-key"))
    expect(new Set(keys).size).toBe(1)
    expect(requests[4]?.headers.get("idempotency-key")).toBeNull()
    expect(events.length).toBe(answerEvents.length)
  })

  it("reconnects after the delay that the service requests", async () => {
    const refusals = [
      problemResponse(503, "unavailable", { retry_after_seconds: 4 }, { "retry-after": "4" }),
      problemResponse(429, "rate_limited", { retry_after_seconds: 20 }, { "retry-after": "20" }),
      new Response("<h1>Bad gateway</h1>", { status: 502 })
    ]
    const { requests, events } = await askAndCollect((request, n) =>
      n === 0
        ? streamResponse(encodedEvents.slice(0, 2), "broken")
        : refusals.shift() ?? streamResponse(encodedEvents.slice(lastEventNumber(request)))
    )
    expect(requests.map(({ atMs }) => atMs).slice(0, 4)).toEqual([0, 125, 4_125, 24_125])
    expect(events.length).toBe(answerEvents.length)
  })

  it("fails with the error of a resume that is rejected permanently", async () => {
    for (
      const [status, code, tag] of [[401, "invalid_key", "InvalidKey"], [
        404,
        "conversation_not_found",
        "ConversationNotFound"
      ]] as const
    ) {
      const { requests, events, failure } = await askAndCollect((_, n) =>
        n === 0 ? streamResponse(encodedEvents.slice(0, 3), "broken") : problemResponse(status, code)
      )
      expect(failure).toMatchObject({ _tag: tag, status })
      expect([requests.length, events.length]).toEqual([2, 3])
    }
  })

  it("fails with ConnectionLost if no event arrives within reconnect_ms", async () => {
    const { requests, failure } = await askAndCollect(
      (_, n) => n === 0 ? streamResponse(encodedEvents.slice(0, 2), "broken") : failFetch(),
      {
        reconnect_ms: 30_000
      }
    )
    expect(failure).toMatchObject({ _tag: "ConnectionLost" })
    expect(requests.at(-1)?.atMs).toBeLessThanOrEqual(30_000)
    expect(requests.length).toBeGreaterThan(8)
  })

  it("resumes after the machine was suspended for hours", async () => {
    const { requests, client, time } = makeTestClient((request, n) =>
      n === 0
        ? streamResponse(encodedEvents.slice(0, 2), "silent")
        : n < 4
        ? failFetch()
        : streamResponse(encodedEvents.slice(lastEventNumber(request)))
    )
    const answer = client.agent.stream({ message: "why?" })
    await answer.next()
    await answer.next()
    const rest = readAll(answer)
    await new Promise(setImmediate)
    time.suspendFor(36_000_000)
    expect((await rest).length).toBe(answerEvents.length - 2)
    expect(requests.length).toBe(5)
  })

  it("retries if a proxy responds with a page, and reports the page if that persists", async () => {
    const page = () => new Response("<h1>Back soon</h1>", { headers: { "content-type": "text/html" } })
    const pages = [page, page, () => new Response(null, { status: 302, headers: { location: "/login" } })]
    const { requests, events } = await askAndCollect((request, n) =>
      n === 0 ?
        streamResponse([...encodedEvents.slice(0, 2), "<h1>Bad gateway</h1>"]) :
        pages.shift()?.() ?? streamResponse(
          encodedEvents.slice(lastEventNumber(request))
        )
    )
    expect([requests.length, events.length]).toEqual([5, answerEvents.length])
    const { failure } = await askAndCollect((_, n) =>
      n === 0 ? streamResponse(encodedEvents.slice(0, 2), "broken") : page()
    )
    expect(failure).toMatchObject({ _tag: "UnexpectedAnswer", body: "<h1>Back soon</h1>" })
  })

  it("resumes without a limit while each connection delivers a new event", async () => {
    const { requests, events } = await askAndCollect((request) => {
      const next = lastEventNumber(request)
      return next < 6
        ? streamResponse(encodedEvents.slice(next, next + 1), "broken")
        : streamResponse(encodedEvents.slice(next))
    }, { reconnect_ms: 200 })
    expect(events.length).toBe(answerEvents.length)
    expect(requests.length).toBe(7)
  })
})

describe("a silent connection", () => {
  it("is replaced after more than two missed heartbeats", async () => {
    const { requests, events } = await askAndCollect((request, n) => {
      if (n === 0) return streamResponse([...encodedEvents.slice(0, 3), ":\n\n"], "silent")
      return n === 1 ? neverResolve() : streamResponse(encodedEvents.slice(lastEventNumber(request)))
    })
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 40_125, 80_375])
    expect(requestLinesOf(requests).slice(1)).toEqual(Array(2).fill(`${resumeLine} after 12-3`))
    expect(events.length).toBe(answerEvents.length)
  })

  it("is not assumed while the caller processes an event slowly", async () => {
    const { client, time, requests } = makeTestClient(() => streamResponse(encodedEvents))
    const events: Array<AnswerEvent> = []
    for await (const event of client.agent.stream({ message: "why?" })) {
      events.push(event)
      await new Promise<void>((resolve) => void time.schedule(600_000, resolve))
    }
    expect([requests.length, events.length]).toEqual([1, answerEvents.length])
  })
})

describe("an unexpected event", () => {
  it.each([
    ["a gap", [encodedEvents[0]!, encodedEvents[2]!]],
    ["no id", [encodedEvents[0]!, "event: delta\ndata: {}\n\n"]],
    ["invalid JSON", [encodedEvents[0]!, "id: 12-2\nevent: delta\ndata: {\"off\n\n"]]
  ])("causes a resume after the last valid event: %s", async (_, first) => {
    const { requests, events, failure } = await askAndCollect((request, n) =>
      n === 0 ? streamResponse(first) : streamResponse(encodedEvents.slice(lastEventNumber(request)))
    )
    expect(failure).toBeUndefined()
    expect(requestLinesOf(requests)).toEqual([questionLine, `${resumeLine} after 12-1`])
    expect(events.length).toBe(answerEvents.length)
  })

  it("is skipped if it was already read", async () => {
    const { events } = await askAndCollect((_, n) =>
      n === 0 ? streamResponse(encodedEvents.slice(0, 4), "broken") : streamResponse(encodedEvents)
    )
    expect(events.map(({ n }) => n)).toEqual(answerEvents.map((_, i) => i + 1))
  })

  it("is yielded unchanged if only its kind is unknown", async () => {
    const { events } = await askAndCollect(() =>
      streamResponse([
        encodedEvents[0]!,
        encodeEvent({ kind: "mood", data: { m: 1 } }, 2),
        encodeEvent(doneEvent("failed"), 3)
      ])
    )
    expect(events[1]).toEqual({ kind: "mood", data: { m: 1 }, id: "12-2", n: 2 })
  })
})

describe("an answer stream", () => {
  it("sends no request before it is read, and aborts the request when the caller stops", async () => {
    const { requests, client } = makeTestClient(() => streamResponse(encodedEvents.slice(0, 2), "silent"))
    const answer = client.agent.stream({ message: "why?" })
    expect(requests).toEqual([])
    for await (const _ of answer) break
    expect(requests[0]?.signal.aborted).toBe(true)
    expect(await answer.next()).toEqual({ done: true, value: undefined })
    const waiting = client.agent.stream({ message: "why?" })
    await waiting.next()
    await waiting.next()
    const next = waiting.next()
    await waiting.return()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(requests.length).toBe(2)
  })

  it("reads the response no faster than the caller consumes it", async () => {
    let pulledCount = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const line = pulledCount === 0
          ? encodedEvents[0]!
          : encodeEvent(deltaEvent(0, "x".repeat(1_000)), pulledCount + 1)
        controller.enqueue(new TextEncoder().encode(line))
        if (++pulledCount > 5_000) throw new Error("the client read ahead of its caller")
      }
    }, { highWaterMark: 0 })
    const { client } = makeTestClient(() => new Response(body, { headers: { "content-type": "text/event-stream" } }))
    const answer = client.agent.stream({ message: "why?" })
    for (let n = 1; n <= 20; n++) {
      expect((await answer.next()).value).toMatchObject({ n })
      await new Promise(setImmediate)
      expect(pulledCount).toBeLessThanOrEqual(n + 1)
    }
    await answer.return()
  })

  it("divides its events between two concurrent readers without loss or duplicates", async () => {
    const { client } = makeTestClient(() => streamResponse(encodedEvents))
    const answer = client.agent.stream({ message: "why?" })
    const eventsOfBothReaders = (await Promise.all([readAll(answer), readAll(answer)])).flat()
    expect(eventsOfBothReaders.map(({ n }) => n).toSorted((a, b) => a! - b!)).toEqual(answerEvents.map((_, i) => i + 1))
    expect(answer.text).toBe(answerText)
  })

  it("fails at its deadline or with its signal's reason, and does not cancel the answer", async () => {
    const silentClient = makeTestClient(() => streamResponse(encodedEvents.slice(0, 2), "silent"))
    await expect(readAll(silentClient.client.agent.stream({ message: "why?" }, { timeout_ms: 30_000 }))).rejects
      .toMatchObject({
        _tag: "DeadlineExceeded",
        timeout_ms: 30_000
      })
    const reason = new Error("enough")
    const aborted = makeTestClient(() => streamResponse(encodedEvents))
    await expect(readAll(aborted.client.agent.stream({ message: "why?" }, { signal: AbortSignal.abort(reason) })))
      .rejects
      .toBe(reason)
    expect(silentClient.requests.length).toBe(1)
  })

  it("fails with the error of a rejected question", async () => {
    const { events, failure } = await askAndCollect(() =>
      problemResponse(402, "over_limit", { price: 20, credits_left: 7, ways_forward: [] })
    )
    expect(events).toEqual([])
    expect(isClientError(failure) && failure._tag === "OverLimit" && failure.price).toBe(20)
    const page = await askAndCollect(() => jsonResponse({ hello: true }))
    expect(page.failure).toMatchObject({ _tag: "UnexpectedAnswer" })
  })

  it("can be resumed by another process after a known event id", async () => {
    const { requests, client } = makeTestClient((request) =>
      streamResponse(encodedEvents.slice(lastEventNumber(request)))
    )
    const events = await readAll(client.agent.resume(56, { after: "12-5" }))
    expect(events.map(({ n }) => n)).toEqual([6, 7, 8])
    await readAll(client.agent.resume(56))
    expect(requestLinesOf(requests)).toEqual([`${resumeLine} after 12-5`, resumeLine])
    expect(() => client.agent.resume(56, { after: "junk" })).toThrow(/after must be the id/)
  })

  it("ends at the done event of a failed or cancelled answer", async () => {
    for (const outcome of ["failed", "cancelled"]) {
      const { requests, events } = await askAndCollect(() =>
        streamResponse([encodedEvents[0]!, encodeEvent(doneEvent(outcome), 2)], "silent")
      )
      expect(events.map(({ kind }) => kind)).toEqual(["conversation", "done"])
      expect(requests.length).toBe(1)
    }
  })
})
