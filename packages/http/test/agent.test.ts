import { assert, layer } from "@effect/vitest"
import { Administration, Analyst, GenerationLog, Ledger } from "@tapeline/core"
import { GenerationStore, ModelRefused } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { readWholeLog } from "@tapeline/testing/agent/fixtures"
import {
  callPart,
  endPart,
  failWith,
  reasoningPart,
  ScriptedModel,
  textPart,
  waitForCue,
  waitForever
} from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Latch, Redacted } from "effect"
import { layerAgentServer } from "./agentServer.ts"
import { type EventStream, joinDeltas, openStream, type ReceivedEvent } from "./EventStream.ts"
import { sendRaw, sendRequest } from "./testServer.ts"

/**
 * Latches at which answers wait until the test opens them. Each question contains the name of the latch at which its
 * answer waits.
 */
const latches = new Map<string, Latch.Latch>()
const latchOf = (name: string) => {
  const latch = latches.get(name) ?? Latch.makeUnsafe(false)
  latches.set(name, latch)
  return latch
}

/**
 * A model that follows instructions in the question. Parts that the model writes without a wait arrive as one `delta`.
 */
const model = new ScriptedModel(({ brief: { question }, step }) => {
  if (question.includes("fail")) return [failWith(new ModelRefused({ detail: "no such model" }))]
  const rejectionKind = /refuse (\S+)/.exec(question)?.[1]
  if (rejectionKind !== undefined) {
    return [
      textPart("I begin, "),
      waitForCue(latchOf(rejectionKind).await),
      failWith(new ModelRefused({ detail: "no credit" }))
    ]
  }
  if (question.includes("hang")) return [textPart("I begin, "), waitForever]
  if (step <= 4) {
    return [reasoningPart("Which? "), textPart(`Look ${step} 🚀.`), callPart("test_price", { coin: "BTC" }), endPart]
  }
  const name = /latch (\S+)/.exec(question)?.[1]
  return name === undefined
    ? [textPart("The end."), endPart]
    : [textPart("Almost, "), waitForCue(latchOf(name).await), textPart("the end."), endPart]
})

const numbersOf = (events: ReadonlyArray<ReceivedEvent>) => events.map(({ id }) => Number(id.split("-")[1]))
const conversationOf = (stream: EventStream): number => stream.events[0]!.data.conversation_id
const upTo = (count: number) => (stream: EventStream) => stream.eventsOfKind("delta").length >= count
const opened = (kind: string) => (stream: EventStream) => stream.eventsOfKind(kind).length > 0

layer(layerAgentServer(model.layer), { excludeTestServices: true })("an answer over HTTP", (it) => {
  it.effect("is streamed as ordered events that add up to the stored answer", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const stream = yield* openStream("/v1/agent/stream", { key, body: { message: "why?" } })
      yield* stream.readToEnd
      assert.strictEqual(stream.status, 200)
      assert.strictEqual(stream.headers.get("content-type"), "text/event-stream; charset=utf-8")
      assert.strictEqual(stream.headers.get("cache-control"), "no-cache, no-store, no-transform")
      assert.strictEqual(stream.headers.get("x-accel-buffering"), "no")
      assert.isNull(stream.headers.get("content-encoding"))
      const { events } = stream
      assert.deepStrictEqual(numbersOf(events), events.map((_, i) => i + 1))
      assert.strictEqual(events[0]?.kind, "conversation")
      assert.deepStrictEqual(events.slice(-2).map(({ kind }) => kind), ["done", "suggest"])
      for (const { data: { call_id } } of stream.eventsOfKind("tool")) {
        const toolEvents = events.map(({ data, kind }) => data.call_id === call_id ? kind : "").filter(Boolean)
        assert.deepStrictEqual(toolEvents, ["tool", "tool_done"])
      }
      const id = conversationOf(stream)
      const { body } = yield* sendRequest("GET", `/v1/agent/conversations/${id}`, { key })
      assert.deepStrictEqual(body.messages.map(({ role }: { role: string }) => role), ["user", "assistant"])
      assert.strictEqual(body.messages[1].content, joinDeltas(events))
      assert.deepStrictEqual(body.messages[1].suggestions, ["And ETH?"])
      const newest = yield* sendRequest("GET", `/v1/agent/conversations/${id}?order=newest&limit=1`, { key })
      assert.deepStrictEqual(newest.body.messages, [body.messages[1]])
      const before = `/v1/agent/conversations/${id}?order=newest&limit=1&cursor=${newest.body.next_cursor}`
      assert.deepInclude((yield* sendRequest("GET", before, { key })).body, {
        messages: [body.messages[0]],
        next_cursor: null
      })
      assert.strictEqual((yield* sendRequest("GET", `/v1/agent/conversations/${id}?order=best`, { key })).status, 400)
      assert.deepStrictEqual((yield* sendRequest("GET", `/v1/agent/resume/${id}`, { key })).body, { running: false })

      const fullAnswer = yield* sendRequest("POST", "/v1/agent/messages", {
        key,
        body: { message: "why?", lang: "ko" }
      })
      assert.strictEqual(fullAnswer.status, 200, fullAnswer.text)
      assert.deepInclude(fullAnswer.body, {
        answer: body.messages[1].content,
        lang: "ko",
        outcome: "finished",
        credits_used: 20,
        credits_left: 60_000 - 40,
        suggestions: ["And ETH?"]
      })
      const list = yield* sendRequest("GET", "/v1/agent/conversations?limit=1", { key })
      assert.strictEqual(list.body.conversations[0].id, fullAnswer.body.conversation_id)
      assert.deepInclude(list.body.conversations[0], { message_count: 2, running: false, mode: "analyst", lang: "ko" })
      const next = yield* sendRequest("GET", `/v1/agent/conversations?limit=1&cursor=${list.body.next_cursor}`, { key })
      assert.deepStrictEqual([next.body.conversations[0].id, next.body.next_cursor], [id, null])
    }))

  it.effect("is resumed after the last event id without gaps or duplicates", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const first = yield* openStream("/v1/agent/stream", { key, body: { message: "latch resumed" } })
      yield* first.readUntil(upTo(5))
      yield* first.disconnect
      const id = conversationOf(first)
      const last = first.events.at(-1)!.id
      const resumed = yield* openStream(`/v1/agent/resume/${id}`, { key, headers: { "last-event-id": last } })
      const byQuery = yield* openStream(`/v1/agent/resume/${id}?after=${last}`, { key })
      const [generation] = last.split("-")
      const junk = [
        `${Number(generation) + 1}-3`,
        `${generation}-99999`,
        "junk",
        "-1",
        `${generation}-`,
        "0".repeat(500)
      ]
      const fullStreams = yield* Effect.forEach(
        [undefined, ...junk],
        (text) =>
          openStream(`/v1/agent/resume/${id}`, { key, headers: text === undefined ? {} : { "last-event-id": text } })
      )
      const invalidOffsetStream = yield* openStream(`/v1/agent/resume/${id}?after=x`, { key })
      latchOf("resumed").openUnsafe()
      yield* Effect.forEach([resumed, byQuery, invalidOffsetStream, ...fullStreams], ({ readToEnd }) => readToEnd)
      const raw = (events: ReadonlyArray<ReceivedEvent>) => events.map((event) => event.raw)
      assert.deepStrictEqual(raw(byQuery.events), raw(resumed.events))
      for (const { events } of [invalidOffsetStream, ...fullStreams]) {
        assert.deepStrictEqual(raw([...first.events, ...resumed.events]), raw(events))
      }
      assert.deepStrictEqual(numbersOf(invalidOffsetStream.events), invalidOffsetStream.events.map((_, i) => i + 1))
      const { events } = yield* readWholeLog(yield* GenerationLog, Number(generation))
      assert.deepStrictEqual(
        invalidOffsetStream.events.map(({ data }) => JSON.stringify(data)),
        events.map(({ data }) => data)
      )
      assert.deepStrictEqual((yield* sendRequest("GET", `/v1/agent/resume/${id}`, { key })).body, { running: false })
    }))

  it.effect("is replayed to its error if it failed during a disconnect, while its log is kept", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const { key: foreignKey } = yield* createKeyedAccount()
      const body = { message: "refuse behind" }
      const [first, left] = [
        yield* openStream("/v1/agent/stream", { key, body }),
        yield* openStream("/v1/agent/stream", { key, body: { message: "refuse apart" } })
      ]
      yield* first.readUntil(upTo(1))
      const last = first.events.at(-1)!.id
      const id = conversationOf(first)
      const other = conversationOf(yield* left.readUntil(upTo(1)))
      for (const name of ["behind", "apart"]) latchOf(name).openUnsafe()
      yield* Effect.forEach([first, left], ({ readToEnd }) => readToEnd)
      const resumed = yield* openStream(`/v1/agent/resume/${id}`, { key, headers: { "last-event-id": last } })
      yield* resumed.readToEnd
      const end = first.events.slice(first.events.findIndex((event) => event.id === last) + 1)
      assert.deepStrictEqual(resumed.events.map(({ raw }) => raw), end.map(({ raw }) => raw))
      assert.strictEqual(resumed.eventsOfKind("done")[0]?.data.error.code, "model_refused")
      const over = (conversation: number, outputText: string, lastId: string) =>
        Effect.map(
          sendRequest("GET", `/v1/agent/resume/${conversation}`, {
            key: outputText,
            headers: { "last-event-id": lastId }
          }),
          ({ body }) => body
        )
      const notRunningBody = { running: false }
      const { messages } = (yield* sendRequest("GET", `/v1/agent/conversations/${id}`, { key })).body
      const endedBody = { running: false, message_id: messages[1].id }
      assert.deepStrictEqual(yield* over(id, key, first.events.at(-1)!.id), endedBody, "all events were read")
      assert.deepStrictEqual(yield* over(other, key, last), notRunningBody, "an answer of another conversation")
      assert.strictEqual((yield* over(id, foreignKey, last)).code, "conversation_not_found")
      for (const junk of ["junk", `${last.split("-")[0]}-99999`, "9007199254740993-1", "0-1"]) {
        assert.deepStrictEqual(yield* over(id, key, junk), notRunningBody, junk)
      }
      yield* (yield* GenerationStore).sweep({ closeAfterMs: -1_000, keepLogsMs: -1_000, keepRowsMs: 1e9, limit: 100 })
      assert.deepStrictEqual(yield* over(id, key, last), endedBody, "the log was deleted")
    }))

  it.effect("has the same events for ten readers that join at different times", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const first = yield* openStream("/v1/agent/stream", { key, body: { message: "latch late" } })
      const laterStreams: Array<EventStream> = []
      for (let i = 0; i < 10; i++) {
        yield* first.readUntil(upTo(Math.ceil(i / 2)))
        const id = conversationOf(yield* first.readUntil(opened("conversation")))
        laterStreams.push(yield* openStream(`/v1/agent/resume/${id}`, { key }))
      }
      latchOf("late").openUnsafe()
      yield* Effect.forEach([first, ...laterStreams], ({ readToEnd }) => readToEnd)
      for (const { text } of laterStreams) assert.strictEqual(text, first.text)
    }))

  it.effect("is cancelled: the stream ends, the model stops, and the next question is accepted", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const stream = yield* openStream("/v1/agent/stream", { key, body: { message: "hang" } })
      yield* stream.readUntil(upTo(1))
      const id = conversationOf(stream)
      const second = { message: "and?", conversation_id: id }
      for (const path of ["/v1/agent/messages", "/v1/agent/stream"]) {
        const busy = yield* sendRequest("POST", path, { key, body: second })
        assert.deepStrictEqual([busy.status, busy.body.code], [409, "generation_running"], busy.text)
        assert.deepStrictEqual(busy.body.ways_forward, ["resume", "cancel"])
      }
      const removed = yield* sendRequest("DELETE", `/v1/agent/conversations/${id}`, { key })
      assert.strictEqual(removed.status, 409)
      const aborted = model.abortedStreams
      const cancelled = yield* sendRequest("POST", `/v1/agent/cancel/${id}`, { key })
      assert.deepStrictEqual(cancelled.body, { cancelled: true, running: false })
      yield* stream.readToEnd
      assert.deepInclude(stream.events.at(-1)?.data, { outcome: "cancelled", credits_used: 20 })
      assert.strictEqual(model.abortedStreams, aborted + 1)
      assert.deepStrictEqual((yield* sendRequest("POST", `/v1/agent/cancel/${id}`, { key })).body, {
        cancelled: false,
        running: false
      })
      const next = yield* sendRequest("POST", "/v1/agent/messages", { key, body: second })
      assert.strictEqual(next.body.outcome, "finished", next.text)
      assert.strictEqual((yield* sendRequest("DELETE", `/v1/agent/conversations/${id}`, { key })).status, 204)
      assert.strictEqual((yield* sendRequest("GET", `/v1/agent/conversations/${id}`, { key })).status, 404)
    }))

  it.effect("costs nothing and does not count towards the daily quota if it fails", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ plan: "once" })
      const ask = (message: string) => sendRequest("POST", "/v1/agent/messages", { key, body: { message } })
      const failed = yield* ask("fail")
      assert.strictEqual(failed.status, 200)
      assert.deepInclude(failed.body, { outcome: "failed", credits_used: 0, credits_left: 1_000 })
      assert.isString(failed.body.error.message)
      assert.strictEqual((yield* ask("why?")).body.outcome, "finished")
      const rejection = yield* ask("and?")
      assert.deepStrictEqual([rejection.status, rejection.body.code], [429, "daily_quota_reached"])
      assert.strictEqual(rejection.body.quota, 1)
      const after = Number(rejection.headers.get("retry-after"))
      assert.isAtLeast(after, 1)
      assert.isAtMost(after, 86_400)
      assert.strictEqual(rejection.body.retry_after_seconds, after)
      assert.match(rejection.body.renews_at, /T00:00:00\.000Z$/)
      const usage = yield* sendRequest("GET", "/v1/usage", { key })
      assert.deepInclude(usage.body.answers, { today: 1, quota: 1 })
      assert.deepInclude(usage.body.credits, { used: 20, reserved: 0 })
    }))

  it.effect("is started and charged once per idempotency key", () =>
    Effect.gen(function*() {
      const { key, principal } = yield* createKeyedAccount()
      const headers = { "idempotency-key": "one" }
      const body = { message: "latch once" }
      const first = yield* openStream("/v1/agent/stream", { key, body, headers })
      yield* first.readUntil(upTo(2))
      const second = yield* openStream("/v1/agent/stream", { key, body, headers })
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.isNull(first.headers.get("idempotent-replayed"))
      const other = yield* sendRequest("POST", "/v1/agent/messages", { key, body: { message: "other" }, headers })
      assert.deepStrictEqual([other.status, other.body.code], [400, "idempotency_key_reused"])
      latchOf("once").openUnsafe()
      const fullAnswer = yield* sendRequest("POST", "/v1/agent/messages", { key, body, headers })
      assert.strictEqual(fullAnswer.headers.get("idempotent-replayed"), "true")
      yield* first.readToEnd
      yield* second.readToEnd
      assert.strictEqual(first.text, second.text)
      assert.strictEqual(fullAnswer.body.answer, joinDeltas(first.events))
      // After the log was deleted, only the stored answer remains.
      yield* (yield* GenerationStore).sweep({ closeAfterMs: -1_000, keepLogsMs: -1_000, keepRowsMs: 1e9, limit: 100 })
      const laterStream = yield* openStream("/v1/agent/stream", { key, body, headers })
      yield* laterStream.readToEnd
      assert.deepStrictEqual([laterStream.status, laterStream.headers.get("idempotent-replayed")], [200, "true"])
      assert.deepStrictEqual(laterStream.headers.get("content-type"), first.headers.get("content-type"))
      assert.deepStrictEqual(laterStream.events.map(({ kind }) => kind), ["conversation", "delta", "done", "suggest"])
      assert.deepStrictEqual(numbersOf(laterStream.events), [1, 2, 3, 4])
      assert.strictEqual(joinDeltas(laterStream.events), fullAnswer.body.answer)
      assert.deepInclude(laterStream.eventsOfKind("done")[0]?.data, { outcome: "finished", credits_used: 20 })
      const books = yield* (yield* Ledger).balance(principal.account)
      assert.deepInclude(books, { used: 20, reserved: 0 })
      yield* sendRequest("DELETE", `/v1/agent/conversations/${conversationOf(first)}`, { key })
      for (const path of ["/v1/agent/messages", "/v1/agent/stream"]) {
        const secondResponse = yield* sendRequest("POST", path, { key, body, headers })
        assert.deepStrictEqual([secondResponse.status, secondResponse.body.code], [404, "conversation_not_found"])
      }
    }))

  it.effect("is replayed to a key with fewer scopes if it used no personal scope and has ended", () =>
    Effect.gen(function*() {
      const { account, key } = yield* createKeyedAccount()
      const scopes = ["agent:chat", "read:market"] as const
      const issued = yield* (yield* Administration).issueKey({ account: account.id, name: "chat", scopes })
      const sent = { body: { message: "why?" }, headers: { "idempotency-key": "shared" } }
      const first = yield* sendRequest("POST", "/v1/agent/messages", { key, ...sent })
      const repeated = yield* sendRequest("POST", "/v1/agent/messages", { key: Redacted.value(issued.key), ...sent })
      assert.deepStrictEqual([repeated.status, repeated.body.answer], [200, first.body.answer])
      assert.strictEqual(repeated.headers.get("idempotent-replayed"), "true")
    }))

  it.effect("is finished and stored after its reader disconnects", () =>
    Effect.gen(function*() {
      const { key, principal } = yield* createKeyedAccount()
      const stream = yield* openStream("/v1/agent/stream", { key, body: { message: "latch alone" } })
      yield* stream.readUntil(opened("conversation"))
      yield* stream.disconnect
      const id = conversationOf(stream)
      const analyst = yield* Analyst
      const generation = yield* analyst.findRunning(principal, id)
      latchOf("alone").openUnsafe()
      assert.strictEqual((yield* analyst.awaitAnswer(generation!)).outcome, "finished")
      const { body } = yield* sendRequest("GET", `/v1/agent/conversations/${id}`, { key })
      assert.deepInclude(body.messages[1], { outcome: "finished" })
    }))

  it.effect("keeps the connection open for the next request, and is not compressed", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const body = JSON.stringify({ message: "why?" })
      const requestHead = `host: x\r\nauthorization: Bearer ${key}\r\naccept-encoding: gzip\r\n`
      const text = yield* sendRaw(
        `POST /v1/agent/stream HTTP/1.1\r\n${requestHead}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}` +
          `HEAD /v1/agent/resume/1 HTTP/1.1\r\n${requestHead}\r\n` +
          `GET /v1/usage HTTP/1.1\r\n${requestHead}connection: close\r\n\r\n`
      )
      assert.deepStrictEqual(text.match(/HTTP\/1\.1 \d+/g)?.map((line) => line.slice(-3)), ["200", "404", "200"])
      assert.match(text, /event: suggest[^]*\r\n0\r\n\r\nHTTP/)
      assert.notInclude(text, "content-encoding")
    }))
})
