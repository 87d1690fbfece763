import { assert, layer } from "@effect/vitest"
import { MarketReadiness } from "@tapeline/api"
import { Draining } from "@tapeline/http"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { issuePathsOf, layerTestServer, sendRequest, testAdminToken, toolNamesOf } from "./testServer.ts"

layer(layerTestServer(), { excludeTestServices: true })("catalogue, usage, quote and status endpoints", (it) => {
  it.effect("lists the tools that the key may call in a fixed order, and returns 304 for a known ETag", () =>
    Effect.gen(function*() {
      const full = yield* createKeyedAccount()
      const narrow = yield* createKeyedAccount({ scopes: ["read:korea"] })
      const all = yield* sendRequest("GET", "/v1/tools", { key: full.key })
      assert.strictEqual(all.headers.get("cache-control"), "private, no-cache")
      assert.deepStrictEqual(
        toolNamesOf(all),
        ["test_price", "test_pure", "test_korea", "test_personal", "test_broken", "test_buggy", "test_failing"]
      )
      assert.deepStrictEqual(all.body.operations, [{ name: "agent.answer", scope: "agent:chat", credits: 20 }])
      const [price, , korea] = all.body.tools
      assert.deepStrictEqual(price.scopes_any, ["read:market"])
      assert.deepStrictEqual(korea.scopes_any, ["read:market", "read:korea"])
      assert.deepStrictEqual(price.parameters.required, ["coin"])
      assert.strictEqual(price.parameters.additionalProperties, false)
      assert.deepStrictEqual(price.parameters.properties.hours, {
        type: ["integer", "null"],
        minimum: 1,
        maximum: 720,
        description: "Hours",
        default: 24
      })
      assert.deepStrictEqual(price.parameters.properties.coin, { type: "string", description: "Ticker or name" })

      const some = yield* sendRequest("GET", "/v1/tools", { key: narrow.key })
      assert.deepStrictEqual(toolNamesOf(some), ["test_korea"])
      assert.deepStrictEqual(some.body.operations, [])
      assert.notStrictEqual(some.headers.get("etag"), all.headers.get("etag"))

      const etag = all.headers.get("etag")!
      const cachedResponse = yield* sendRequest("GET", "/v1/tools", {
        key: full.key,
        headers: { "if-none-match": `W/"x", ${etag}` }
      })
      assert.strictEqual(cachedResponse.status, 304)
      assert.strictEqual(cachedResponse.text, "")
      assert.strictEqual(cachedResponse.headers.get("etag"), etag)

      const area = yield* sendRequest("GET", "/v1/tools?area=korea", { key: full.key })
      assert.deepStrictEqual(toolNamesOf(area), ["test_korea"])
      const short = yield* sendRequest("GET", "/v1/tools?view=parameters", { key: full.key })
      assert.deepStrictEqual(
        toolNamesOf(short),
        toolNamesOf(all)
      )
      for (const tool of short.body.tools) {
        assert.hasAllKeys(tool, ["name", "area", "summary", "credits", "parameters"])
      }
      assert.notStrictEqual(short.headers.get("etag"), etag)
      const invalidArea = yield* sendRequest("GET", "/v1/tools?area=moon", { key: full.key })
      assert.strictEqual(invalidArea.body.code, "invalid_arguments")
      assert.deepStrictEqual(invalidArea.body.issues[0].path, ["area"])
    }))

  it.effect("returns the usage of this month and of an earlier one", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ plan: "premium" })
      const usage = (yield* sendRequest("GET", "/v1/usage", { key })).body
      assert.strictEqual(usage.plan, "premium")
      assert.strictEqual(usage.month, new Date().toISOString().slice(0, 7))
      assert.strictEqual(usage.answers.quota, 1_000)
      assert.match(usage.answers.renews_at, /T00:00:00\.000Z$/)
      const earlier = (yield* sendRequest("GET", "/v1/usage?month=2020-02", { key })).body
      assert.strictEqual(earlier.month, "2020-02")
      assert.strictEqual(earlier.renews_at, "2020-03-01T00:00:00.000Z")
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage?month=2020-13", { key })).body.code, "invalid_arguments")
    }))

  it.effect("quotes a total without a charge, and returns 400 with the path of an unknown tool", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ plan: "tiny" })
      const quote = (calls: ReadonlyArray<object>) => sendRequest("POST", "/v1/quote", { key, body: { calls } })
      const affordable = yield* quote([{ name: "test_price", count: 2 }, { name: "test_korea", count: 1 }])
      assert.deepStrictEqual(affordable.body, {
        total: 7,
        credits_left: 7,
        affordable: true,
        lines: [
          { name: "test_price", count: 2, credits: 1, total: 2 },
          { name: "test_korea", count: 1, credits: 5, total: 5 }
        ]
      })
      assert.strictEqual((yield* quote([{ name: "agent.answer", count: 1 }])).body.affordable, false)
      const unknown = yield* quote([{ name: "test_price", count: 1 }, { name: "test_koera", count: 1 }])
      assert.strictEqual(unknown.status, 400)
      assert.deepStrictEqual(unknown.body.issues.map(({ path }: { readonly path: unknown }) => path), [[
        "calls",
        1,
        "name"
      ]])
      assert.include(unknown.body.issues[0].message, "did you mean `test_korea`?")
      assert.deepStrictEqual((yield* quote([{ name: "test_price", count: 0 }])).body.issues[0].path, [
        "calls",
        0,
        "count"
      ])
      assert.strictEqual((yield* sendRequest("GET", "/v1/usage", { key })).body.credits.used, 0)
    }))

  it.effect("returns health and readiness to anyone, and metrics with the admin token", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      assert.deepStrictEqual((yield* sendRequest("GET", "/healthz")).body, { status: "ok" })
      assert.deepStrictEqual((yield* sendRequest("GET", "/readyz")).body, { status: "ready" })
      assert.strictEqual((yield* sendRequest("HEAD", "/healthz")).status, 200)
      assert.strictEqual((yield* sendRequest("GET", "/metrics", { key })).status, 401)
      const before = yield* sendRequest("GET", "/metrics", { key: testAdminToken })
      assert.match(before.text, /tapeline_calls\{[^}]*tool="test_failing"[^}]*\} 0/, "present before the first call")
      yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      const metrics = yield* sendRequest("GET", "/metrics", { key: testAdminToken })
      assert.match(metrics.text, /tapeline_calls\{[^}]*tool="test_price"[^}]*\} [1-9]/)
    }))

  it("docs/live-market.md describes exactly the fields of a series in /readyz", () => {
    const page = readFileSync(new URL("../../../docs/live-market.md", import.meta.url), "utf8")
    const [, list = ""] = /Each series has these fields:\n(.*?)\n\n/su.exec(page) ?? []
    const listedToolNames = [...list.matchAll(/^ {2}\* (.*?):/gmu)].map(([text]) => text)
    const describedNames = listedToolNames.flatMap((text) => [...text.matchAll(/`(\w+)`/gu)].map(([, name]) => name))
    const { name: _, ...fields } = MarketReadiness.fields.collected.value.fields.series.value.fields
    assert.sameMembers(describedNames, Object.keys(fields))
  })

  it.effect("returns the caller's request id if it is valid, and a new id otherwise", () =>
    Effect.gen(function*() {
      const echoed = yield* sendRequest("GET", "/healthz", { headers: { "x-request-id": "my-id_1.2" } })
      assert.strictEqual(echoed.headers.get("x-request-id"), "my-id_1.2")
      const replaced = yield* sendRequest("GET", "/nowhere", { headers: { "x-request-id": "not sound" } })
      assert.match(replaced.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/)
      assert.strictEqual(replaced.headers.get("content-language"), "en")
    }))

  it.effect("allows browsers of the configured origins", () =>
    Effect.gen(function*() {
      const preflight = (origin: string) =>
        sendRequest("OPTIONS", "/v1/tools/test_price", {
          headers: {
            origin,
            "access-control-request-method": "POST",
            "access-control-request-headers": "authorization"
          }
        })
      const allowedPreflight = yield* preflight("https://app.example.com")
      assert.strictEqual(allowedPreflight.headers.get("access-control-allow-origin"), "https://app.example.com")
      const allowed = allowedPreflight.headers.get("access-control-allow-headers")!.split(",").map((name) =>
        name.trim()
      )
      assert.includeMembers(allowed, ["authorization", "idempotency-key", "x-lang", "x-request-id"])
      assert.includeMembers(allowed, ["mcp-method", "mcp-name", "mcp-protocol-version"])
      assert.match(allowedPreflight.headers.get("x-request-id")!, /^[0-9a-f-]{36}$/)
      assert.strictEqual(allowedPreflight.headers.get("content-language"), "en")
      const unknown = yield* sendRequest("GET", "/nowhere", { headers: { origin: "https://app.example.com" } })
      assert.strictEqual(unknown.status, 404)
      assert.strictEqual(unknown.headers.get("access-control-allow-origin"), "https://app.example.com")
      assert.include(unknown.headers.get("access-control-expose-headers"), "tapeline-call-id")
      const foreignPreflight = yield* preflight("https://evil.example.com")
      assert.notStrictEqual(foreignPreflight.headers.get("access-control-allow-origin"), "https://evil.example.com")
    }))

  it.effect("accepts null for an optional argument, as a different request under an idempotency key", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const ask = (body: object, headers = {}) => sendRequest("POST", "/v1/tools/test_price", { key, body, headers })
      const response = yield* ask({ coin: "BTC", hours: null, mode: null }, { "idempotency-key": "null" })
      assert.strictEqual(response.status, 200, response.text)
      assert.deepStrictEqual(response.body.data, (yield* ask({ coin: "BTC" })).body.data)
      const repeatedCall = yield* ask({ coin: "BTC", hours: null, mode: null }, { "idempotency-key": "null" })
      assert.strictEqual(repeatedCall.headers.get("idempotent-replayed"), "true")
      const keyReusedProblem = yield* ask({ coin: "BTC" }, { "idempotency-key": "null" })
      assert.strictEqual(keyReusedProblem.body.code, "idempotency_key_reused")
      const rejection = yield* ask({ coin: null, mode: "middling" })
      assert.strictEqual(rejection.body.code, "invalid_arguments")
      assert.deepStrictEqual(issuePathsOf(rejection), [["coin"], ["mode"]])
      assert.include(rejection.body.issues[1].message, `one of "fast", "slow"`)
      assert.notInclude(rejection.body.issues[1].message, "null")
    }))

  it.effect("is not ready before it stops, and answers calls on connections that it closes", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const call = sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      assert.strictEqual((yield* call).headers.get("connection"), "keep-alive")
      yield* (yield* Draining).withdraw
      const readiness = yield* sendRequest("GET", "/readyz")
      assert.deepStrictEqual([readiness.status, readiness.body.code], [503, "unavailable"])
      assert.strictEqual(readiness.body.detail, "This process is not ready: it is shutting down.")
      assert.strictEqual((yield* sendRequest("GET", "/healthz")).status, 200)
      const answer = yield* call
      assert.deepStrictEqual([answer.status, answer.headers.get("connection")], [200, "close"])
      const preflight = yield* sendRequest("OPTIONS", "/v1/tools/test_price", {
        headers: { origin: "https://app.example.com", "access-control-request-method": "POST" }
      })
      assert.deepStrictEqual([preflight.status, preflight.headers.get("connection")], [204, "close"])
    }))

  it.effect("returns 503 to new calls while it stops", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      yield* (yield* Draining).begin
      const rejection = yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      assert.strictEqual(rejection.status, 503)
      assert.strictEqual(rejection.body.code, "unavailable")
      assert.strictEqual(rejection.headers.get("retry-after"), "1")
      assert.strictEqual(rejection.body.retry_after_seconds, 1)
    }))
})
