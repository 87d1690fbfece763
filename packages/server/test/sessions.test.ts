import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ServerProcess, startServer } from "./support/process.ts"
import {
  callAdminApi,
  callGetPrice,
  createAccount,
  pollUntil,
  type RequestOptions,
  sendRequest,
  type ServerResponse,
  testSettings
} from "./support/service.ts"
import { makeShared } from "./support/sharedFixture.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

const fromPage = { "sec-fetch-site": "same-origin", "x-tapeline-console": "1" }

const newLink = (server: ServerProcess, account: number) =>
  Effect.map(callAdminApi(server, "POST", `/accounts/${account}/links`), ({ url }): string => url.split("#")[1])

const signInBy = (server: ServerProcess, link: string) =>
  sendRequest(server, "POST", "/v1/account/sign-in", { body: { link }, headers: fromPage })

const cookieOf = ({ headers }: ServerResponse): string => headers.get("set-cookie")!.split(";")[0]!

const askBy =
  (cookie: string) => (server: ServerProcess, method: string, path: string, requestOptions: RequestOptions = {}) =>
    sendRequest(server, method, path, { ...requestOptions, headers: { ...fromPage, cookie } })

/**
 * Opens a notification stream with a session. Returns the status of the response, and an effect that returns the whole
 * text after the end of the stream.
 */
const openNotificationStream = (server: ServerProcess, cookie: string) =>
  Effect.map(
    Effect.promise((signal) => fetch(`${server.address}/v1/notifications/stream`, { headers: { cookie }, signal })),
    (response) => ({ status: response.status, ended: Effect.promise(() => response.text()) })
  )

describe("two nodes", () => {
  const servers = makeShared(Effect.flatMap(migratedPostgres, ({ environment }) => {
    const start = startServer({ ...testSettings, ...environment })
    return Effect.all([start, start], { concurrency: 2 })
  }))

  it.live("accept a sign-in link once among concurrent requests to both nodes", () =>
    Effect.gen(function*() {
      const [one, other] = yield* servers
      const { account } = yield* createAccount(one, "pro")
      const link = yield* newLink(one, account)
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i % 2 === 0 ? one : other),
        (server) => signInBy(server, link),
        { concurrency: "unbounded" }
      )
      const [signedInResponse, ...otherResponses] = answers.filter(({ status }) => status === 200)
      assert.isEmpty(otherResponses)
      const rejections = answers.filter(({ status }) => status !== 200)
      assert.deepStrictEqual(new Set(rejections.map(({ body }) => body.reason)), new Set(["used"]))
      const page = askBy(cookieOf(signedInResponse!))
      for (const server of [one, other]) {
        assert.strictEqual((yield* page(server, "GET", "/v1/account")).body.id, account)
      }
    }))

  it.live("reject sessions, their streams and keys soon after the other node ended them", () =>
    Effect.gen(function*() {
      const [one, other] = yield* servers
      const { account } = yield* createAccount(one, "pro")
      const cookies = yield* Effect.forEach([1, 2], () =>
        Effect.map(Effect.flatMap(newLink(one, account), (link) => signInBy(one, link)), cookieOf))
      const [keptSession, endedSession] = cookies.map(askBy)
      const body = { name: "laptop", scopes: ["read:market"] }
      const issued = (yield* keptSession!(one, "POST", "/v1/account/keys", { body })).body
      assert.strictEqual((yield* callGetPrice(other, issued.key)).status, 200)
      const stream = yield* openNotificationStream(other, cookies[1]!)
      assert.strictEqual(stream.status, 200)
      for (const server of [one, other]) {
        assert.strictEqual((yield* endedSession!(server, "GET", "/v1/account")).status, 200)
      }
      assert.deepStrictEqual((yield* keptSession!(one, "DELETE", "/v1/account/sessions")).body, {
        ended: 1,
        paused_tasks: 0
      })
      assert.strictEqual((yield* keptSession!(one, "DELETE", `/v1/account/keys/${issued.id}`)).status, 204)
      yield* pollUntil("the session", endedSession!(other, "GET", "/v1/account"), ({ status }) =>
        status === 401)
      yield* pollUntil("the key", callGetPrice(other, issued.key), ({ status }) => status === 401)
      assert.include(yield* stream.ended, "event: unread")
      assert.strictEqual((yield* keptSession!(other, "GET", "/v1/account")).status, 200)
      const { sessions } = (yield* keptSession!(other, "GET", "/v1/account/sessions")).body
      assert.deepStrictEqual(
        sessions.map((session: { readonly ended_because: string | null }) => session.ended_because),
        [null, "revoked"]
      )
    }))
})
