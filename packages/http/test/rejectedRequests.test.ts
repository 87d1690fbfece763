import { assert, layer } from "@effect/vitest"
import { Administration, generateKey } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { issuePathsOf, layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

const log: Array<string> = []

const assertProblem = (
  response: Effect.Success<ReturnType<typeof sendRequest>>,
  status: number,
  code: string,
  language = "en"
) => {
  assert.strictEqual(response.status, status, response.text)
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  assert.strictEqual(response.headers.get("content-language"), language)
  assert.strictEqual(response.body.type, `urn:tapeline:problem:${code}`)
  assert.strictEqual(response.body.code, code)
  assert.strictEqual(response.body.status, status)
  assert.strictEqual(response.body.request_id, response.headers.get("x-request-id"))
  assert.isTrue(response.body.title.length > 0 && response.body.detail.length > 0)
}

layer(layerTestServer(log), { excludeTestServices: true })("a rejected request", (it) => {
  it.effect("is the same 401 for missing, malformed, mistyped, unknown and revoked keys", () =>
    Effect.gen(function*() {
      const administration = yield* Administration
      const { key, record } = yield* createKeyedAccount()
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key })).status, 200)
      yield* administration.revokeKey(record.id)
      const wrongChecksum = generateKey().slice(0, -1) + "!"
      const flipped = key.slice(0, 10) + (key[10] === "A" ? "B" : "A") + key.slice(11)
      for (const invalidKey of [undefined, "nonsense", wrongChecksum, flipped, generateKey(), key]) {
        const response = yield* sendRequest("POST", "/v1/tools/test_price", {
          ...(invalidKey === undefined ? {} : { key: invalidKey }),
          body: { coin: "BTC" }
        })
        assertProblem(response, 401, "invalid_key")
        assert.strictEqual(response.headers.get("www-authenticate"), "Bearer")
      }
      const basic = yield* sendRequest("GET", "/v1/tools", { headers: { authorization: `Basic ${key}` } })
      assertProblem(basic, 401, "invalid_key")
    }))

  it.effect("is a 402 with an upgrade and the renewal date if the credits are spent", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ plan: "tiny" })
      yield* sendRequest("POST", "/v1/tools/test_korea", { key })
      const rejection = yield* sendRequest("POST", "/v1/tools/test_korea", { key })
      assertProblem(rejection, 402, "over_limit")
      assert.strictEqual(rejection.body.price, 5)
      assert.strictEqual(rejection.body.credits_left, 2)
      const [upgrade, wait] = rejection.body.ways_forward
      assert.strictEqual(upgrade.action, "upgrade")
      const plans = upgrade.plans.map(({ plan }: { readonly plan: string }) => plan)
      assert.deepStrictEqual(plans, ["narrow", "free", "lite", "pro", "premium"])
      assert.strictEqual(wait.action, "wait")
      assert.match(wait.renews_at, /^\d{4}-\d{2}-01T00:00:00\.000Z$/)
      assert.strictEqual(
        (yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })).body.credits_left,
        1
      )
    }))

  it.effect("is a 403 with the missing scope; read:korea is enough for a Korean tool", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ scopes: ["read:korea"] })
      const market = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      assertProblem(market, 403, "scope_required")
      assert.strictEqual(market.body.required_scope, "read:market")
      const personal = yield* sendRequest("POST", "/v1/tools/test_personal", { key })
      assert.strictEqual(personal.body.required_scope, "write:personal")
      assert.strictEqual((yield* sendRequest("POST", "/v1/tools/test_korea", { key })).status, 200)
    }))

  it.effect("is a 404 for unknown paths and tools, and a 405 with Allow for other methods", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const tool = yield* sendRequest("POST", "/v1/tools/get_nothing", { key, body: {} })
      assertProblem(tool, 404, "unknown_tool")
      assertProblem(yield* sendRequest("GET", "/v1/nowhere"), 404, "not_found")
      const method = yield* sendRequest("GET", "/v1/tools/test_price", { key })
      assertProblem(method, 405, "method_not_allowed")
      assert.strictEqual(method.headers.get("allow"), "POST")
      assert.strictEqual((yield* sendRequest("PUT", "/v1/usage")).headers.get("allow"), "GET, HEAD")
      assert.strictEqual((yield* sendRequest("DELETE", "/admin/v1/accounts")).headers.get("allow"), "GET, HEAD, POST")
    }))

  it.effect("is a 413 for a large body and a 415 for one that is no JSON; an empty body may have any type", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const large = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "B".repeat(300_000) } })
      assertProblem(large, 413, "payload_too_large")
      assert.strictEqual(large.body.limit_bytes, 262_144)
      const text = yield* sendRequest("POST", "/v1/tools/test_price", {
        key,
        body: `{"coin":"BTC"}`,
        headers: { "content-type": "text/plain" }
      })
      assertProblem(text, 415, "unsupported_media_type")
      const wrongType = yield* sendRequest("POST", "/v1/tools/test_korea", {
        key,
        headers: { "content-type": "text/plain" }
      })
      assert.strictEqual(wrongType.status, 200)
    }))

  it.effect("is a 413 for a large body without a Content-Length", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const { address } = yield* HttpServer.HttpServer
      const stream = new ReadableStream({
        start(controller) {
          for (let i = 0; i < 5; i++) controller.enqueue(new TextEncoder().encode(" ".repeat(65_536)))
          controller.close()
        }
      })
      const status = yield* Effect.promise(async () => {
        const options: RequestInit = {
          method: "POST",
          headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
          body: stream,
          duplex: "half"
        }
        return (await fetch(`${HttpServer.formatAddress(address)}/v1/tools/test_price`, options)).status
      })
      assert.strictEqual(status, 413)
    }))

  it.effect("is a 429 with Retry-After, counted per account over all its keys", () =>
    Effect.gen(function*() {
      const administration = yield* Administration
      const { account, key } = yield* createKeyedAccount({ plan: "narrow" })
      const other = yield* administration.issueKey({ account: account.id, name: "other", scopes: ["read:market"] })
      const keys = [key, Redacted.value(other.key), key]
      for (const [i, key] of keys.entries()) {
        const response = yield* sendRequest("GET", "/v1/usage", { key })
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers.get("ratelimit-limit"), "3")
        assert.strictEqual(response.headers.get("ratelimit-remaining"), String(2 - i))
        assert.strictEqual(response.headers.get("cache-control"), "no-store")
      }
      // The server checks the rate limit before the body, the tool name and the scope.
      const rejection = yield* sendRequest("POST", "/v1/tools/get_nothing", { key, body: "{", headers: {} })
      assertProblem(rejection, 429, "rate_limited")
      assert.strictEqual(rejection.headers.get("ratelimit-remaining"), "0")
      const wait = Number(rejection.headers.get("retry-after"))
      assert.strictEqual(rejection.body.retry_after_seconds, wait)
      assert.isTrue(wait >= 1 && wait <= 60)
    }))

  it.effect("is a 400 for an invalid body, for user_id before other checks, and for each wrong argument", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ scopes: ["read:us"] })
      for (const body of ["{", "[]", "null", "1", `"x"`]) {
        assertProblem(yield* sendRequest("POST", "/v1/tools/test_price", { key, body }), 400, "invalid_body")
      }
      // `user_id` is rejected with any value, before the tool name and the scope are checked.
      for (const user_id of [null, 7, "me"]) {
        for (const path of ["/v1/tools/test_price", "/v1/tools/test_personal", "/v1/tools/get_nothing", "/v1/quote"]) {
          assertProblem(yield* sendRequest("POST", path, { key, body: { user_id } }), 400, "user_id_not_accepted")
        }
      }
      assertProblem(
        yield* sendRequest("POST", "/admin/v1/accounts", {
          key: testAdminToken,
          body: { name: "x", plan: "free", user_id: 1 }
        }),
        400,
        "user_id_not_accepted"
      )

      const full = yield* createKeyedAccount()
      const invalidArguments = yield* sendRequest("POST", "/v1/tools/test_price", {
        key: full.key,
        body: { coin: "not a ticker", hours: 1000, mode: "warp", tpyo: 1 }
      })
      assertProblem(invalidArguments, 400, "invalid_arguments")
      assert.deepStrictEqual(
        [...issuePathsOf(invalidArguments)].sort((a, b) => String(a) < String(b) ? -1 : 1),
        [["coin"], ["hours"], ["mode"], ["tpyo"]]
      )
      assert.isTrue(
        invalidArguments.body.issues.every(({ message }: { readonly message: string }) => message.length > 0)
      )
      const missing = yield* sendRequest("POST", "/v1/tools/test_price", { key: full.key })
      assert.deepStrictEqual(missing.body.issues, [{ path: ["coin"], message: "This argument is required." }])
      const scopeProblem = yield* sendRequest("POST", "/v1/tools/test_korea", { key: full.key, body: { coin: "BTC" } })
      assert.deepStrictEqual(issuePathsOf(scopeProblem), [["coin"]])
      const number = yield* sendRequest("POST", "/v1/tools/test_price", {
        key: full.key,
        body: { coin: "BTC", hours: "NaN" }
      })
      assert.deepStrictEqual(issuePathsOf(number), [["hours"]])
    }))

  it.effect("is written in Korean or Russian on request, and in English otherwise", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const ask = (lang: string) =>
        sendRequest("POST", "/v1/tools/test_price", { key, body: { hours: 0 }, headers: { "x-lang": lang } })
      const ko = yield* ask("ko")
      assertProblem(ko, 400, "invalid_arguments", "ko")
      assert.match(ko.body.detail, /[가-힣]/)
      assert.match(ko.body.issues[0].message, /[가-힣]/)
      assert.match(ko.body.title, /[가-힣]/)
      const ru = yield* ask("ru")
      assertProblem(ru, 400, "invalid_arguments", "ru")
      assert.match(ru.body.detail, /[а-я]/)
      assert.match(ru.body.issues[1].message, /от 1 до 720/)
      assertProblem(yield* ask("fr"), 400, "invalid_arguments", "en")
      const failed = yield* sendRequest("POST", "/v1/tools/test_price", {
        key,
        body: { coin: "NOPE" },
        headers: { "x-lang": "ru" }
      })
      assert.match(failed.body.data.error.message, /неизвестен/)
      assert.strictEqual(failed.headers.get("content-language"), "ru")
    }))

  it.effect("differs from a failed call, which is a 200, costs nothing and is counted in the usage", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const before = (yield* sendRequest("GET", "/v1/usage", { key })).body
      const failed = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "nope" } })
      assert.strictEqual(failed.status, 200)
      assert.deepStrictEqual(failed.body.data.error.code, "unknown_symbol")
      assert.strictEqual(failed.body.credits_used, 0)
      assert.strictEqual(failed.body.credits_left, 60_000)
      yield* sendRequest("POST", "/v1/tools/test_failing", { key })
      yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "btc" } })
      yield* sendRequest("POST", "/v1/tools/test_korea", { key })
      const usage = (yield* sendRequest("GET", "/v1/usage", { key })).body
      assert.strictEqual(before.credits.used, 0)
      assert.deepStrictEqual(usage.credits, { allotted: 60_000, adjusted: 0, used: 6, reserved: 0, left: 59_994 })
      assert.deepStrictEqual(usage.tools, [
        { name: "test_korea", calls: 1, failed: 0, credits: 5 },
        { name: "test_price", calls: 2, failed: 1, credits: 1 },
        { name: "test_failing", calls: 1, failed: 1, credits: 0 }
      ])
      const spentCredits = usage.tools.reduce(
        (sum: number, { credits }: { readonly credits: number }) => sum + credits,
        0
      )
      assert.strictEqual(spentCredits, usage.credits.used)
    }))

  it.effect("is a 500 without a charge or a leaked secret for an invalid result or a bug", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      for (const tool of ["test_broken", "test_buggy"]) {
        const response = yield* sendRequest("POST", `/v1/tools/${tool}`, { key })
        assertProblem(response, 500, "internal")
        assert.notInclude(response.text, "hunter2")
        assert.notInclude(response.text, "NaN")
      }
      const usage = (yield* sendRequest("GET", "/v1/usage", { key })).body
      assert.strictEqual(usage.credits.used, 0)
      assert.strictEqual(usage.credits.reserved, 0)
      assert.deepStrictEqual(usage.tools.map(({ failed }: { readonly failed: number }) => failed), [1, 1])
    }))

  it.effect("is a 401, 400, 404 or 409 of the admin API for a wrong token, field or id, or too many keys", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      assertProblem(yield* sendRequest("GET", "/admin/v1/accounts", { key }), 401, "invalid_key")
      assertProblem(yield* sendRequest("GET", "/admin/v1/accounts"), 401, "invalid_key")
      const admin = (method: string, path: string, body?: object) =>
        sendRequest(method, `/admin/v1${path}`, { key: testAdminToken, ...(body === undefined ? {} : { body }) })
      const account = (yield* admin("POST", "/accounts", { name: "acme", plan: "free" })).body
      const issued = yield* admin("POST", `/accounts/${account.id}/keys`, { name: "a", scopes: ["read:market"] })
      assert.match(issued.body.key, /^tl_live_[0-9A-Za-z]{38}$/)
      const second = yield* admin("POST", `/accounts/${account.id}/keys`, { name: "b", scopes: ["read:market"] })
      assertProblem(second, 409, "key_limit")
      assert.strictEqual(second.body.limit, 1)
      assertProblem(yield* admin("POST", "/accounts", { name: "x", plan: "gold" }), 400, "invalid_arguments")
      assertProblem(yield* admin("PATCH", "/accounts/99999", { plan: "pro" }), 404, "not_found")
      assertProblem(yield* admin("DELETE", "/keys/99999"), 404, "not_found")
      assertProblem(
        yield* admin("POST", `/accounts/${account.id}/keys`, { name: "", scopes: ["all"] }),
        400,
        "invalid_arguments"
      )

      assert.strictEqual((yield* admin("PATCH", `/accounts/${account.id}`, { plan: "lite" })).body.plan, "lite")
      assert.strictEqual(
        (yield* sendRequest("GET", "/v1/usage", { key: issued.body.key })).body.credits.allotted,
        10_000
      )
      const updatedKey = yield* admin("PATCH", `/keys/${issued.body.id}`, { scopes: ["read:us"] })
      assert.deepStrictEqual(updatedKey.body.scopes, ["read:us"])
      assertProblem(
        yield* sendRequest("POST", "/v1/tools/test_price", { key: issued.body.key, body: { coin: "BTC" } }),
        403,
        "scope_required"
      )
      assert.strictEqual((yield* admin("DELETE", `/keys/${issued.body.id}`)).status, 204)
      const listed = (yield* admin("GET", `/accounts/${account.id}/keys`)).body.keys
      assert.strictEqual(listed.length, 1)
      assert.isNotNull(listed[0].revoked_at)
      assert.notInclude(JSON.stringify(listed), issued.body.key)
    }))

  it.effect("is a 400 with what to change for an invalid or past expiry, and for empty or repeated scopes", () =>
    Effect.gen(function*() {
      const { account, record } = yield* createKeyedAccount()
      const issue = (body: object) =>
        sendRequest("POST", `/admin/v1/accounts/${account.id}/keys`, {
          key: testAdminToken,
          body: { name: "k", ...body }
        })
      for (const expires_at of ["2027-13-01T00:00:00Z", "2027-02-30T00:00:00Z", "2020-01-01T00:00:00Z", "tomorrow"]) {
        for (
          const rejection of [
            yield* issue({ scopes: ["read:us"], expires_at }),
            yield* sendRequest("PATCH", `/admin/v1/keys/${record.id}`, { key: testAdminToken, body: { expires_at } })
          ]
        ) {
          assertProblem(rejection, 400, "invalid_arguments")
          assert.deepStrictEqual(issuePathsOf(rejection), [["expires_at"]])
          assert.match(rejection.body.issues[0].message, /2027-01-31T00:00:00Z/)
        }
      }
      const withoutScopes = yield* issue({ scopes: [] })
      assert.deepStrictEqual(withoutScopes.body.issues, [{
        path: ["scopes"],
        message: "Expected a list of at least one item."
      }])
      const repeatedScopeResponse = yield* issue({ scopes: ["read:us", "read:us"] })
      assert.deepStrictEqual(repeatedScopeResponse.body.issues, [
        { path: ["scopes"], message: "Expected each item once; remove the repeated ones." }
      ])
    }))

  it.effect("is a 400 with the field's path for text that cannot be stored", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const { account } = yield* createKeyedAccount()
      for (const invalidText of ["a\u0000b", "a\ud800b"]) {
        const account = yield* sendRequest("POST", "/admin/v1/accounts", {
          key: testAdminToken,
          body: `{"name":${JSON.stringify(invalidText)},"plan":"free"}`
        })
        assertProblem(account, 400, "invalid_arguments")
        assert.deepStrictEqual(issuePathsOf(account), [["name"]])
        const call = yield* sendRequest("POST", "/v1/tools/test_price", {
          key,
          body: { coin: "BTC", more: [{ x: invalidText }] }
        })
        assertProblem(call, 400, "invalid_arguments")
        assert.deepStrictEqual(issuePathsOf(call), [["more", 0, "x"]])
        const named = yield* sendRequest("POST", "/v1/tools/test_price", {
          key,
          body: { coin: "BTC", [invalidText]: 1 }
        })
        assert.deepStrictEqual(issuePathsOf(named), [[invalidText]])
        assertProblem(
          yield* sendRequest("POST", "/v1/tools/get_nothing", { key, body: { x: invalidText } }),
          404,
          "unknown_tool"
        )
      }
      for (const name of ["two\nlines", "   ", "bell\u0007"]) {
        const rejection = yield* sendRequest("POST", `/admin/v1/accounts/${account.id}/keys`, {
          key: testAdminToken,
          body: { name, scopes: ["read:us"] }
        })
        assert.deepStrictEqual(issuePathsOf(rejection), [["name"]], rejection.text)
      }
    }))

  it.effect("is a 400 for a body nested too deep, also with an idempotency key", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const body = `{"coin":${"[".repeat(120_000)}${"]".repeat(120_000)}}`
      for (const headers of [{}, { "idempotency-key": "deep" }]) {
        assertProblem(yield* sendRequest("POST", "/v1/tools/test_price", { key, body, headers }), 400, "invalid_body")
      }
    }))

  it.effect("is a 415 for a compressed body", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const rejection = yield* sendRequest("POST", "/v1/tools/test_price", {
        key,
        body: { coin: "BTC" },
        headers: { "content-encoding": "gzip" }
      })
      assertProblem(rejection, 415, "unsupported_media_type")
      assert.match(rejection.body.detail, /Content-Encoding/)
    }))

  it.effect("is a 400 for an invalid idempotency key, after the checks of the tool and the scope", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ scopes: ["read:us"] })
      const invalidHeader = { "idempotency-key": "ключ-".repeat(60).replace(/[^ -~]/g, "\u00e9") }
      const call = (tool: string, headers: Record<string, string>) =>
        sendRequest("POST", `/v1/tools/${tool}`, { key, body: {}, headers })
      assertProblem(yield* call("get_nothing", invalidHeader), 404, "unknown_tool")
      assertProblem(yield* call("test_price", invalidHeader), 403, "scope_required")
      const full = yield* createKeyedAccount()
      const rejection = yield* sendRequest("POST", "/v1/tools/test_price", {
        key: full.key,
        body: {},
        headers: invalidHeader
      })
      assertProblem(rejection, 400, "invalid_arguments")
      assert.deepStrictEqual(issuePathsOf(rejection), [["Idempotency-Key"]])
    }))

  it.effect("is a 401 for an empty credential or another scheme", () =>
    Effect.gen(function*() {
      for (const authorization of ["", "Bearer", "Bearer ", "bearer  ", `Basic ${testAdminToken}`]) {
        assertProblem(
          yield* sendRequest("GET", "/admin/v1/accounts", { headers: { authorization } }),
          401,
          "invalid_key"
        )
        assertProblem(yield* sendRequest("GET", "/v1/usage", { headers: { authorization } }), 401, "invalid_key")
      }
    }))

  it.effect("leaves no key and no admin token in the log", () =>
    Effect.sync(() => {
      const text = log.join("\n")
      assert.isTrue(log.length > 0)
      assert.notMatch(text, /tl_live_[0-9A-Za-z]{8}/)
      assert.notInclude(text, testAdminToken)
    }))
})
