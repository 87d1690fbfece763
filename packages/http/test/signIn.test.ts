import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { AttemptLimits } from "../src/callers/callerLimits.ts"
import { layerTestServer, sendRaw, sendRequest } from "./testServer.ts"
import { cookieFrom, createSignInLink, samePageHeaders, signInNewUser, signInWithLink } from "./testSession.ts"

const log: Array<string> = []
const textIn = (cookie: string | undefined) => cookie?.split("=")[1] ?? ""
const unknownLink = `tl_link_${"0".repeat(38)}`

layer(layerTestServer(log))("sign-in by link", (it) => {
  it.effect("consumes the link, and sets a cookie for the account's and the callers' operations", () =>
    Effect.gen(function*() {
      const { account, answer, ask } = yield* signInNewUser()
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      assert.match(
        answer.headers.get("set-cookie")!,
        /^tapeline_session=tl_sess_[0-9A-Za-z]{38}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/
      )
      assert.notInclude(answer.text, "tl_sess_")
      assert.deepStrictEqual([answer.body.id, answer.body.name], [account.id, "test"])
      assert.deepInclude(answer.body.plan, { name: "pro", monthly_credits: 60_000, keys: 5 })
      assert.isTrue(answer.body.session.current)
      assert.deepStrictEqual((yield* ask("GET", "/v1/account")).body, answer.body)
      const price = yield* ask("POST", "/v1/tools/test_price", { body: { coin: "BTC" } })
      assert.strictEqual(price.status, 200, price.text)
      assert.strictEqual(price.headers.get("ratelimit-remaining"), "99999")
      assert.strictEqual((yield* ask("GET", "/v1/usage")).body.credits.used, 1)
      for (const path of ["/v1/tools", "/v1/usage"]) assert.strictEqual((yield* ask("HEAD", path)).status, 200)
      assert.strictEqual(
        (yield* ask("POST", "/v1/quote", { body: { calls: [{ name: "test_price", count: 1 }] } })).status,
        200
      )
    }))

  it.effect("ends at the sign-out, which deletes the cookie", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      const { cookie } = jar
      const out = yield* ask("POST", "/v1/account/sign-out")
      assert.strictEqual(out.status, 204)
      assert.match(out.headers.get("set-cookie")!, /^tapeline_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/)
      for (const path of ["/v1/account", "/v1/usage"]) {
        const rejection = yield* sendRequest("GET", path, { headers: { cookie } })
        assert.deepStrictEqual([rejection.status, rejection.body.code], [401, "session_required"], path)
        assert.strictEqual(rejection.headers.get("www-authenticate"), "Cookie")
      }
    }))

  it.effect("replaces and ends a session that was planted in the browser", () =>
    Effect.gen(function*() {
      const attacker = yield* signInNewUser()
      const { account } = yield* createKeyedAccount()
      const answer = yield* signInWithLink(yield* createSignInLink(account.id), { cookie: attacker.jar.cookie })
      assert.strictEqual(answer.status, 200)
      assert.notStrictEqual(cookieFrom(answer), attacker.jar.cookie)
      const victim = yield* sendRequest("GET", "/v1/account", { headers: { cookie: cookieFrom(answer)! } })
      assert.strictEqual(victim.body.id, account.id)
      assert.strictEqual((yield* attacker.ask("GET", "/v1/account")).status, 401)
      const unknownToken = `tl_sess_${"0".repeat(38)}`
      const secondSignIn = yield* signInWithLink(yield* createSignInLink(account.id), {
        cookie: `tapeline_session=${unknownToken}`
      })
      assert.notStrictEqual(textIn(cookieFrom(secondSignIn)), unknownToken)
      const headers = { cookie: `tapeline_session=${unknownToken}` }
      assert.strictEqual((yield* sendRequest("GET", "/v1/account", { headers })).status, 401)
    }))

  it.effect("rejects a used, expired or guessed link with a plain reason", () =>
    Effect.gen(function*() {
      const { account } = yield* createKeyedAccount()
      const [usedLink, expiredLink] = [yield* createSignInLink(account.id), yield* createSignInLink(account.id)]
      assert.strictEqual((yield* signInWithLink(usedLink)).status, 200)
      const secondSignIn = yield* signInWithLink(usedLink)
      assert.deepStrictEqual([secondSignIn.status, secondSignIn.body.code, secondSignIn.body.reason], [
        403,
        "link_refused",
        "used"
      ])
      assert.isNull(secondSignIn.headers.get("set-cookie"))
      yield* TestClock.adjust("16 minutes")
      assert.strictEqual((yield* signInWithLink(expiredLink)).body.reason, "expired")
      const usedMessages = {
        en: /already used/,
        ko: /이미 사용/,
        ru: /уже использована/
      }
      for (const [language, words] of Object.entries(usedMessages)) {
        assert.match((yield* signInWithLink(usedLink, { "x-lang": language })).body.detail, words)
      }
      for (const invalidLink of ["", "nonsense", unknownLink, `${usedLink}x`, usedLink.slice(0, -1)]) {
        assert.strictEqual((yield* signInWithLink(invalidLink)).body.reason, "unknown", invalidLink)
      }
      assert.notInclude(log.join("\n"), usedLink)
    }))

  it.effect("ends the session for both holders if a replaced token is used", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      const stolenCookie = jar.cookie
      yield* TestClock.adjust("16 minutes")
      const renewing = yield* ask("GET", "/v1/usage")
      assert.strictEqual(renewing.status, 200)
      assert.notStrictEqual(jar.cookie, stolenCookie)
      assert.match(renewing.headers.get("set-cookie")!, /; HttpOnly; SameSite=Lax$/)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
      yield* TestClock.adjust("61 seconds")
      const headers = { cookie: stolenCookie }
      assert.strictEqual((yield* sendRequest("GET", "/v1/account", { headers })).status, 401)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 401)
      assert.include(log.join("\n"), "a replaced session token was used")
      assert.notInclude(log.join("\n"), textIn(stolenCookie))
    }))

  it.effect("sends a renewed token with a rejection too, and survives the loss of a renewed token", () =>
    Effect.gen(function*() {
      const { ask, jar } = yield* signInNewUser()
      yield* TestClock.adjust("16 minutes")
      const { cookie } = jar
      // The response is lost, so the browser sends its old cookie again.
      assert.isString((yield* sendRequest("GET", "/v1/account", { headers: { cookie } })).headers.get("set-cookie"))
      assert.strictEqual((yield* sendRequest("GET", "/v1/account", { headers: { cookie } })).status, 200)
      yield* TestClock.adjust("61 seconds")
      const rejection = yield* ask("POST", "/v1/tools/test_nothing", { body: {} })
      assert.deepStrictEqual([rejection.status, rejection.body.code], [404, "unknown_tool"])
      assert.notStrictEqual(jar.cookie, cookie)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    }))

  it.effect("rejects two session cookies, and a credential of another kind", () =>
    Effect.gen(function*() {
      const [one, other] = [yield* signInNewUser(), yield* signInNewUser()]
      const key = one.key
      const invalidCookies = [
        `${one.jar.cookie}; ${other.jar.cookie}`,
        `${one.jar.cookie}; ${one.jar.cookie}`,
        `tapeline_session=${key}`,
        `tapeline_session=`,
        `tapeline_session`,
        `Tapeline_Session=${textIn(one.jar.cookie)}`,
        // If a cookie with the `__Host-` prefix exists, cookies without the prefix are ignored, because other sites can
        // plant only cookies without the prefix.
        `${one.jar.cookie}; __Host-tapeline_session=${textIn(other.jar.cookie)}x`,
        ""
      ]
      for (const cookie of invalidCookies) {
        const account = yield* sendRequest("GET", "/v1/account", { headers: { ...samePageHeaders, cookie } })
        assert.deepStrictEqual([account.status, account.body.code], [401, "session_required"], cookie)
        assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { headers: { cookie } })).status, 401, cookie)
      }
      const foreignCookies = `a=b; ${one.jar.cookie}; tapeline_sessions=x`
      assert.strictEqual(
        (yield* sendRequest("GET", "/v1/account", { headers: { cookie: foreignCookies } })).status,
        200
      )
      const asKey = yield* sendRequest("GET", "/v1/usage", { key: textIn(one.jar.cookie) })
      assert.deepStrictEqual([asKey.status, asKey.body.code], [401, "invalid_key"])
    }))

  it.effect("rejects an API key on account operations, also next to a session cookie", () =>
    Effect.gen(function*() {
      const { jar, key, record } = yield* signInNewUser()
      const operations = [
        ["GET", "/v1/account"],
        ["GET", "/v1/account/usage"],
        ["POST", "/v1/account/sign-out"],
        ["GET", "/v1/account/keys"],
        ["POST", "/v1/account/keys", { name: "a", scopes: ["read:market"] }],
        ["PATCH", `/v1/account/keys/${record.id}`, { scopes: ["read:us"] }],
        ["POST", `/v1/account/keys/${record.id}/rotate`],
        ["DELETE", `/v1/account/keys/${record.id}`],
        ["GET", "/v1/account/sessions"],
        ["DELETE", "/v1/account/sessions"],
        ["DELETE", "/v1/account/sessions/1"]
      ] as const
      const document = (yield* sendRequest("GET", "/v1/openapi.json")).body
      const declared = Object.entries<object>(document.paths).flatMap(([path, item]) =>
        path.startsWith("/v1/account") ? Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`) : []
      )
      assert.strictEqual(
        declared.length,
        operations.length + 2,
        "all account operations except the sign-in methods and the sign-in"
      )
      for (const [method, path, body] of operations) {
        for (const headers of [{ ...samePageHeaders }, { ...samePageHeaders, cookie: jar.cookie }]) {
          const rejection = yield* sendRequest(method, path, { key, headers, ...(body === undefined ? {} : { body }) })
          assert.deepStrictEqual(
            [rejection.status, rejection.body.code],
            [401, "session_required"],
            `${method} ${path}`
          )
        }
      }
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key })).status, 200, "no operation ran")
    }))

  it.effect("rejects forged requests of another site, whichever headers they omit or forge", () =>
    Effect.gen(function*() {
      const { account, ask, jar } = yield* signInNewUser()
      const { cookie } = jar
      const origin = HttpServer.formatAddress((yield* HttpServer.HttpServer).address)
      const consoleHeaders = { "x-tapeline-console": "1" }
      const crossSiteHeaders: ReadonlyArray<Readonly<Record<string, string>>> = [
        {},
        consoleHeaders,
        { "sec-fetch-site": "same-origin" },
        { ...consoleHeaders, "sec-fetch-site": "cross-site" },
        { ...consoleHeaders, "sec-fetch-site": "same-site" },
        { ...consoleHeaders, "sec-fetch-site": "none" },
        { ...consoleHeaders, "sec-fetch-site": "cross-site", origin },
        { ...consoleHeaders, origin: "https://evil.example" },
        { ...consoleHeaders, origin: "null" },
        { ...consoleHeaders, origin: origin.replace("http:", "https:") },
        { ...consoleHeaders, origin: `${origin}.evil.example` },
        { origin },
        { origin, "x-tapeline-console": "" },
        { origin, "x-tapeline-console": "0" }
      ]
      const link = yield* createSignInLink(account.id)
      for (const headers of crossSiteHeaders) {
        const headersText = JSON.stringify(headers)
        const requestCases = [
          ["POST", "/v1/account/sign-out"],
          ["POST", "/v1/account/keys", { name: "a", scopes: ["read:market"] }],
          ["DELETE", "/v1/account/sessions"],
          ["POST", "/v1/tools/test_price", { coin: "BTC" }],
          ["POST", "/v1/quote", { calls: [{ name: "test_price" }] }]
        ] as const
        for (const [method, path, body] of requestCases) {
          const rejection = yield* sendRequest(method, path, {
            headers: { ...headers, cookie },
            ...(body === undefined ? {} : { body })
          })
          assert.deepStrictEqual([rejection.status, rejection.body.code], [403, "cross_site"], `${path} ${headersText}`)
        }
        // A user who is unknowingly signed in to an attacker's account would expose their own data to the attacker.
        for (const credentials of [{}, { cookie }]) {
          const rejection = yield* sendRequest("POST", "/v1/account/sign-in", {
            body: { link },
            headers: { ...headers, ...credentials }
          })
          assert.deepStrictEqual([rejection.status, rejection.body.code], [403, "cross_site"], headersText)
          assert.isNull(rejection.headers.get("set-cookie"))
        }
      }
      const signOutProblem = yield* sendRequest("POST", "/v1/account/sign-out", { headers: { cookie, "x-lang": "ko" } })
      assert.match(signOutProblem.body.detail, /이 서비스의 페이지/)
      assert.strictEqual((yield* ask("GET", "/v1/usage")).body.credits.used, 0)
      assert.strictEqual((yield* ask("GET", "/v1/account/keys")).body.keys.length, 1)
      // Old browsers do not send `sec-fetch-site`, but they send the `Origin` of the page.
      const old = yield* sendRequest("POST", "/v1/tools/test_price", {
        headers: { ...consoleHeaders, origin, cookie },
        body: { coin: "BTC" }
      })
      assert.strictEqual(old.status, 200, old.text)
      assert.strictEqual((yield* signInWithLink(link)).status, 200, "the link was not used up")
    }))

  it.effect("changes nothing on GET, and allows no credentials to pages of other origins", () =>
    Effect.gen(function*() {
      const { jar: { cookie } } = yield* signInNewUser()
      for (const path of ["/v1/account/sign-out", "/v1/account/sign-in", "/v1/quote", "/v1/tools/test_price"]) {
        const rejection = yield* sendRequest("GET", path, { headers: { cookie } })
        assert.deepStrictEqual([rejection.status, rejection.headers.get("allow")], [405, "POST"], path)
      }
      for (const origin of ["https://app.example.com", "https://evil.example"]) {
        const read = yield* sendRequest("GET", "/v1/account", { headers: { cookie, origin } })
        assert.isNull(read.headers.get("access-control-allow-credentials"), origin)
        const preflight = yield* sendRequest("OPTIONS", "/v1/account/keys", {
          headers: {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "x-tapeline-console"
          }
        })
        assert.isNull(preflight.headers.get("access-control-allow-credentials"), origin)
        assert.notInclude(preflight.headers.get("access-control-allow-headers") ?? "", "x-tapeline-console")
      }
    }))
})

const lowLimits = Layer.succeed(AttemptLimits, { maxPerAddress: 3, maxTotal: 8, window: "5 minutes" })

layer(layerTestServer([], {}, { corsOrigins: [], trustedProxies: 1 }).pipe(Layer.provide(lowLimits)))(
  "the limit of failed sign-in attempts",
  (it) => {
    it.effect("rejects an address after its failures, and all addresses after the total, until the window ends", () =>
      Effect.gen(function*() {
        const { account } = yield* createKeyedAccount()
        const from = (address: string, link: string, headers = {}) =>
          signInWithLink(link, { "x-forwarded-for": address, ...headers })
        const statuses = (address: string, times: number) =>
          Effect.map(
            Effect.replicateEffect(from(address, unknownLink), times),
            (all) => all.map(({ status }) => status)
          )
        for (let i = 0; i < 5; i++) {
          assert.strictEqual((yield* from("198.51.100.1", yield* createSignInLink(account.id))).status, 200)
          assert.strictEqual((yield* from("198.51.100.1", unknownLink, { "sec-fetch-site": "cross-site" })).status, 403)
          const body = { lnk: unknownLink }
          const headers = { ...samePageHeaders, "x-forwarded-for": "198.51.100.1" }
          assert.strictEqual((yield* sendRequest("POST", "/v1/account/sign-in", { body, headers })).status, 400)
        }
        assert.deepStrictEqual(yield* statuses("198.51.100.1", 4), [403, 403, 403, 429])
        const rejection = yield* from("198.51.100.1", unknownLink)
        assert.deepStrictEqual([rejection.status, rejection.body.code], [429, "too_many_attempts"])
        assert.strictEqual(rejection.headers.get("retry-after"), "300")
        assert.strictEqual(rejection.body.retry_after_seconds, 300)
        for (const [language, words] of Object.entries({ en: /300 s/, ko: /300초/, ru: /300 с/ })) {
          assert.match((yield* from("198.51.100.1", unknownLink, { "x-lang": language })).body.detail, words)
        }
        // The server trusts only the entry that the trusted proxy appended. The client may have forged the entries that
        // precede the proxy's entry.
        assert.strictEqual((yield* from("203.0.113.9, 198.51.100.1", unknownLink)).status, 429)
        const validLink = yield* createSignInLink(account.id)
        assert.strictEqual((yield* from("198.51.100.1", validLink)).status, 200)
        assert.deepInclude((yield* from("198.51.100.1", validLink)).body, { code: "link_refused" })
        assert.deepStrictEqual(yield* statuses("2001:db8::1", 2), [403, 403])
        assert.deepStrictEqual(yield* statuses("2001:db8:0:0:1::2", 2), [403, 429])
        assert.deepStrictEqual(yield* statuses("2001:db8:0:1::1", 2), [403, 403])
        assert.deepStrictEqual(yield* statuses("203.0.113.7", 1), [429])
        yield* TestClock.adjust("5 minutes")
        assert.deepStrictEqual(yield* statuses("203.0.113.7", 1), [403])
      }))
  }
)

const signInWithHeaders = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>>) {
  const { account } = yield* createKeyedAccount()
  const body = JSON.stringify({ link: yield* createSignInLink(account.id) })
  const requestHeaders = {
    ...samePageHeaders,
    "content-type": "application/json",
    "content-length": String(body.length),
    ...headers
  }
  const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  const answer = yield* sendRaw(`POST /v1/account/sign-in HTTP/1.1\r\nconnection: close\r\n${lines}\r\n${body}`)
  assert.match(answer, /^HTTP\/1\.1 200 /)
  return /^set-cookie: (.*)\r$/im.exec(answer)?.[1] ?? "none"
})

const isFull = (cookie: string) =>
  /^__Host-tapeline_session=tl_sess_[0-9A-Za-z]{38}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/.test(
    cookie
  )
const isLocal = (cookie: string) => /^tapeline_session=tl_sess_\w{38}; Path=\/; .*HttpOnly; SameSite=Lax$/.test(cookie)

layer(layerTestServer([], {}, { corsOrigins: [] }))("the session cookie without a trusted proxy", (it) => {
  it.effect("is local if the host is this machine, and requires TLS for any other host", () =>
    Effect.gen(function*() {
      for (const host of ["localhost:8787", "LOCALHOST", "127.0.0.1:8787", "127.9.9.9", "[::1]:8787", "a.localhost"]) {
        assert.isTrue(isLocal(yield* signInWithHeaders({ host })), host)
        assert.isTrue(isLocal(yield* signInWithHeaders({ host, "x-forwarded-proto": "https" })), host)
      }
      for (const host of ["tapeline.example", "192.168.1.5:8787", "127.0.0.1.evil.example", "localhost.evil.example"]) {
        assert.isTrue(isFull(yield* signInWithHeaders({ host })), host)
        assert.isTrue(isFull(yield* signInWithHeaders({ host, "x-forwarded-proto": "http" })), host)
      }
    }))
})

layer(layerTestServer([], {}, { corsOrigins: [], trustedProxies: 2 }))("the session cookie with two proxies", (it) => {
  it.effect("requires TLS if the outer proxy was reached by TLS, whatever the caller sent", () =>
    Effect.gen(function*() {
      const host = "127.0.0.1:8787"
      const tls = ["https", "https, http", "http, https, http", "HTTPS"]
      const insecureProtos = ["http", "https, http, http", "http, https", ""]
      for (const forwardedProto of tls) {
        assert.isTrue(isFull(yield* signInWithHeaders({ host, "x-forwarded-proto": forwardedProto })), forwardedProto)
      }
      for (const forwardedProto of insecureProtos) {
        assert.isTrue(isLocal(yield* signInWithHeaders({ host, "x-forwarded-proto": forwardedProto })), forwardedProto)
      }
    }))
})

layer(layerTestServer([], {}, { corsOrigins: [], publicUrl: "https://tapeline.example/" }))(
  "the session cookie of a service with a public URL",
  (it) => {
    it.effect("requires TLS, and is accepted from pages at that URL", () =>
      Effect.gen(function*() {
        const host = "127.0.0.1:8787"
        assert.isTrue(isFull(yield* signInWithHeaders({ host })))
        const { account, record } = yield* createKeyedAccount()
        const origin = "https://tapeline.example"
        const consoleHeaders = { "x-tapeline-console": "1", "sec-fetch-site": "same-origin" }
        const answer = yield* signInWithLink(yield* createSignInLink(account.id), { ...consoleHeaders, origin })
        const cookie = cookieFrom(answer)!
        assert.match(cookie, /^__Host-/)
        const revoke = (headers: Readonly<Record<string, string>>) =>
          sendRequest("DELETE", `/v1/account/keys/${record.id}`, {
            headers: { cookie, "x-tapeline-console": "1", ...headers }
          })
        assert.strictEqual((yield* revoke({ origin: "http://127.0.0.1:8787" })).status, 403)
        assert.strictEqual((yield* revoke({ origin })).status, 204)
        const local = cookie.replace("__Host-", "")
        assert.strictEqual((yield* sendRequest("GET", "/v1/account", { headers: { cookie: local } })).status, 401)
      }))
  }
)
