import { describe, expect, it } from "vitest"
import {
  answerText,
  askAndCollect,
  conversationEvent,
  conversationResponse,
  deltaEvent,
  encodedEvents,
  encodeEvent,
  requestLinesOf,
  resumeLine,
  storedMessage,
  userMessage
} from "./support/answerFixtures.ts"
import { failFetch, jsonResponse, problemResponse, type Responder, streamResponse } from "./support/fakeService.ts"

describe("an answer that ended while the client was disconnected", () => {
  const cutStream = streamResponse.bind(null, encodedEvents.slice(0, 3), "broken")

  it("is read from its conversation, as the answer to this question, on any page", async () => {
    const pages = [
      conversationResponse([
        userMessage("why?"),
        storedMessage("an older one"),
        userMessage("else?", 3),
        storedMessage("another")
      ], "p2"),
      conversationResponse([
        userMessage("why?", 5),
        storedMessage("BTC is whole.", { id: 6 }),
        userMessage("later?", 7),
        storedMessage("no", { id: 8 })
      ])
    ]
    const { answer, requests, events } = await askAndCollect((request, n) => {
      if (n === 0) return cutStream()
      return request.path.includes("/resume/") ? jsonResponse({ running: false }) : pages.shift()!
    })
    expect(requestLinesOf(requests).slice(1)).toEqual([
      `${resumeLine} after 12-3`,
      "GET /v1/agent/conversations/56?limit=200",
      "GET /v1/agent/conversations/56?cursor=p2&limit=200"
    ])
    expect(events.at(-1)).toMatchObject({ kind: "stored", data: { conversation_id: 56, message: { id: 6 } } })
    expect(answer.text).toBe("BTC is whole.")
  })

  it("is read from its conversation while another question is being answered", async () => {
    const { events } = await askAndCollect((request, n) => {
      if (n === 0) return cutStream()
      return request.path.includes("/resume/")
        ? streamResponse(
          [encodeEvent(conversationEvent(), 1, 13), encodeEvent(deltaEvent(0, "another"), 2, 13)],
          "silent"
        )
        : conversationResponse([userMessage("why?"), storedMessage("mine"), userMessage("other?", 3)])
    })
    expect(events.map(({ kind }) => kind)).toEqual(["conversation", "reasoning", "delta", "stored"])
  })

  it("is looked up until the reconnect limit, then fails with ConnectionLost", async () => {
    const answering = (reads: number): Responder => {
      let failed = 0
      return (request, n) => {
        if (n === 0) return cutStream()
        if (request.path.includes("/resume/")) return jsonResponse({ running: false })
        return failed++ < reads ? failFetch() : conversationResponse([userMessage("why?"), storedMessage("whole")])
      }
    }
    const toleratedAnswer = await askAndCollect(answering(20))
    expect(toleratedAnswer.failure).toBeUndefined()
    expect(toleratedAnswer.answer.text).toBe("whole")
    const { failure, time } = await askAndCollect(answering(Infinity))
    expect(failure).toMatchObject({ _tag: "ConnectionLost" })
    expect(time.monotonicMs() - time.startedAtMs).toBeGreaterThan(170_000)
    expect(time.monotonicMs() - time.startedAtMs).toBeLessThan(190_000)
  })

  it("fails with AnswerLost if the conversation has no answer to the question", async () => {
    const { failure } = await askAndCollect((request, n) => {
      if (n === 0) return cutStream()
      return request.path.includes("/resume/")
        ? jsonResponse({ running: false })
        : conversationResponse([userMessage("why?"), storedMessage("x"), userMessage("why?", 3)])
    })
    expect(failure).toMatchObject({ _tag: "AnswerLost", conversation_id: 56 })
  })

  it("is found by the message id that the service reports, also among equal questions", async () => {
    const messages = [
      userMessage("why?"),
      storedMessage("the one"),
      userMessage("why?", 3),
      storedMessage("another", { id: 4 })
    ]
    for (const question of [{}, { regenerate: true }]) {
      const { answer, events } = await askAndCollect(
        (request, n) => {
          if (n === 0) return cutStream()
          return request.path.includes("/resume/")
            ? jsonResponse({ running: false, message_id: 2 })
            : conversationResponse(messages)
        },
        {},
        question
      )
      expect(events.at(-1)?.kind).toBe("stored")
      expect(answer.text).toBe("the one")
    }
    for (const message_id of [null, 99]) {
      const { failure } = await askAndCollect((request, n) => {
        if (n === 0) return cutStream()
        return request.path.includes("/resume/")
          ? jsonResponse({ running: false, message_id })
          : conversationResponse(messages)
      })
      expect(failure).toMatchObject({ _tag: "AnswerLost", conversation_id: 56 })
    }
  })

  it("yields its suggestions if the connection broke after the done event and they are available", async () => {
    const laterResponses: ReadonlyArray<readonly [Responder, string | undefined]> = [
      [() => streamResponse(encodedEvents.slice(7)), "suggest"],
      [() => jsonResponse({ running: false, message_id: 2 }), undefined],
      // An older service sends a response without `message_id`.
      [
        ({ path }) =>
          path.includes("/resume/")
            ? jsonResponse({ running: false })
            : conversationResponse([userMessage("why?"), storedMessage(answerText, { suggestions: ["And ETH?"] })]),
        "stored"
      ],
      [
        ({ path }) => path.includes("/resume/") ? jsonResponse({ running: false }) : problemResponse(500, "internal"),
        undefined
      ],
      [() => problemResponse(401, "invalid_key"), undefined],
      [() => failFetch(), undefined]
    ]
    for (const end of ["broken", "whole"] as const) {
      for (const [answering, kind] of laterResponses) {
        const { requests, events, failure, time } = await askAndCollect((request, n) =>
          n === 0 ? streamResponse(encodedEvents.slice(0, 7), end) : answering(request, n)
        )
        expect(failure).toBeUndefined()
        expect(events.slice(0, 7).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7])
        expect(events[7]?.kind).toBe(kind)
        expect(requestLinesOf(requests)[1]).toBe(`${resumeLine} after 12-7`)
        expect(time.monotonicMs() - time.startedAtMs).toBeLessThan(15_000)
      }
    }
  })

  it("is found by its idempotency key if it ended long ago", async () => {
    const { requests, events } = await askAndCollect(({ path }) => {
      if (path.endsWith("/stream")) {
        return new Response("", { headers: { "content-type": "text/event-stream", "idempotent-replayed": "true" } })
      }
      return path.endsWith("/messages")
        ? jsonResponse({ answer: "old", conversation_id: 56 })
        : conversationResponse([userMessage("why?"), storedMessage("old")])
    })
    expect(events).toMatchObject([{ kind: "stored", data: { message: { content: "old" } } }])
    expect(new Set(requests.slice(0, 2).map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1)
  })
})
