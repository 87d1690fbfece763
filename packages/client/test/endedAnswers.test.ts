import { describe, expect, it } from "vitest"
import {
  asked,
  asking,
  conversation,
  delta,
  lines,
  pathsOf,
  resume,
  stored,
  view,
  whole,
  wire
} from "./support/answer.ts"
import { type Answering, broken, json, problem, stream } from "./support/fakeService.ts"

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

  it("is looked for as long as the stream is, and told as lost after that", async () => {
    const answering = (reads: number): Answering => {
      let failed = 0
      return (request, n) => {
        if (n === 0) return cut()
        if (request.path.includes("/resume/")) return json({ running: false })
        return failed++ < reads ? broken() : view([asked("why?"), stored("whole")])
      }
    }
    const patient = await asking(answering(20))
    expect(patient.failure).toBeUndefined()
    expect(patient.answer.text).toBe("whole")
    const { failure, time } = await asking(answering(Infinity))
    expect(failure).toMatchObject({ _tag: "ConnectionLost" })
    expect(time.now() - time.began).toBeGreaterThan(170_000)
    expect(time.now() - time.began).toBeLessThan(190_000)
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

  it("is the one that the service names, where it does: questions may be equal, and answers replaced", async () => {
    const messages = [asked("why?"), stored("the one"), asked("why?", 3), stored("another", { id: 4 })]
    for (const question of [{}, { regenerate: true }]) {
      const { answer, events } = await asking(
        (request, n) => {
          if (n === 0) return cut()
          return request.path.includes("/resume/") ? json({ running: false, message_id: 2 }) : view(messages)
        },
        {},
        question
      )
      expect(events.at(-1)?.kind).toBe("stored")
      expect(answer.text).toBe("the one")
    }
    for (const message_id of [null, 99]) {
      const { failure } = await asking((request, n) => {
        if (n === 0) return cut()
        return request.path.includes("/resume/") ? json({ running: false, message_id }) : view(messages)
      })
      expect(failure).toMatchObject({ _tag: "AnswerLost", conversation_id: 56 })
    }
  })

  it("right after its last word has what could be asked next, if that is to be had", async () => {
    const afterwards: ReadonlyArray<readonly [Answering, string | undefined]> = [
      [() => stream(lines.slice(7)), "suggest"],
      // The answer has no suggestions, or they failed.
      [() => json({ running: false, message_id: 2 }), undefined],
      // The service is older than this client.
      [
        ({ path }) =>
          path.includes("/resume/")
            ? json({ running: false })
            : view([asked("why?"), stored(whole, { suggestions: ["And ETH?"] })]),
        "stored"
      ],
      [({ path }) => path.includes("/resume/") ? json({ running: false }) : problem(500, "internal"), undefined],
      [() => problem(401, "invalid_key"), undefined],
      [() => broken(), undefined]
    ]
    for (const end of ["broken", "whole"] as const) {
      for (const [answering, kind] of afterwards) {
        const { came, events, failure, time } = await asking((request, n) =>
          n === 0 ? stream(lines.slice(0, 7), end) : answering(request, n)
        )
        expect(failure).toBeUndefined()
        expect(events.slice(0, 7).map(({ n }) => n)).toEqual([1, 2, 3, 4, 5, 6, 7])
        expect(events[7]?.kind).toBe(kind)
        expect(pathsOf(came)[1]).toBe(`${resume} after 12-7`)
        expect(time.now() - time.began).toBeLessThan(15_000)
      }
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
