import { assert, layer } from "@effect/vitest"
import { NotificationStreamEvent } from "@tapeline/api"
import { Administration, allScopes } from "@tapeline/core"
import { maxNotifications, NotificationStore } from "@tapeline/core/personal"
import { Draining, makeNodeServer } from "@tapeline/http"
import { createKeyedAccount } from "@tapeline/testing"
import { ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { createTask, endFiring, findWatch, fireTask, getFence, newCall } from "@tapeline/testing/tasks/fixtures"
import { Effect, Redacted, Schema, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { afterAll } from "vitest"
import { maxNotificationStreams } from "../src/streaming/streamResponse.ts"
import { layerAgentServer } from "./agentServer.ts"
import { type EventStream, openStream } from "./EventStream.ts"
import { sendRequest } from "./testServer.ts"
import { samePageHeaders, signInNewUser } from "./testSession.ts"

const path = "/v1/notifications/stream"
const model = new ScriptedModel(() => [textPart("I begin, "), waitForever])

const isBellEvent = Schema.decodeUnknownSync(NotificationStreamEvent)
const idsOf = ({ events }: EventStream) => events.map(({ id }) => Number(id))
const rungOf = (stream: EventStream) => stream.eventsOfKind("notification").map(({ data }): number => data.id)
const reached = (n: number) => (stream: EventStream) => idsOf(stream).at(-1) === n
const from = (first: number, last: number) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)

const ring = Effect.fnUntraced(function*(account: number, task: number, times = 1) {
  for (let i = 0; i < times; i++) {
    yield* endFiring(getFence(yield* fireTask(yield* findWatch(account, task))), {
      report: null,
      notification: { kind: "task_fired", title: "a\u0000 \udfff\u2028", body: "it\r\n\nis: so" }
    })
  }
})

const belled = Effect.gen(function*() {
  const { account: { id: account }, key, record } = yield* createKeyedAccount()
  const task = (yield* createTask(account)).id
  return { account, key, record, task }
})

const mark = (account: number, numbers: ReadonlyArray<number> | null) =>
  Effect.flatMap(NotificationStore, (store) => store.markRead(account, newCall(), numbers))

const open = (key: string, headers: Readonly<Record<string, string>> = {}, query = "") =>
  openStream(path + query, { key, headers })

const server = makeNodeServer()

layer(layerAgentServer(model.layer, [], server))("the notification stream over HTTP", (it) => {
  // `fetch` opens additional connections, which would delay the stop of the server.
  afterAll(() => server.closeAllConnections())

  it.effect("sends the unread count, and then each notification as it is created", () =>
    Effect.gen(function*() {
      const { account, key, task } = yield* belled
      const empty = yield* open(key)
      yield* empty.readUntil(reached(0))
      assert.deepStrictEqual([empty.status, empty.headers.get("content-type")], [
        200,
        "text/event-stream; charset=utf-8"
      ])
      assert.strictEqual(empty.headers.get("cache-control"), "no-cache, no-store, no-transform")
      yield* ring(account, task, 3)
      yield* mark(account, [2])
      const stream = yield* open(key)
      yield* stream.readUntil(reached(3))
      assert.deepStrictEqual(stream.events.map(({ data, id, kind }) => ({ data, id, kind })), [
        { id: "3", kind: "unread", data: { unread: 2 } }
      ])
      yield* ring(account, task, 2)
      for (const { events } of [yield* stream.readUntil(reached(5)), yield* empty.readUntil(reached(5))]) {
        for (const { data, id, kind } of events) isBellEvent({ id, event: kind, data: JSON.stringify(data) })
      }
      assert.deepStrictEqual([idsOf(empty), idsOf(stream)], [from(0, 5), [3, 4, 5]])
      const [newest] = (yield* Effect.flatMap(NotificationStore, (store) =>
        store.list(account, { unreadOnly: false, limit: 1 }))).notifications
      assert.deepStrictEqual(stream.events.at(-1)?.data, {
        id: 5,
        time: new Date(newest!.time).toISOString(),
        kind: "task_fired",
        title: "a\u0000 \udfff\u2028",
        body: "it\r\n\nis: so",
        task_id: task,
        conversation_id: newest!.conversation,
        read: false
      })
    }))

  it.effect("sends each notification in the language that its reader requests", () =>
    Effect.gen(function*() {
      const { account, key, task } = yield* belled
      const streams = yield* Effect.forEach(
        ["en", "ru"],
        (language) => open(key, { "x-lang": language, "last-event-id": "0" })
      )
      const facts = { observed: null, lateByMs: 300_000, missed: 0 }
      yield* endFiring(getFence(yield* fireTask(yield* findWatch(account, task))), {
        report: null,
        notification: { kind: "task_fired", title: "BTC", body: "Detected 5 min late.", facts }
      })
      const bodies = yield* Effect.forEach(streams, (stream) =>
        Effect.map(stream.readUntil(reached(1)), ({ events }) => events.at(-1)?.data.body))
      assert.deepStrictEqual(bodies, ["Detected 5 min late.", "Обнаружено с опозданием на 5 мин."])
    }))

  const moves = fc.array(
    fc.oneof(
      fc.record({ ring: fc.integer({ min: 1, max: 5 }), other: fc.integer({ min: 0, max: 2 }) }),
      fc.constantFrom("mark", "cut", "cut while it comes")
    ),
    { maxLength: 12 }
  )

  type Move = "mark" | "cut" | "cut while it comes" | { readonly ring: number; readonly other: number }

  const follow = Effect.fnUntraced(function*(steps: ReadonlyArray<Move>, byQuery: boolean) {
    const [mine, other] = [yield* belled, yield* belled]
    let stream = yield* open(mine.key)
    const beside = yield* open(other.key)
    yield* Effect.forEach([stream, beside], (one) => one.readUntil(reached(0)))
    let [rung, aside] = [0, 0]
    const seen: Array<number> = []
    for (const step of steps) {
      if (typeof step === "object") {
        yield* Effect.all([
          ring(mine.account, mine.task, step.ring),
          ring(other.account, other.task, step.other)
        ], { concurrency: "unbounded" })
        rung += step.ring
        aside += step.other
      } else if (step === "mark") yield* mark(mine.account, null)
      else {
        const last = stream.events.at(-1)?.id ?? String(seen.at(-1) ?? 0)
        if (step === "cut") yield* stream.readUntil(({ events }) => Number(events.at(-1)?.id ?? last) === rung)
        const read = stream.events.at(-1)?.id ?? last
        seen.push(...rungOf(stream))
        yield* stream.disconnect
        stream = yield* byQuery ? open(mine.key, {}, `?after=${read}`) : open(mine.key, { "last-event-id": read })
        assert.strictEqual(stream.status, 200)
      }
    }
    yield* ring(mine.account, mine.task)
    yield* stream.readUntil(reached(rung + 1))
    if (aside > 0) yield* beside.readUntil(reached(aside))
    assert.deepStrictEqual([...seen, ...rungOf(stream)], from(1, rung + 1))
    assert.deepStrictEqual(rungOf(beside), from(1, aside))
    for (const { data } of beside.eventsOfKind("notification")) assert.strictEqual(data.task_id, other.task)
    for (const { data } of stream.eventsOfKind("notification")) assert.strictEqual(data.task_id, mine.task)
  })

  it.effect(
    "sends each notification once across reconnects, and only to its own account",
    () =>
      Effect.gen(function*() {
        const services = yield* Effect.context<
          Effect.Services<ReturnType<typeof follow>> extends infer R ? Exclude<R, Scope.Scope> : never
        >()
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              moves,
              fc.boolean(),
              (steps, byQuery) =>
                Effect.runPromise(Effect.provideContext(Effect.scoped(follow(steps, byQuery)), services))
            ),
            { numRuns: 30 }
          )
        )
      }),
    60_000
  )

  it.effect("ignores an invalid event id, and resumes after an old one with the notifications that are kept", () =>
    Effect.gen(function*() {
      const { account, key, task } = yield* belled
      yield* ring(account, task, 4)
      const odd = ["", "x", "-1", "1.5", "0x2", "5", "7-2", "9".repeat(400), "9007199254740993"]
      for (const id of odd) {
        const stream = yield* open(key, id === "" ? {} : { "last-event-id": id }, id === "" ? "?after=" : "")
        assert.deepStrictEqual(idsOf(yield* stream.readUntil(reached(4))), [1, 2, 3, 4], id)
      }
      // If a request contains both positions, the later position applies, as for streams of answers.
      assert.deepStrictEqual(
        idsOf(yield* (yield* open(key, { "last-event-id": "1" }, "?after=3")).readUntil(reached(4))),
        [
          4
        ]
      )
      const last = maxNotifications + 3
      yield* ring(account, task, last - 4)
      const old = yield* open(key, { "last-event-id": "2" })
      assert.deepStrictEqual(idsOf(yield* old.readUntil(reached(last))), from(4, last))
    }))

  it.effect("returns 401, 403, 400 or 405 for a wrong key, scope, query or method", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ scopes: allScopes.filter((scope) => scope !== "read:personal") })
      const refusals = [
        [yield* sendRequest("GET", path), 401, "invalid_key"],
        [yield* sendRequest("GET", path, { key }), 403, "scope_required"],
        [yield* sendRequest("GET", `${path}?since=1`, { key }), 400, "invalid_arguments"],
        [yield* sendRequest("POST", path, { key }), 405, "method_not_allowed"]
      ] as const
      for (const [{ body, status }, expected, code] of refusals) {
        assert.deepStrictEqual([status, body.code], [expected, code])
      }
      assert.strictEqual(refusals[1][0].body.required_scope, "read:personal")
      const head = yield* sendRequest("HEAD", path, { key: (yield* createKeyedAccount()).key })
      assert.deepStrictEqual([head.status, head.text], [200, ""])
    }))

  it.effect("limits the open streams of an account, and accepts one more after one has closed", () =>
    Effect.gen(function*() {
      const { key } = yield* belled
      const streams = yield* Effect.forEach(
        from(1, maxNotificationStreams),
        (n) => open(key, { "x-lang": n % 2 === 0 ? "ru" : "en" }),
        { concurrency: 10 }
      )
      yield* Effect.forEach(streams, (stream) => stream.readUntil(reached(0)))
      const refused = yield* sendRequest("GET", path, { key, headers: { "x-lang": "ru" } })
      assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
      assert.include(refused.body.detail, String(maxNotificationStreams))
      assert.strictEqual(refused.headers.get("retry-after"), "30")
      assert.strictEqual(refused.headers.get("ratelimit-limit"), "100000")
      assert.strictEqual((yield* open((yield* belled).key)).status, 200)
      yield* streams[0]!.disconnect
      const again = yield* Effect.repeat(open(key), { until: ({ status }) => status === 200 })
      yield* again.readUntil(reached(0))
    }))

  it.effect("ends within 2 s after its key loses a needed scope or is revoked; so does the stream of an answer", () =>
    Effect.gen(function*() {
      const administration = yield* Administration
      const [one, two, three] = [yield* belled, yield* belled, yield* belled]
      const bells = [yield* open(one.key), yield* open(two.key), yield* open(three.key)]
      const answers = yield* Effect.forEach(
        [one, two, three],
        ({ key }) => openStream("/v1/agent/stream", { key, body: { message: "why?" } })
      )
      yield* Effect.forEach(bells, (bell) => bell.readUntil(reached(0)))
      yield* Effect.forEach(answers, (answer) => answer.readUntil(({ events }) => events.length > 0))
      const personal = ["agent:chat", "read:personal", "write:personal"] as const
      const { account } = three
      const reader = yield* administration.issueKey({ account, name: "reader", scopes: personal })
      const answered = answers[2]!.events[0]!.data.conversation_id
      const followed = yield* openStream(`/v1/agent/resume/${answered}`, { key: Redacted.value(reader.key) })
      yield* followed.readUntil(({ events }) => events.length > 0)
      yield* administration.revokeKey(one.record.id)
      yield* administration.updateKey(two.record.id, { scopes: ["agent:chat"] })
      yield* administration.updateKey(reader.record.id, { scopes: ["agent:chat", "write:personal"] })
      // An answer is not limited to the scopes of its caller when it reads market data.
      yield* administration.updateKey(three.record.id, { scopes: personal })
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forEach([bells[0]!, bells[1]!, answers[0]!, answers[1]!, followed], ({ readToEnd }) => readToEnd)
      yield* ring(three.account, three.task)
      yield* bells[2]!.readUntil(reached(1))
      yield* TestClock.adjust("15 seconds")
      yield* Effect.forEach(
        [bells[2]!, answers[2]!],
        (stream) => stream.readUntil(({ comments }) => comments > 0)
      )
      for (const [i, { account }] of [one, two, three].entries()) {
        const conversation = answers[i]!.events[0]!.data.conversation_id
        const { key } = yield* administration.issueKey({ account, name: "another", scopes: ["agent:chat"] })
        yield* sendRequest("POST", `/v1/agent/cancel/${conversation}`, { key: Redacted.value(key) })
      }
      assert.strictEqual((yield* open(one.key)).status, 401)
      assert.strictEqual((yield* open(two.key)).status, 403)
    }))

  it.effect("ends within 2 s after its session ended, and survives a renewal; so does the stream of an answer", () =>
    Effect.gen(function*() {
      const ended = yield* signInNewUser()
      const lasting = yield* signInNewUser()
      const openBy = ({ jar }: typeof ended, path: string, body?: object) =>
        openStream(path, {
          headers: { ...samePageHeaders, cookie: jar.cookie },
          ...(body === undefined ? {} : { body })
        })
      const bells = [yield* openBy(ended, path), yield* openBy(lasting, path)]
      const answers = [
        yield* openBy(ended, "/v1/agent/stream", { message: "why?" }),
        yield* openBy(lasting, "/v1/agent/stream", { message: "why?" })
      ]
      yield* Effect.forEach(bells, (bell) => bell.readUntil(reached(0)))
      yield* Effect.forEach(answers, (answer) => answer.readUntil(({ events }) => events.length > 0))
      // The session token of the streams has been replaced and its grace period is over. The open streams do not count
      // as use of a stolen token.
      yield* TestClock.adjust("16 minutes")
      const { cookie } = lasting.jar
      yield* lasting.ask("GET", "/v1/account")
      assert.notStrictEqual(lasting.jar.cookie, cookie)
      yield* lasting.ask("GET", "/v1/account")
      yield* TestClock.adjust("2 minutes")
      yield* ended.ask("POST", "/v1/account/sign-out")
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forEach([bells[0]!, answers[0]!], ({ readToEnd }) => readToEnd)
      assert.strictEqual((yield* lasting.ask("GET", "/v1/account")).status, 200)
      yield* ring(lasting.account.id, (yield* createTask(lasting.account.id)).id)
      yield* bells[1]!.readUntil(reached(1))
      const { comments } = answers[1]!
      yield* TestClock.adjust("15 seconds")
      yield* answers[1]!.readUntil((stream) => stream.comments > comments)
      for (const [i, { key }] of [ended, lasting].entries()) {
        yield* sendRequest("POST", `/v1/agent/cancel/${answers[i]!.events[0]!.data.conversation_id}`, { key })
      }
      assert.strictEqual((yield* openBy(ended, path)).status, 401)
    }))

  it.effect("ends completely when the process begins to stop", () =>
    Effect.gen(function*() {
      const { account, key, task } = yield* belled
      const stream = yield* open(key)
      yield* stream.readUntil(reached(0))
      yield* ring(account, task)
      yield* (yield* Draining).begin
      yield* stream.readToEnd
      assert.isAtMost(idsOf(stream).length, 2)
      assert.strictEqual((yield* open(key)).status, 503)
    }))
})
