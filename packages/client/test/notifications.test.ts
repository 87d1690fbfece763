import { Effect, Fiber, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { toEffectClient } from "../src/effect.ts"
import { isClientError, type NotificationEvent } from "../src/index.ts"
import {
  failFetch,
  jsonResponse,
  makeTestClient,
  neverResolve,
  problemResponse,
  type Responder,
  streamResponse
} from "./support/fakeService.ts"

const unread = (id: number, unread: number) => `id: ${id}\nevent: unread\ndata: ${JSON.stringify({ unread })}\n\n`
const notification = (id: number) =>
  `id: ${id}\nevent: notification\ndata: ${JSON.stringify({ id, title: "a 🚀" })}\n\n`

/**
 * Follows the notifications of a fake service up to the event with the id `last`. Returns the events, the failure and
 * the requests.
 */
const following = async (answering: Responder, last: number, after?: number) => {
  const { requests, client, time } = makeTestClient(answering)
  const events: Array<NotificationEvent> = []
  let failure: unknown
  const stream = client.notifications({ after })
  try {
    for await (const event of stream) {
      events.push(event)
      if (event.id === last) break
    }
  } catch (error) {
    failure = error
  }
  const ids = requests.map(({ headers }) => headers.get("last-event-id"))
  return {
    stream,
    requests,
    client,
    events,
    failure,
    ids,
    receivedIds: events.map(({ id, kind }) => `${kind} ${id}`),
    time
  }
}

describe("the notification stream", () => {
  it("yields each notification once and in order across reconnects", async () => {
    const { stream, requests, events, ids, receivedIds } = await following((_, n) => {
      switch (n) {
        case 0:
          return failFetch()
        case 1:
          return streamResponse([unread(3, 2), notification(4), notification(5).slice(0, 20)], "broken")
        case 2:
          return streamResponse([notification(5)])
        case 3:
          return problemResponse(503, "unavailable", { retry_after_seconds: 1 })
        default:
          return streamResponse([":\n\n", notification(6), notification(7)], "silent")
      }
    }, 7)
    expect(receivedIds).toEqual(["unread 3", "notification 4", "notification 5", "notification 6", "notification 7"])
    expect(events[0]).toEqual({ kind: "unread", data: { unread: 2 }, id: 3 })
    expect(ids).toEqual([null, null, "4", "5", "5"])
    expect(requests[0]?.path).toBe("/v1/notifications/stream")
    expect(stream.last_event_id).toBe(7)
    expect(requests.at(-1)?.signal.aborted).toBe(true)
  })

  it("resumes after a known id, and accepts lower ids if the service no longer knows that id", async () => {
    const { ids, receivedIds } = await following(
      (_, n) => streamResponse(n === 0 ? [notification(10)] : [notification(1), notification(2)]),
      2,
      9
    )
    expect(ids).toEqual(["9", "10"])
    expect(receivedIds).toEqual(["notification 10", "notification 1", "notification 2"])
    expect(() => makeTestClient(neverResolve).client.notifications({ after: -1 })).toThrow(/after must be/)
  })

  it("reconnects after a silence without heartbeats", async () => {
    const { ids, receivedIds } = await following(
      (_, n) => n === 0 ? streamResponse([unread(0, 0)], "silent") : streamResponse([notification(1)]),
      1
    )
    expect(receivedIds).toEqual(["unread 0", "notification 1"])
    expect(ids).toEqual([null, "0"])
  })

  it("fails after a rejection, an invalid event, or a lasting loss of the connection", async () => {
    const failing = async (answering: Responder) => {
      const { failure } = await following(answering, 1)
      return isClientError(failure) ? failure._tag : failure
    }
    // After a key is revoked, the service ends the stream and rejects the next request.
    expect(await failing((_, n) => n === 0 ? streamResponse([unread(0, 0)]) : problemResponse(401, "invalid_key")))
      .toBe("InvalidKey")
    expect(await failing(() => problemResponse(403, "scope_required", { required_scope: "read:personal" }))).toBe(
      "ScopeRequired"
    )
    expect(await failing(() => jsonResponse({ running: false }))).toBe("UnexpectedAnswer")
    expect(await failing(() => failFetch())).toBe("ConnectionLost")
    for (const junk of ["id: x\nevent: unread\ndata: {}\n\n", "data: {}\n\n", "id: 1\ndata: {\n\n"]) {
      expect(await failing(() => streamResponse([junk]))).toBe("UnexpectedAnswer")
    }
  })

  it("is available as an Effect stream whose interruption aborts the request", async () => {
    const { requests, client } = makeTestClient((_, n) =>
      streamResponse([unread(0, 0), notification(1)], n === 0 ? "broken" : "silent")
    )
    const { notifications } = toEffectClient(client)
    expect(await Effect.runPromise(Stream.runCollect(Stream.take(notifications(), 2)))).toHaveLength(2)
    const reading = Effect.runFork(Stream.runDrain(notifications()))
    await expect.poll(() => requests.length).toBeGreaterThan(1)
    await Effect.runPromise(Fiber.interrupt(reading))
    expect(requests.at(-1)?.signal.aborted).toBe(true)
  })
})
