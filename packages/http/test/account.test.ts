import { assert, layer } from "@effect/vitest"
import { SessionSettings } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { createTask, findTask } from "@tapeline/testing/tasks/fixtures"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AccountLimits } from "../src/callers/callerLimits.ts"
import { issuePathsOf, layerTestServer, sendRequest } from "./testServer.ts"
import { cookieFrom, createSignInLink, signInNewUser, signInWithLink } from "./testSession.ts"

type WithId = { readonly id: number }

layer(layerTestServer())("the account of a signed-in user", (it) => {
  it.effect("issues working keys that are shown once, and changes and revokes them", () =>
    Effect.gen(function*() {
      const { ask, record } = yield* signInNewUser()
      const issued = yield* ask("POST", "/v1/account/keys", { body: { name: "laptop", scopes: ["read:market"] } })
      assert.strictEqual(issued.status, 200, issued.text)
      assert.strictEqual(issued.headers.get("cache-control"), "no-store")
      const { id, key } = issued.body
      assert.match(key, /^tl_live_[0-9A-Za-z]{38}$/)
      const price = () => sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      assert.strictEqual((yield* price()).status, 200)

      const list = yield* ask("GET", "/v1/account/keys")
      assert.deepStrictEqual(list.body.keys.map(({ id }: WithId) => id), [record.id, id])
      assert.notInclude(list.text, key)
      assert.isTrue(key.startsWith(list.body.keys[1].prefix))
      const page = (yield* ask("GET", `/v1/account/keys?limit=1`)).body
      assert.deepStrictEqual([page.keys.length, page.next_cursor], [1, record.id])
      assert.strictEqual((yield* ask("GET", `/v1/account/keys?cursor=${record.id}`)).body.keys[0].id, id)

      const expires_at = "2027-01-31T00:00:00.000Z"
      const changedKey = yield* ask("PATCH", `/v1/account/keys/${id}`, { body: { scopes: ["read:us"], expires_at } })
      assert.deepStrictEqual([changedKey.body.scopes, changedKey.body.expires_at], [["read:us"], expires_at])
      assert.strictEqual((yield* price()).body.code, "scope_required")
      const pastExpiry = yield* ask("PATCH", `/v1/account/keys/${id}`, { body: { expires_at: "1969-01-01T00:00:00Z" } })
      assert.deepStrictEqual([pastExpiry.status, issuePathsOf(pastExpiry)], [400, [["expires_at"]]])

      assert.strictEqual((yield* ask("DELETE", `/v1/account/keys/${id}`)).status, 204)
      assert.strictEqual((yield* price()).status, 401)
      assert.isString((yield* ask("GET", "/v1/account/keys")).body.keys[1].revoked_at)
    }))

  it.effect("issues a key with a write scope, and changes keys, only within ten minutes of the sign-in", () =>
    Effect.gen(function*() {
      const { account, ask, jar, record } = yield* signInNewUser()
      const writing = { body: { name: "bot", scopes: ["read:market", "write:personal"] } }
      const changes = [{ scopes: ["read:us"] }, { expires_at: "2027-01-31T00:00:00Z" }]
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* ask("POST", "/v1/account/keys", writing)).status, 200)
      for (const body of changes) {
        assert.strictEqual((yield* ask("PATCH", `/v1/account/keys/${record.id}`, { body })).status, 200)
      }
      yield* TestClock.adjust("1 millis")
      const before = (yield* ask("GET", "/v1/account/keys")).body
      const rejections = [yield* ask("POST", "/v1/account/keys", writing)]
      for (const body of changes) rejections.push(yield* ask("PATCH", `/v1/account/keys/${record.id}`, { body }))
      for (const rejected of rejections) {
        assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "sign_in_again"])
        assert.include(rejected.body.detail, "10 minutes")
      }
      for (const [language, words] of Object.entries({ ko: /10분 이내/, ru: /10 мин после входа/ })) {
        const rejected = yield* ask("POST", "/v1/account/keys", { ...writing, headers: { "x-lang": language } })
        assert.match(rejected.body.detail, words)
      }
      assert.deepStrictEqual((yield* ask("GET", "/v1/account/keys")).body, before)
      const reading = yield* ask("POST", "/v1/account/keys", { body: { name: "reader", scopes: ["read:market"] } })
      assert.strictEqual(reading.status, 200)
      assert.strictEqual((yield* ask("DELETE", `/v1/account/keys/${reading.body.id}`)).status, 204)
      // A new token of the same session is no new sign-in.
      yield* TestClock.adjust("15 minutes")
      const cookie = jar.cookie
      yield* ask("GET", "/v1/account")
      assert.notStrictEqual(jar.cookie, cookie)
      assert.strictEqual((yield* ask("POST", "/v1/account/keys", writing)).body.code, "sign_in_again")
      const again = yield* signInWithLink(yield* createSignInLink(account.id), { cookie: jar.cookie })
      jar.cookie = cookieFrom(again)!
      assert.strictEqual((yield* ask("POST", "/v1/account/keys", writing)).status, 200)
    }))

  it.effect("returns 409 with the ways forward when the plan's key limit is reached", () =>
    Effect.gen(function*() {
      const { ask } = yield* signInNewUser("free")
      const rejection = yield* ask("POST", "/v1/account/keys", { body: { name: "b", scopes: ["read:market"] } })
      assert.deepStrictEqual([rejection.status, rejection.body.code, rejection.body.limit], [409, "key_limit", 1])
      const [revoke, upgrade] = rejection.body.ways_forward
      assert.deepStrictEqual(revoke, { action: "revoke" })
      assert.strictEqual(upgrade.action, "upgrade")
      assert.deepStrictEqual(upgrade.plans.at(-1), { plan: "premium", keys: 10 })
      assert.deepStrictEqual(upgrade.plans.map(({ keys }: { readonly keys: number }) => keys), [2, 2, 2, 5, 10])
      const highest = yield* signInNewUser("premium")
      const issue = (i: number) =>
        highest.ask("POST", "/v1/account/keys", { body: { name: `${i}`, scopes: ["read:market"] } })
      for (let i = 0; i < 9; i++) assert.strictEqual((yield* issue(i)).status, 200)
      assert.deepStrictEqual((yield* issue(9)).body.ways_forward, [{ action: "revoke" }])
    }))

  it.effect("returns the same 404 for another account's keys and sessions as for unknown ones", () =>
    Effect.gen(function*() {
      const [userA, userB] = [yield* signInNewUser(), yield* signInNewUser()]
      const session = userB.answer.body.session.id
      const refusals = [
        yield* userA.ask("PATCH", `/v1/account/keys/${userB.record.id}`, { body: { scopes: ["read:us"] } }),
        yield* userA.ask("DELETE", `/v1/account/keys/${userB.record.id}`),
        yield* userA.ask("PATCH", "/v1/account/keys/99999", { body: { scopes: ["read:us"] } }),
        yield* userA.ask("DELETE", "/v1/account/keys/99999"),
        yield* userA.ask("DELETE", `/v1/account/sessions/${session}`),
        yield* userA.ask("DELETE", "/v1/account/sessions/99999"),
        yield* userA.ask("DELETE", "/v1/account/sessions/0"),
        yield* userA.ask("DELETE", "/v1/account/sessions/2147483648"),
        yield* userA.ask("DELETE", "/v1/account/keys/x")
      ]
      for (const { body, status } of refusals) assert.deepStrictEqual([status, body.code], [404, "not_found"])
      const detailWithoutId = (accountIndex: number, id: number) =>
        refusals[accountIndex]!.body.detail.replaceAll(String(id), "N")
      assert.strictEqual(detailWithoutId(1, userB.record.id), detailWithoutId(3, 99999))
      assert.strictEqual(detailWithoutId(4, session), detailWithoutId(5, 99999))
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key: userB.key })).status, 200)
      const otherKey = (yield* userB.ask("GET", "/v1/account/keys")).body.keys[0]
      assert.deepStrictEqual([otherKey.scopes, otherKey.revoked_at], [[...userB.record.scopes], null])
      const listed = (yield* userA.ask("GET", "/v1/account/keys")).body.keys.map(({ id }: WithId) => id)
      assert.deepStrictEqual(listed, [userA.record.id])
    }))

  it.effect("lists sessions with why they ended, ends the others, and pauses their tasks on request", () =>
    Effect.gen(function*() {
      const { account, ask, answer, record } = yield* signInNewUser()
      const others = yield* Effect.forEach(
        [1, 2, 3],
        (i) =>
          Effect.flatMap(createSignInLink(account.id), (link) => signInWithLink(link, { "user-agent": `Browser ${i}` }))
      )
      const ids = others.map(({ body }): number => body.session.id)
      assert.strictEqual((yield* ask("DELETE", `/v1/account/sessions/${ids[0]}`)).status, 204)
      const waiting = yield* createSignInLink(account.id)
      const task = yield* createTask(account.id, { key: null })
      const ofKey = yield* createTask(account.id, { key: record.id })
      const end = (query: string) => Effect.map(ask("DELETE", `/v1/account/sessions${query}`), ({ body }) => body)
      const statuses = Effect.map(
        Effect.forEach([task, ofKey], ({ id }) => findTask(account.id, id)),
        (tasks) => tasks.map((one) => one?.status)
      )
      assert.deepStrictEqual(yield* end(""), { ended: 2, paused_tasks: 0 })
      assert.deepStrictEqual(yield* end("?tasks=keep"), { ended: 0, paused_tasks: 0 })
      assert.deepStrictEqual(yield* statuses, ["active", "active"])
      assert.deepStrictEqual(yield* end("?tasks=pause"), { ended: 0, paused_tasks: 1 })
      assert.deepStrictEqual(yield* statuses, ["paused", "active"])
      assert.strictEqual((yield* ask("DELETE", "/v1/account/sessions?tasks=all")).status, 400)
      assert.strictEqual((yield* signInWithLink(waiting)).body.reason, "used")

      const { sessions } = (yield* ask("GET", "/v1/account/sessions")).body
      assert.deepStrictEqual(sessions.map(({ id }: WithId) => id), [answer.body.session.id, ...ids])
      assert.deepStrictEqual(
        sessions.map((session: { readonly current: boolean; readonly ended_because: string | null }) => [
          session.current,
          session.ended_because
        ]),
        [[true, null], ...ids.map(() => [false, "revoked"])]
      )
      assert.deepStrictEqual([sessions[1].device, sessions[1].signed_in_by], ["Browser 1", "link"])
      assert.strictEqual((yield* ask("GET", "/v1/account/sessions?limit=2")).body.next_cursor, ids[0])
      const endedOwnSession = yield* ask("DELETE", `/v1/account/sessions/${answer.body.session.id}`)
      assert.match(endedOwnSession.headers.get("set-cookie")!, /Max-Age=0/)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 401)
    }))

  it.effect("does not count account requests against the plan's rate limit, but counts other requests", () =>
    Effect.gen(function*() {
      const { ask, key } = yield* signInNewUser("narrow")
      for (let i = 0; i < 10; i++) {
        const answer = yield* ask("GET", "/v1/account")
        assert.deepStrictEqual([answer.status, answer.headers.get("ratelimit-remaining")], [200, null])
      }
      const price = ask("POST", "/v1/tools/test_price", { body: { coin: "BTC" } })
      yield* sendRequest("GET", "/v1/usage", { key })
      yield* price
      assert.strictEqual((yield* price).headers.get("ratelimit-remaining"), "0")
      assert.strictEqual((yield* price).status, 429)
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key })).status, 429)
      assert.strictEqual((yield* ask("GET", "/v1/usage")).status, 200)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    }))

  it.effect("sends `Vary: authorization, cookie` with a cacheable response", () =>
    Effect.gen(function*() {
      const { ask } = yield* signInNewUser()
      assert.match((yield* ask("GET", "/v1/tools")).headers.get("vary")!, /authorization, cookie/)
    }))

  it.effect("does not authorize the admin API with a session cookie", () =>
    Effect.gen(function*() {
      const { account } = yield* createKeyedAccount()
      const { jar } = yield* signInNewUser()
      const link = yield* sendRequest("POST", `/admin/v1/accounts/${account.id}/links`, {
        headers: { cookie: jar.cookie }
      })
      assert.deepStrictEqual([link.status, link.body.code], [401, "invalid_key"])
    }))
})

const brief = Layer.succeed(SessionSettings, { ...SessionSettings.defaultValue(), idleTimeout: "4 minutes" })

layer(layerTestServer().pipe(Layer.provide(brief)))("an idle session", (it) => {
  it.effect("reports its expiry, which each use extends, and gets 401 after it", () =>
    Effect.gen(function*() {
      const { answer, ask } = yield* signInNewUser()
      const minutesLeft = ({ created_at, ends_at }: { readonly created_at: string; readonly ends_at: string }) =>
        (Date.parse(ends_at) - Date.parse(created_at)) / 60_000
      assert.strictEqual(minutesLeft(answer.body.session), 4)
      yield* TestClock.adjust("2 minutes")
      yield* ask("GET", "/v1/account")
      yield* TestClock.adjust("20 seconds")
      assert.isAtLeast(minutesLeft((yield* ask("GET", "/v1/account")).body.session), 6)
      yield* TestClock.adjust("5 minutes")
      for (const [language, words] of Object.entries({ en: /Sign in/, ko: /다시 로그인/, ru: /Войдите/ })) {
        const rejection = yield* ask("GET", "/v1/account", { headers: { "x-lang": language } })
        assert.deepStrictEqual([rejection.status, rejection.body.code], [401, "session_required"])
        assert.match(rejection.body.detail, words)
      }
    }))
})

const bounds = Layer.succeed(AccountLimits, { requestsPerMinute: 12, keysPerDay: 2 })

layer(layerTestServer().pipe(Layer.provide(bounds)))("an account with too many requests", (it) => {
  const body = { name: "b", scopes: ["read:market"] }

  it.effect("has a separate limit for a session's reads, and counts tool calls against the plan", () =>
    Effect.gen(function*() {
      const { ask, key } = yield* signInNewUser("free")
      const usage = yield* ask("GET", "/v1/usage")
      assert.deepStrictEqual(
        ["ratelimit-limit", "ratelimit-remaining"].map((name) => usage.headers.get(name)),
        ["12", "11"]
      )
      for (let i = 0; i < 11; i++) assert.strictEqual((yield* ask("GET", "/v1/usage")).status, 200)
      const rejection = yield* ask("GET", "/v1/usage")
      assert.deepStrictEqual([rejection.status, rejection.body.code], [429, "rate_limited"])
      // The plan allows ten requests per minute, and none of them is used yet.
      const price = yield* ask("POST", "/v1/tools/test_price", { body: { coin: "BTC" } })
      assert.deepStrictEqual([price.status, price.headers.get("ratelimit-remaining")], [200, "9"])
      const byKey = yield* sendRequest("GET", "/v1/usage", { key })
      assert.deepStrictEqual([byKey.status, byKey.headers.get("ratelimit-remaining")], [200, "8"])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* ask("GET", "/v1/usage")).status, 200)
    }))

  it.effect("gets 429 beyond the keys per day, also after revocations; rejected attempts do not count", () =>
    Effect.gen(function*() {
      const { account, ask, jar } = yield* signInNewUser()
      const issue = () => ask("POST", "/v1/account/keys", { body })
      const full = yield* signInNewUser("free")
      for (let i = 0; i < 3; i++) {
        assert.strictEqual((yield* full.ask("POST", "/v1/account/keys", { body })).body.code, "key_limit")
      }
      for (let i = 0; i < 2; i++) {
        const { body, status } = yield* issue()
        assert.strictEqual(status, 200)
        yield* ask("DELETE", `/v1/account/keys/${body.id}`)
      }
      const rejection = yield* issue()
      assert.deepStrictEqual([rejection.status, rejection.body.code], [429, "rate_limited"])
      assert.isAbove(Number(rejection.headers.get("retry-after")), 80_000)
      // Advancing the test clock by a day is slow, because the background jobs of the whole day run.
      if (!isFullRun) return
      yield* TestClock.adjust("1 day")
      jar.cookie = cookieFrom(yield* signInWithLink(yield* createSignInLink(account.id)))!
      assert.strictEqual((yield* issue()).status, 200)
    }))

  it.effect("has a separate limit per minute for each session", () =>
    Effect.gen(function*() {
      const { account, ask } = yield* signInNewUser()
      const another = cookieFrom(yield* signInWithLink(yield* createSignInLink(account.id)))!
      for (let i = 0; i < 12; i++) assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
      const rejection = yield* ask("GET", "/v1/account")
      assert.deepStrictEqual([rejection.status, rejection.body.code], [429, "rate_limited"])
      assert.strictEqual(rejection.headers.get("ratelimit-limit"), "12")
      assert.strictEqual((yield* sendRequest("GET", "/v1/account", { headers: { cookie: another } })).status, 200)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    }))
})
