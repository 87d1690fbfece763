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
const notificationIdsOf = (stream: EventStream) =>
  stream.eventsOfKind("notification").map(({ data }): number => data.id)
const hasReceived = (n: number) => (stream: EventStream) => idsOf(stream).at(-1) === n
const from = (first: number, last: number) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)

const createNotifications = Effect.fnUntraced(function*(account: number, task: number, times = 1) {
  for (let i = 0; i < times; i++) {
    yield* endFiring(getFence(yield* fireTask(yield* findWatch(account, task))), {
      report: null,
      notification: { kind: "task_fired", title: "a\u0000 \udfff\u2028", body: "it\r\n\nis: so" }
    })
  }
})

const createAccountWithTask = Effect.gen(function*() {
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
      const { account, key, task } = yield* createAccountWithTask
      const empty = yield* open(key)
      yield* empty.readUntil(hasReceived(0))
      assert.deepStrictEqual([empty.status, empty.headers.get("content-type")], [
        200,
        "text/event-stream; charset=utf-8"
      ])
      assert.strictEqual(empty.headers.get("cache-control"), "no-cache, no-store, no-transform")
      yield* createNotifications(account, task, 3)
      yield* mark(account, [2])
      const stream = yield* open(key)
      yield* stream.readUntil(hasReceived(3))
      assert.deepStrictEqual(stream.events.map(({ data, id, kind }) => ({ data, id, kind })), [
        { id: "3", kind: "unread", data: { unread: 2 } }
      ])
      yield* createNotifications(account, task, 2)
      for (const { events } of [yield* stream.readUntil(hasReceived(5)), yield* empty.readUntil(hasReceived(5))]) {
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
      const { account, key, task } = yield* createAccountWithTask
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
        Effect.map(stream.readUntil(hasReceived(1)), ({ events }) => events.at(-1)?.data.body))
      assert.deepStrictEqual(bodies, ["Detected 5 min late.", "Обнаружено с опозданием на 5 мин."])
    }))

  const moves = fc.array(
    fc.oneof(
      fc.record({ own: fc.integer({ min: 1, max: 5 }), other: fc.integer({ min: 0, max: 2 }) }),
      fc.constantFrom("mark", "cut", "cut while it comes")
    ),
    { maxLength: 12 }
  )

  type StreamAction = "mark" | "cut" | "cut while it comes" | { readonly own: number; readonly other: number }

  const follow = Effect.fnUntraced(function*(steps: ReadonlyArray<StreamAction>, byQuery: boolean) {
    const [ownAccount, other] = [yield* createAccountWithTask, yield* createAccountWithTask]
    let stream = yield* open(ownAccount.key)
    const otherStream = yield* open(other.key)
    yield* Effect.forEach([stream, otherStream], (one) => one.readUntil(hasReceived(0)))
    let [ownCount, otherCount] = [0, 0]
    const receivedIds: Array<number> = []
    for (const step of steps) {
      if (typeof step === "object") {
        yield* Effect.all([
          createNotifications(ownAccount.account, ownAccount.task, step.own),
          createNotifications(other.account, other.task, step.other)
        ], { concurrency: "unbounded" })
        ownCount += step.own
        otherCount += step.other
      } else if (step === "mark") yield* mark(ownAccount.account, null)
      else {
        const last = stream.events.at(-1)?.id ?? String(receivedIds.at(-1) ?? 0)
        if (step === "cut") yield* stream.readUntil(({ events }) => Number(events.at(-1)?.id ?? last) === ownCount)
        const read = stream.events.at(-1)?.id ?? last
        receivedIds.push(...notificationIdsOf(stream))
        yield* stream.disconnect
        stream = yield* byQuery
          ? open(ownAccount.key, {}, `?after=${read}`)
          : open(ownAccount.key, { "last-event-id": read })
        assert.strictEqual(stream.status, 200)
      }
    }
    yield* createNotifications(ownAccount.account, ownAccount.task)
    yield* stream.readUntil(hasReceived(ownCount + 1))
    if (otherCount > 0) yield* otherStream.readUntil(hasReceived(otherCount))
    assert.deepStrictEqual([...receivedIds, ...notificationIdsOf(stream)], from(1, ownCount + 1))
    assert.deepStrictEqual(notificationIdsOf(otherStream), from(1, otherCount))
    for (const { data } of otherStream.eventsOfKind("notification")) assert.strictEqual(data.task_id, other.task)
    for (const { data } of stream.eventsOfKind("notification")) assert.strictEqual(data.task_id, ownAccount.task)
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
      const { account, key, task } = yield* createAccountWithTask
      yield* createNotifications(account, task, 4)
      const invalidIds = ["", "x", "-1", "1.5", "0x2", "5", "7-2", "9".repeat(400), "9007199254740993"]
      for (const id of invalidIds) {
        const stream = yield* open(key, id === "" ? {} : { "last-event-id": id }, id === "" ? "?after=" : "")
        assert.deepStrictEqual(idsOf(yield* stream.readUntil(hasReceived(4))), [1, 2, 3, 4], id)
      }
      // If a request contains both `last-event-id` and `after`, the later position applies, as for streams of answers.
      assert.deepStrictEqual(
        idsOf(yield* (yield* open(key, { "last-event-id": "1" }, "?after=3")).readUntil(hasReceived(4))),
        [
          4
        ]
      )
      const last = maxNotifications + 3
      yield* createNotifications(account, task, last - 4)
      const old = yield* open(key, { "last-event-id": "2" })
      assert.deepStrictEqual(idsOf(yield* old.readUntil(hasReceived(last))), from(4, last))
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
      const headResponse = yield* sendRequest("HEAD", path, { key: (yield* createKeyedAccount()).key })
      assert.deepStrictEqual([headResponse.status, headResponse.text], [200, ""])
    }))

  it.effect("limits the open streams of an account, and accepts one more after one has closed", () =>
    Effect.gen(function*() {
      const { key } = yield* createAccountWithTask
      const streams = yield* Effect.forEach(
        from(1, maxNotificationStreams),
        (n) => open(key, { "x-lang": n % 2 === 0 ? "ru" : "en" }),
        { concurrency: 10 }
      )
      yield* Effect.forEach(streams, (stream) => stream.readUntil(hasReceived(0)))
      const rejection = yield* sendRequest("GET", path, { key, headers: { "x-lang": "ru" } })
      assert.deepStrictEqual([rejection.status, rejection.body.code], [429, "rate_limited"])
      assert.include(rejection.body.detail, String(maxNotificationStreams))
      assert.strictEqual(rejection.headers.get("retry-after"), "30")
      assert.strictEqual(rejection.headers.get("ratelimit-limit"), "100000")
      assert.strictEqual((yield* open((yield* createAccountWithTask).key)).status, 200)
      yield* streams[0]!.disconnect
      const reopened = yield* Effect.repeat(open(key), { until: ({ status }) => status === 200 })
      yield* reopened.readUntil(hasReceived(0))
    }))

  it.effect("ends within 2 s after its key loses a needed scope or is revoked; so does the stream of an answer", () =>
    Effect.gen(function*() {
      const administration = yield* Administration
      const [one, two, three] = [
        yield* createAccountWithTask,
        yield* createAccountWithTask,
        yield* createAccountWithTask
      ]
      const streams = [yield* open(one.key), yield* open(two.key), yield* open(three.key)]
      const answers = yield* Effect.forEach(
        [one, two, three],
        ({ key }) => openStream("/v1/agent/stream", { key, body: { message: "why?" } })
      )
      yield* Effect.forEach(streams, (stream) => stream.readUntil(hasReceived(0)))
      yield* Effect.forEach(answers, (answer) => answer.readUntil(({ events }) => events.length > 0))
      const personal = ["agent:chat", "read:personal", "write:personal"] as const
      const { account } = three
      const reader = yield* administration.issueKey({ account, name: "reader", scopes: personal })
      const conversationId = answers[2]!.events[0]!.data.conversation_id
      const answerStream = yield* openStream(`/v1/agent/resume/${conversationId}`, { key: Redacted.value(reader.key) })
      yield* answerStream.readUntil(({ events }) => events.length > 0)
      yield* administration.revokeKey(one.record.id)
      yield* administration.updateKey(two.record.id, { scopes: ["agent:chat"] })
      yield* administration.updateKey(reader.record.id, { scopes: ["agent:chat", "write:personal"] })
      // An answer is not limited to the scopes of its caller when it reads market data.
      yield* administration.updateKey(three.record.id, { scopes: personal })
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forEach(
        [streams[0]!, streams[1]!, answers[0]!, answers[1]!, answerStream],
        ({ readToEnd }) => readToEnd
      )
      yield* createNotifications(three.account, three.task)
      yield* streams[2]!.readUntil(hasReceived(1))
      yield* TestClock.adjust("15 seconds")
      yield* Effect.forEach(
        [streams[2]!, answers[2]!],
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
      const endedUser = yield* signInNewUser()
      const continuingUser = yield* signInNewUser()
      const openBy = ({ jar }: typeof endedUser, path: string, body?: object) =>
        openStream(path, {
          headers: { ...samePageHeaders, cookie: jar.cookie },
          ...(body === undefined ? {} : { body })
        })
      const streams = [yield* openBy(endedUser, path), yield* openBy(continuingUser, path)]
      const answers = [
        yield* openBy(endedUser, "/v1/agent/stream", { message: "why?" }),
        yield* openBy(continuingUser, "/v1/agent/stream", { message: "why?" })
      ]
      yield* Effect.forEach(streams, (stream) => stream.readUntil(hasReceived(0)))
      yield* Effect.forEach(answers, (answer) => answer.readUntil(({ events }) => events.length > 0))
      // The session token of the streams has been replaced and its grace period is over. The open streams do not count
      // as use of a stolen token.
      yield* TestClock.adjust("16 minutes")
      const { cookie } = continuingUser.jar
      yield* continuingUser.ask("GET", "/v1/account")
      assert.notStrictEqual(continuingUser.jar.cookie, cookie)
      yield* continuingUser.ask("GET", "/v1/account")
      yield* TestClock.adjust("2 minutes")
      yield* endedUser.ask("POST", "/v1/account/sign-out")
      yield* TestClock.adjust("2 seconds")
      yield* Effect.forEach([streams[0]!, answers[0]!], ({ readToEnd }) => readToEnd)
      assert.strictEqual((yield* continuingUser.ask("GET", "/v1/account")).status, 200)
      yield* createNotifications(continuingUser.account.id, (yield* createTask(continuingUser.account.id)).id)
      yield* streams[1]!.readUntil(hasReceived(1))
      const { comments } = answers[1]!
      yield* TestClock.adjust("15 seconds")
      yield* answers[1]!.readUntil((stream) => stream.comments > comments)
      for (const [i, { key }] of [endedUser, continuingUser].entries()) {
        yield* sendRequest("POST", `/v1/agent/cancel/${answers[i]!.events[0]!.data.conversation_id}`, { key })
      }
      assert.strictEqual((yield* openBy(endedUser, path)).status, 401)
    }))

  it.effect("ends completely when the process begins to stop", () =>
    Effect.gen(function*() {
      const { account, key, task } = yield* createAccountWithTask
      const stream = yield* open(key)
      yield* stream.readUntil(hasReceived(0))
      yield* createNotifications(account, task)
      yield* (yield* Draining).begin
      yield* stream.readToEnd
      assert.isAtMost(idsOf(stream).length, 2)
      assert.strictEqual((yield* open(key)).status, 503)
    }))
})
