import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect } from "effect"
import { layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"
import { signInNewUser } from "./testSession.ts"

const sendAdmin = (method: string, path: string, body?: object, idempotencyKey?: string) =>
  sendRequest(method, `/admin/v1${path}`, {
    key: testAdminToken,
    ...(body === undefined ? {} : { body }),
    ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } })
  })

const callTool = (key: string) => sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })

layer(layerTestServer(), { excludeTestServices: true })("accounts of the admin API", (it) => {
  it.effect("are created with an external id and metadata, found by the external id, and changed field by field", () =>
    Effect.gen(function*() {
      const created = yield* sendAdmin("POST", "/accounts", {
        name: "Ada",
        plan: "pro",
        external_id: "customer-1",
        metadata: { region: "EU" }
      })
      assert.strictEqual(created.status, 200)
      assert.deepInclude(created.body, {
        name: "Ada",
        plan: "pro",
        external_id: "customer-1",
        metadata: { region: "EU" },
        status: "active",
        status_reason: null
      })
      const path = `/accounts/${created.body.id}`
      assert.deepStrictEqual((yield* sendAdmin("GET", path)).body, created.body)
      assert.deepStrictEqual(
        (yield* sendAdmin("GET", "/accounts?external_id=customer-1")).body,
        { accounts: [created.body], next_cursor: null }
      )
      assert.deepStrictEqual((yield* sendAdmin("GET", "/accounts?external_id=none")).body.accounts, [])
      const changed = yield* sendAdmin("PATCH", path, { name: "Ada L.", plan: "free", external_id: null })
      assert.deepStrictEqual(changed.body, { ...created.body, name: "Ada L.", plan: "free", external_id: null })
      assert.deepStrictEqual((yield* sendAdmin("GET", path)).body, changed.body)
      assert.strictEqual((yield* sendAdmin("GET", "/accounts/999999")).status, 404)
    }))

  it.effect("are rejected with an issue for each invalid field, and with 409 for a taken external id", () =>
    Effect.gen(function*() {
      const invalid = yield* sendAdmin("POST", "/accounts", {
        name: "Ada",
        plan: "pro",
        external_id: "",
        metadata: { "no spaces": "x", long: "y".repeat(501) },
        status: "closed"
      })
      assert.strictEqual(invalid.status, 400)
      const paths = invalid.body.issues.map(({ path }: { readonly path: ReadonlyArray<string> }) => path.join("."))
      assert.sameMembers([...new Set(paths)], ["external_id", "metadata.long", "metadata.no spaces", "status"])
      const unknownPlan = yield* sendAdmin("POST", "/accounts", { name: "Ada", plan: "gold" })
      assert.deepStrictEqual([unknownPlan.status, unknownPlan.body.issues[0].path], [400, ["plan"]])
      yield* sendAdmin("POST", "/accounts", { name: "Bob", plan: "pro", external_id: "taken" })
      const taken = yield* sendAdmin("POST", "/accounts", { name: "Eve", plan: "pro", external_id: "taken" })
      assert.deepStrictEqual([taken.status, taken.body.code], [409, "external_id_taken"])
      assert.include(taken.body.detail, "taken")
    }))

  it.effect("reject keys and sessions while they are suspended, and accept both again afterwards", () =>
    Effect.gen(function*() {
      const { account, key, ask } = yield* signInNewUser()
      const path = `/accounts/${account.id}`
      assert.strictEqual((yield* callTool(key)).status, 200)
      const suspended = yield* sendAdmin("PATCH", path, { status: "suspended", reason: "unpaid" })
      assert.deepInclude(suspended.body, { status: "suspended", status_reason: "unpaid" })
      for (const rejected of [yield* callTool(key), yield* ask("GET", "/v1/account"), yield* ask("GET", "/v1/usage")]) {
        assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "account_suspended"])
        assert.notInclude(rejected.text, "unpaid")
      }
      yield* sendAdmin("PATCH", path, { status: "active" })
      assert.strictEqual((yield* callTool(key)).status, 200)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 200)
    }))

  it.effect("lose all keys for ever when they are closed, and cannot be reactivated", () =>
    Effect.gen(function*() {
      const { account, key } = yield* createKeyedAccount()
      const path = `/accounts/${account.id}`
      assert.strictEqual((yield* sendAdmin("PATCH", path, { status: "closed" })).body.status, "closed")
      assert.strictEqual((yield* callTool(key)).body.code, "invalid_key")
      const reopened = yield* sendAdmin("PATCH", path, { status: "active" })
      assert.deepStrictEqual([reopened.status, reopened.body.code], [409, "account_closed"])
      const revoked = yield* sendAdmin("POST", `${path}/revoke-all`)
      assert.deepStrictEqual(revoked.body, { keys: 0, sessions: 0 })
    }))

  it.effect("can be revoked with all their keys and sessions in one request", () =>
    Effect.gen(function*() {
      const { account, key, ask } = yield* signInNewUser()
      const revoked = yield* sendAdmin("POST", `/accounts/${account.id}/revoke-all`)
      assert.deepStrictEqual(revoked.body, { keys: 1, sessions: 1 })
      assert.strictEqual((yield* callTool(key)).status, 401)
      assert.strictEqual((yield* ask("GET", "/v1/account")).status, 401)
    }))
})

layer(layerTestServer(), { excludeTestServices: true })("idempotency keys of the admin API", (it) => {
  it.effect("let a repeated change return the first response without a second change", () =>
    Effect.gen(function*() {
      const body = { name: "Once", plan: "pro" }
      const first = yield* sendAdmin("POST", "/accounts", body, "create-1")
      const second = yield* sendAdmin("POST", "/accounts", body, "create-1")
      assert.deepStrictEqual([second.status, second.body], [200, first.body])
      const { accounts } = (yield* sendAdmin("GET", "/accounts")).body
      assert.strictEqual(accounts.filter(({ name }: { readonly name: string }) => name === "Once").length, 1)
      const reused = yield* sendAdmin("POST", "/accounts", { ...body, name: "Twice" }, "create-1")
      assert.deepStrictEqual([reused.status, reused.body.code], [400, "idempotency_key_reused"])
      // A rejected change does not use up its idempotency key.
      assert.strictEqual((yield* sendAdmin("POST", "/accounts", { ...body, plan: "gold" }, "create-2")).status, 400)
      assert.strictEqual((yield* sendAdmin("POST", "/accounts", body, "create-2")).status, 200)
    }))

  it.effect("do not repeat an old change that a later change has replaced", () =>
    Effect.gen(function*() {
      const { account } = yield* createKeyedAccount()
      const path = `/accounts/${account.id}`
      yield* sendAdmin("PATCH", path, { status: "suspended" }, "suspend-1")
      yield* sendAdmin("PATCH", path, { status: "active" })
      assert.strictEqual((yield* sendAdmin("PATCH", path, { status: "suspended" }, "suspend-1")).status, 200)
      assert.strictEqual((yield* sendAdmin("GET", path)).body.status, "active")
    }))

  it.effect("return no secret twice", () =>
    Effect.gen(function*() {
      const { account } = yield* createKeyedAccount()
      const body = { name: "k", scopes: ["read:market"] }
      const issued = yield* sendAdmin("POST", `/accounts/${account.id}/keys`, body, "issue-1")
      assert.match(issued.body.key, /^tl_live_/)
      const repeated = yield* sendAdmin("POST", `/accounts/${account.id}/keys`, body, "issue-1")
      assert.deepStrictEqual([repeated.status, repeated.body.code], [409, "secret_returned"])
      assert.strictEqual((yield* sendAdmin("GET", `/accounts/${account.id}/keys`)).body.keys.length, 2)
      yield* sendAdmin("DELETE", `/keys/${issued.body.id}`, undefined, "revoke-1")
      assert.strictEqual((yield* sendAdmin("DELETE", `/keys/${issued.body.id}`, undefined, "revoke-1")).status, 204)
      const link = yield* sendAdmin("POST", `/accounts/${account.id}/links`, undefined, "link-1")
      assert.include(link.body.url, "tl_link_")
      const again = yield* sendAdmin("POST", `/accounts/${account.id}/links`, undefined, "link-1")
      assert.strictEqual(again.body.code, "secret_returned")
    }))

  it.effect("must be printable text of at most 128 characters", () =>
    Effect.gen(function*() {
      const rejected = yield* sendAdmin("POST", "/accounts", { name: "x", plan: "pro" }, "y".repeat(129))
      assert.deepStrictEqual([rejected.status, rejected.body.issues[0].path], [400, ["idempotency-key"]])
    }))
})

layer(layerTestServer(), { excludeTestServices: true })("events of the admin API", (it) => {
  it.effect("are returned with the newest event first, page by page", () =>
    Effect.gen(function*() {
      const { id } = (yield* sendAdmin("POST", "/accounts", { name: "Ada", plan: "pro" })).body
      for (const name of ["b", "c", "d"]) yield* sendAdmin("PATCH", `/accounts/${id}`, { name })
      const all = (yield* sendAdmin("GET", `/events?account=${id}`)).body.events
      const first = (yield* sendAdmin("GET", `/events?account=${id}&order=newest&limit=3`)).body
      assert.deepStrictEqual(first.events, all.toReversed().slice(0, 3))
      const last = (yield* sendAdmin("GET", `/events?account=${id}&order=newest&limit=3&cursor=${first.next_cursor}`))
        .body
      assert.deepStrictEqual(last, { events: [all[0]], next_cursor: null })
      assert.strictEqual((yield* sendAdmin("GET", "/events?order=random")).status, 400)
    }))

  it.effect("name the actor, the request and the changed fields, without secrets", () =>
    Effect.gen(function*() {
      const { id } = (yield* sendAdmin("POST", "/accounts", { name: "Ada", plan: "pro" })).body
      const changed = yield* sendAdmin("PATCH", `/accounts/${id}`, { plan: "free", metadata: { a: "1" } })
      const issued = yield* sendAdmin("POST", `/accounts/${id}/keys`, { name: "k", scopes: ["read:market"] })
      yield* sendAdmin("PATCH", `/keys/${issued.body.id}`, { scopes: ["read:us"] })
      yield* sendAdmin("PATCH", `/keys/${issued.body.id}`, { scopes: ["read:us"] })
      yield* sendAdmin("DELETE", `/keys/${issued.body.id}`)
      yield* sendAdmin("DELETE", `/keys/${issued.body.id}`)
      yield* sendAdmin("PATCH", `/accounts/${id}`, { status: "suspended", reason: "unpaid" })
      const list = yield* sendAdmin("GET", `/events?account=${id}`)
      const { events } = list.body
      assert.deepStrictEqual(events.map(({ type }: { readonly type: string }) => type), [
        "account.created",
        "account.updated",
        "key.issued",
        "key.updated",
        "key.revoked",
        "account.suspended"
      ])
      assert.deepInclude(events[1], {
        actor: "admin",
        account: id,
        target: null,
        before: { plan: "pro", metadata: {} },
        after: { plan: "free", metadata: { a: "1" } },
        request_id: changed.headers.get("x-request-id"),
        address: "127.0.0.1"
      })
      assert.deepInclude(events[3], {
        target: `key ${issued.body.id}`,
        before: { scopes: ["read:market"] },
        after: { scopes: ["read:us"] }
      })
      assert.deepStrictEqual(events[5].after, { status: "suspended", status_reason: "unpaid" })
      assert.notInclude(list.text, issued.body.key)
      const page = yield* sendAdmin("GET", `/events?account=${id}&limit=2&cursor=${events[0].id}`)
      assert.deepStrictEqual(page.body, { events: [events[1], events[2]], next_cursor: events[2].id })
      assert.deepStrictEqual((yield* sendAdmin("GET", `/events?account=${id}&type=key.revoked`)).body.events, [
        events[4]
      ])
      assert.deepStrictEqual(
        (yield* sendAdmin("GET", `/events?account=${id}&until=2020-01-01T00:00:00Z`)).body.events,
        []
      )
      assert.strictEqual((yield* sendAdmin("GET", "/events?type=unknown")).status, 400)
      assert.strictEqual((yield* sendRequest("GET", "/admin/v1/events")).status, 401)
    }))
})
