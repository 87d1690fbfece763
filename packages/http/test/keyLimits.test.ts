import { assert, layer } from "@effect/vitest"
import { Administration, Ledger } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerAgentServer } from "./agentServer.ts"
import { issuePathsOf, layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

const model = new ScriptedModel(() => [textPart("BTC is up.")])

const sendAdmin = (method: string, path: string, body?: object, idempotencyKey?: string) =>
  sendRequest(method, `/admin/v1${path}`, {
    key: testAdminToken,
    ...(body === undefined ? {} : { body }),
    ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } })
  })

const callTool = (key: string, headers: Record<string, string> = {}) =>
  sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" }, headers })

const callMcp = (key: string) =>
  sendRequest("POST", "/mcp", {
    key,
    headers: { accept: "application/json, text/event-stream" },
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "test_price", arguments: { coin: "BTC" } }
    }
  })

const limitKey = (id: number, body: object) => sendAdmin("PATCH", `/keys/${id}`, body)

layer(layerAgentServer(model.layer))("the monthly credits of a key", (it) => {
  it.effect("reject calls, answers and MCP calls with 402 key_over_limit, in three languages", () =>
    Effect.gen(function*() {
      const { account, key, record } = yield* createKeyedAccount()
      const price = (yield* callTool(key)).body.credits_used
      const limited = yield* limitKey(record.id, { monthly_credits: 2 * price })
      assert.deepInclude(limited.body, { monthly_credits: 2 * price, credits_used: price })
      const last = yield* callTool(key)
      assert.deepStrictEqual([last.status, last.body.credits_left], [200, 0])
      const rejected = yield* callTool(key)
      assert.deepStrictEqual([rejected.status, rejected.body.code], [402, "key_over_limit"])
      assert.deepInclude(rejected.body, { price, credits_left: 0, monthly_credits: 2 * price })
      assert.deepStrictEqual(
        rejected.body.ways_forward.map(({ action }: { readonly action: string }) => action),
        ["raise_key_limit", "use_another_key", "wait"]
      )
      assert.include(rejected.body.detail, "Raise the key's limit")
      for (const [language, text] of [["ko", "한도를 올리거나"], ["ru", "Увеличьте лимит"]] as const) {
        assert.include((yield* callTool(key, { "x-lang": language })).body.detail, text)
      }
      const answer = yield* sendRequest("POST", "/v1/agent/messages", { key, body: { message: "How is BTC?" } })
      assert.deepStrictEqual([answer.status, answer.body.code], [402, "key_over_limit"])
      assert.include((yield* callMcp(key)).text, "The API key has used its own monthly credits")
      // The account still has credits, which another key can use.
      const other = yield* sendAdmin("POST", `/accounts/${account.id}/keys`, { name: "b", scopes: ["read:market"] })
      assert.strictEqual((yield* callTool(other.body.key)).status, 200)
      yield* limitKey(record.id, { monthly_credits: null })
      assert.strictEqual((yield* callTool(key)).status, 200)
      assert.strictEqual((yield* (yield* Ledger).balance(account.id))?.used, 4 * price)
    }))

  it.effect("are part of the usage and the quote of the key", () =>
    Effect.gen(function*() {
      const { key, record } = yield* createKeyedAccount()
      assert.isNull((yield* sendRequest("GET", "/v1/usage", { key })).body.key)
      yield* limitKey(record.id, { monthly_credits: 5 })
      const { credits_used } = (yield* callTool(key)).body
      const usage = (yield* sendRequest("GET", "/v1/usage", { key })).body
      assert.deepStrictEqual(usage.key, {
        monthly_credits: 5,
        used: credits_used,
        reserved: 0,
        left: 5 - credits_used
      })
      const calls = [{ name: "test_price", count: 5 }]
      const quote = yield* sendRequest("POST", "/v1/quote", { key, body: { calls } })
      assert.deepInclude(quote.body, { credits_left: 5 - credits_used, affordable: false })
    }))

  it.effect("do not reject a repeated call, and charge it nothing", () =>
    Effect.gen(function*() {
      const { key, record } = yield* createKeyedAccount()
      const headers = { "idempotency-key": "again" }
      const first = yield* callTool(key, headers)
      yield* limitKey(record.id, { monthly_credits: 0 })
      const again = yield* callTool(key, headers)
      assert.deepStrictEqual([again.status, again.body.data], [200, first.body.data])
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* callTool(key)).status, 402)
    }))
})

layer(layerTestServer([], {}, { corsOrigins: [], trustedProxies: 1 }))("the addresses of a key", (it) => {
  const from = (address: string) => ({ "x-forwarded-for": address })

  it.effect("reject other addresses with 403, and accept IPv4 and IPv6 addresses of the ranges", () =>
    Effect.gen(function*() {
      const { key, record } = yield* createKeyedAccount()
      const ranges = ["203.0.113.0/24", "2001:DB8::/32", "198.51.100.7"]
      const limited = yield* limitKey(record.id, { allowed_ips: ranges })
      assert.deepStrictEqual(limited.body.allowed_ips, ["203.0.113.0/24", "2001:db8::/32", "198.51.100.7/32"])
      for (const address of ["203.0.113.9", "::ffff:203.0.113.9", "2001:db8:1:2:3:4:5:6", "198.51.100.7"]) {
        assert.strictEqual((yield* callTool(key, from(address))).status, 200, address)
      }
      for (const address of ["203.0.114.9", "2001:db9::1", "198.51.100.8", "203.0.113.9, 192.0.2.1"]) {
        const rejected = yield* callTool(key, from(address))
        assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "address_not_allowed"], address)
        // The response does not help an attacker to find an address that is allowed.
        assert.notInclude(rejected.text, "203.0.113")
      }
      // If the header of the proxy is missing, the address of the connection is the client's address.
      assert.strictEqual((yield* callTool(key)).status, 403)
      assert.strictEqual((yield* callMcp(key)).status, 403)
      yield* limitKey(record.id, { allowed_ips: [] })
      assert.strictEqual((yield* callTool(key)).status, 200)
    }))

  it.effect("are rejected with an issue for each wrong range, and above 50 ranges", () =>
    Effect.gen(function*() {
      const { record } = yield* createKeyedAccount()
      const wrong = yield* limitKey(record.id, { allowed_ips: ["10.0.0.1/8", "10.0.0.0/8", "example.com"] })
      assert.strictEqual(wrong.status, 400)
      assert.deepStrictEqual(issuePathsOf(wrong), [["allowed_ips", 0], ["allowed_ips", 2]])
      assert.include(wrong.text, "without host bits")
      const many = Array.from({ length: 51 }, (_, i) => `10.0.0.${i}`)
      assert.strictEqual((yield* limitKey(record.id, { allowed_ips: many })).status, 400)
      const most = yield* limitKey(record.id, { allowed_ips: many.slice(1) })
      assert.deepStrictEqual([most.status, most.body.allowed_ips.length], [200, 50])
      for (const body of [{ monthly_credits: -1 }, { monthly_credits: 1.5 }, { requests_per_minute: 0 }]) {
        assert.strictEqual((yield* limitKey(record.id, body)).status, 400)
      }
    }))
})

layer(layerTestServer(), { excludeTestServices: false })("the requests per minute of a key", (it) => {
  it.effect("reject further requests of the key with 429, and no requests of other keys", () =>
    Effect.gen(function*() {
      const { account, key, record } = yield* createKeyedAccount()
      yield* limitKey(record.id, { requests_per_minute: 2 })
      const first = yield* callTool(key)
      const headersOf = ({ headers }: typeof first) =>
        ["ratelimit-limit", "ratelimit-remaining"].map((name) => headers.get(name))
      assert.deepStrictEqual([first.status, headersOf(first)], [200, ["2", "1"]])
      assert.strictEqual((yield* callTool(key)).status, 200)
      const rejected = yield* callTool(key)
      assert.deepStrictEqual([rejected.status, rejected.body.code, headersOf(rejected)], [429, "rate_limited", [
        "2",
        "0"
      ]])
      const other = yield* sendAdmin("POST", `/accounts/${account.id}/keys`, { name: "b", scopes: ["read:market"] })
      // The rejected request does not count towards the limit of the account.
      assert.strictEqual((yield* callTool(other.body.key)).headers.get("ratelimit-remaining"), "99997")
      // The successor of a key shares its limit.
      const rotated = yield* sendAdmin("POST", `/keys/${record.id}/rotate`, {})
      assert.strictEqual((yield* callTool(rotated.body.key)).status, 429)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* callTool(rotated.body.key)).status, 200)
    }))
})

layer(layerTestServer())("the rotation of a key", (it) => {
  it.effect("issues a successor with the same limits, once for an idempotency key, and ends the key after the overlap", () =>
    Effect.gen(function*() {
      const { account, key, record } = yield* createKeyedAccount({ plan: "free" })
      yield* limitKey(record.id, { monthly_credits: 500, allowed_ips: ["127.0.0.0/8"] })
      const path = `/keys/${record.id}/rotate`
      const rotated = yield* sendAdmin("POST", path, { overlap_seconds: 60 }, "rotate-1")
      assert.strictEqual(rotated.status, 200)
      const { body } = rotated
      assert.deepInclude(body, { name: record.name, monthly_credits: 500, allowed_ips: ["127.0.0.0/8"] })
      assert.strictEqual(body.previous.id, record.id)
      const repeated = yield* sendAdmin("POST", path, { overlap_seconds: 60 }, "rotate-1")
      assert.deepStrictEqual([repeated.status, repeated.body.code], [409, "secret_returned"])
      const again = yield* sendAdmin("POST", path, {})
      assert.deepInclude(again.body, { code: "rotation_running", key: body.id })
      for (const one of [key, body.key]) assert.strictEqual((yield* callTool(one)).status, 200)
      const { keys } = (yield* sendAdmin("GET", `/accounts/${account.id}/keys`)).body
      assert.deepStrictEqual(
        keys.map((one: Record<string, unknown>) => [one["id"], one["first_key"], one["credits_used"]]),
        [[record.id, record.id, 2], [body.id, record.id, 2]]
      )
      const { events } = (yield* sendAdmin("GET", `/events?account=${account.id}&type=key.rotated`)).body
      assert.strictEqual(events.length, 1)
      assert.deepInclude(events[0], { actor: "admin", target: `key ${record.id}` })
      assert.deepInclude(events[0].after, { successor: body.id, monthly_credits: 500 })
      assert.notInclude(JSON.stringify(events), body.key)
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* callTool(key)).status, 401)
      assert.strictEqual((yield* callTool(body.key)).status, 200)
      const ended = yield* sendAdmin("POST", path, {})
      assert.deepStrictEqual([ended.status, ended.body.code], [409, "key_ended"])
      assert.strictEqual((yield* sendAdmin("POST", `/keys/${body.id}/rotate`, { overlap_seconds: -1 })).status, 400)
      assert.strictEqual((yield* sendAdmin("POST", "/keys/999999/rotate", {})).status, 404)
    }))

  it.effect("stops a key at once without an overlap", () =>
    Effect.gen(function*() {
      const { key, record } = yield* createKeyedAccount()
      assert.strictEqual((yield* callTool(key)).status, 200)
      const { body } = yield* sendAdmin("POST", `/keys/${record.id}/rotate`, { overlap_seconds: 0 })
      assert.strictEqual((yield* callTool(key)).status, 401)
      assert.strictEqual((yield* callTool(body.key)).status, 200)
    }))

  it.effect("needs a recent sign-in of the user, like a change of limits, and rejects API keys", () =>
    Effect.gen(function*() {
      const { ask, key, record } = yield* signInNewUser()
      const path = `/v1/account/keys/${record.id}`
      const changed = yield* ask("PATCH", path, { body: { monthly_credits: 9, requests_per_minute: 50 } })
      assert.deepInclude(changed.body, { monthly_credits: 9, requests_per_minute: 50, credits_used: 0 })
      const rotated = yield* ask("POST", `${path}/rotate`, { body: {} })
      assert.deepInclude(rotated.body, { monthly_credits: 9, requests_per_minute: 50 })
      for (
        const [method, one, body] of [["PATCH", path, { monthly_credits: null }], [
          "POST",
          `${path}/rotate`,
          {}
        ]] as const
      ) {
        assert.strictEqual((yield* sendRequest(method, one, { key, body })).status, 401)
      }
      const issued = yield* ask("POST", "/v1/account/keys", {
        body: { name: "small", scopes: ["read:market"], monthly_credits: 3, allowed_ips: ["192.0.2.1"] }
      })
      assert.deepInclude(issued.body, { monthly_credits: 3, allowed_ips: ["192.0.2.1/32"] })
      assert.strictEqual((yield* callTool(issued.body.key)).status, 403)
      yield* TestClock.adjust("11 minutes")
      for (
        const [method, one, body] of [["PATCH", path, { monthly_credits: 5 }], ["POST", `${path}/rotate`, {}]] as const
      ) {
        const rejected = yield* ask(method, one, { body })
        assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "sign_in_again"])
      }
      const other = yield* signInNewUser()
      assert.strictEqual((yield* other.ask("POST", `${path}/rotate`, { body: {} })).status, 404)
      const stored = yield* (yield* Administration).keyOf(record.account, record.id)
      assert.strictEqual(stored.monthlyCredits, 9)
    }))
})
