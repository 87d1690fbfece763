import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { layerTestServer, sendRaw } from "./testServer.ts"
import { createSignInLink, samePageHeaders } from "./testSession.ts"

/** The local `Host` header that a TLS-terminating proxy sends in place of the original one. */
const host = "127.0.0.1:8787"
const page = { host, origin: "https://tapeline.example.com", "x-forwarded-proto": "https" }

const ask = (method: string, path: string, headers: Readonly<Record<string, string>>, body = "") => {
  const requestHeaders = {
    ...samePageHeaders,
    "content-type": "application/json",
    "content-length": String(body.length),
    ...headers
  }
  const lines = Object.entries(requestHeaders).map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return sendRaw(`${method} ${path} HTTP/1.1\r\nconnection: close\r\n${lines}\r\n${body}`)
}
const readCookieHeader = (answer: string) => /^set-cookie: (.*)\r$/im.exec(answer)?.[1] ?? "none"
const statusOf = (answer: string) => answer.slice(9, 12)

const signIn = Effect.fnUntraced(function*(headers: Readonly<Record<string, string>>) {
  const { account } = yield* createKeyedAccount()
  const answer = yield* ask(
    "POST",
    "/v1/account/sign-in",
    headers,
    JSON.stringify({ link: yield* createSignInLink(account.id) })
  )
  assert.strictEqual(statusOf(answer), "200", answer)
  return readCookieHeader(answer)
})

const isFull = (cookie: string) => /^__Host-tapeline_session=tl_sess_\w{38}; Path=\/; .*; Secure$/.test(cookie)

layer(layerTestServer([], {}, { corsOrigins: [] }))("a service behind a proxy that rewrites Host", (it) => {
  it.effect("sets a host-only cookie for TLS if the page has another origin", () =>
    Effect.gen(function*() {
      for (
        const origin of ["https://tapeline.example.com", "http://192.168.1.5:8080", "https://localhost.evil.example"]
      ) {
        assert.isTrue(isFull(yield* signIn({ ...page, origin })), origin)
      }
      for (const origin of ["http://localhost:8787", "http://127.0.0.1:5173", "http://[::1]:8787", "null", "x"]) {
        assert.match(yield* signIn({ host, origin }), /^tapeline_session=tl_sess_\w{38}; .*SameSite=Lax$/, origin)
      }
    }))

  it.effect("accepts and deletes that cookie, also in requests without Origin", () =>
    Effect.gen(function*() {
      const cookie = (yield* signIn(page)).split(";")[0]!
      assert.strictEqual(statusOf(yield* ask("GET", "/v1/account", { host, cookie })), "200")
      const local = cookie.replace("__Host-", "")
      // A planted cookie with another name is ignored. Two cookies with the name of the session cookie are rejected.
      assert.strictEqual(statusOf(yield* ask("GET", "/v1/account", { host, cookie: `${local}x; ${cookie}` })), "200")
      const two = `${cookie}; ${cookie}; ${local}`
      assert.strictEqual(statusOf(yield* ask("GET", "/v1/account", { host, cookie: two })), "401")
      assert.strictEqual(statusOf(yield* ask("POST", "/v1/quote", { ...page, cookie: local }, `{"calls":[]}`)), "401")
      const out = yield* ask("POST", "/v1/account/sign-out", { host, cookie })
      assert.match(readCookieHeader(out), /^__Host-tapeline_session=; Path=\/; Max-Age=0; .*; Secure$/)
    }))
})
