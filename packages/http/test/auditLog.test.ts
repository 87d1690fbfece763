import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AttemptLimits } from "../src/callers/callerLimits.ts"
import { makeBrowser, makeFakeProvider, publicUrl } from "./fakeProvider.ts"
import { layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"
import { cookieFrom, samePageHeaders, signInNewUser, signInWithLink } from "./testSession.ts"

const provider = makeFakeProvider()
const highLimits = Layer.succeed(AttemptLimits, { maxPerAddress: 1_000, maxTotal: 1_000, window: "5 minutes" })

const sendAdmin = (method: string, path: string, body?: object) =>
  sendRequest(method, `/admin/v1${path}`, { key: testAdminToken, ...(body === undefined ? {} : { body }) })

interface Event {
  readonly type: string
  readonly actor: string
  readonly target: string | null
  readonly after: unknown
  readonly address: string | null
  readonly request_id: string | null
}

const eventsOf = (account: number) =>
  Effect.map(
    sendAdmin("GET", `/events?account=${account}&limit=1000`),
    ({ body }): ReadonlyArray<Event> => body.events
  )

const signIn = Effect.fnUntraced(function*(subject: string) {
  const at = makeBrowser()
  const { location } = yield* at.visit("/v1/account/openid")
  const path = `/v1/account/openid/callback${provider.makeCallbackQuery(location!, subject, { name: "Ada" })}`
  const { location: end } = yield* at.visit(path)
  const { status, text } = yield* at.visit("/v1/account")
  const account: number | undefined = status === 200 ? JSON.parse(text).id : undefined
  return { end, account }
})

layer(
  layerTestServer([], {}, { corsOrigins: [], publicUrl }, provider.layer).pipe(Layer.provide(highLimits)),
  { excludeTestServices: true }
)("the audit log", (it) => {
  it.effect("contains the account that an OpenID sign-in created, and each sign-in with its session as the actor", () =>
    Effect.gen(function*() {
      const { account } = yield* signIn("audited")
      yield* signIn("audited")
      const events = yield* eventsOf(account!)
      assert.deepStrictEqual(events.map(({ type }) => type), ["account.created", "session.started", "session.started"])
      const [created, started] = events
      assert.deepInclude(created, { actor: "service", target: null })
      assert.deepInclude(created!.after, { name: "Ada" })
      assert.match(started!.target!, /^session \d+$/)
      assert.strictEqual(started!.actor, started!.target)
      assert.deepInclude(started!.after, { method: "openid" })
      for (const { address, request_id } of events) assert.isTrue(address !== null && request_id !== null)
    }))

  it.effect("contains the end of sessions once, and changes of keys by the user", () =>
    Effect.gen(function*() {
      const { account, ask } = yield* signInNewUser()
      const { id } = (yield* ask("GET", "/v1/account")).body.session
      const issued = yield* ask("POST", "/v1/account/keys", { body: { name: "k", scopes: ["read:market"] } })
      yield* ask("DELETE", `/v1/account/keys/${issued.body.id}`)
      assert.strictEqual((yield* ask("DELETE", "/v1/account/sessions")).status, 200)
      assert.strictEqual((yield* ask("POST", "/v1/account/sign-out")).status, 204)
      yield* ask("POST", "/v1/account/sign-out")
      const events = (yield* eventsOf(account.id)).filter(({ actor }) => actor === `session ${id}`)
      assert.deepStrictEqual(events.map(({ target, type }) => [type, target]), [
        ["session.started", `session ${id}`],
        ["key.issued", `key ${issued.body.id}`],
        ["key.revoked", `key ${issued.body.id}`],
        ["session.ended", `session ${id}`]
      ])
      assert.deepStrictEqual(events.at(-1)!.after, { reason: "signed_out" })
    }))

  it.effect("contains the end of all other sessions, with their number", () =>
    Effect.gen(function*() {
      const { account, ask } = yield* signInNewUser()
      const { url } = (yield* sendAdmin("POST", `/accounts/${account.id}/links`)).body
      assert.strictEqual((yield* signInWithLink(url.split("#")[1])).status, 200)
      yield* ask("DELETE", "/v1/account/sessions")
      const event = (yield* eventsOf(account.id)).at(-1)
      assert.deepInclude(event, { type: "sessions.ended", after: { ended: 1 } })
    }))
})

layer(
  layerTestServer([], {}, { corsOrigins: [], publicUrl }, provider.layer).pipe(Layer.provide(highLimits)),
  { excludeTestServices: true }
)("a closed account", (it) => {
  it.effect("admits no sign-in, and gets no key", () =>
    Effect.gen(function*() {
      const { account } = yield* signIn("closed")
      yield* sendAdmin("PATCH", `/accounts/${account}`, { status: "closed" })
      assert.deepStrictEqual(yield* signIn("closed"), { end: "/app/sign-in?refused=no_account", account: undefined })
      const issued = yield* sendAdmin("POST", `/accounts/${account}/keys`, { name: "k", scopes: ["read:market"] })
      assert.deepStrictEqual([issued.status, issued.body.code], [409, "account_closed"])
      const { url } = (yield* sendAdmin("POST", `/accounts/${account}/links`)).body
      const cookie = cookieFrom(yield* signInWithLink(url.split("#")[1]))
      assert.isDefined(cookie)
      const read = yield* sendRequest("GET", "/v1/account", { headers: { ...samePageHeaders, cookie } })
      assert.deepStrictEqual([read.status, read.body.code], [401, "session_required"])
    }))
})

layer(layerTestServer([], {}, { corsOrigins: [], trustedProxies: 1 }))("the addresses of events", (it) => {
  it.effect("are those of the clients, and not their networks", () =>
    Effect.gen(function*() {
      const send = (address: string) =>
        sendRequest("POST", "/admin/v1/accounts", {
          key: testAdminToken,
          body: { name: "Ada", plan: "pro" },
          headers: { "x-forwarded-for": address }
        })
      const { id } = (yield* send("2001:db8::7")).body
      const events = yield* eventsOf(id)
      assert.deepStrictEqual(events.map(({ address }) => address), ["2001:db8::7"])
    }))
})
