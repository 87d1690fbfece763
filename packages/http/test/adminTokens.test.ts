import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import {
  makeApi,
  RequiredAdminScope,
  servedAdminAccountDataApi,
  servedAdministrationApi,
  servedBackupsApi,
  servedLinksApi,
  servedWebhooksApi,
  withOpenApiDocument
} from "@tapeline/api"
import {
  AccountData,
  type AdminScope,
  AdminStore,
  AdminTokens,
  allAdminScopes,
  DatabaseBackups,
  generateAdminToken,
  layerEngine,
  Sessions,
  StoreUnavailable,
  Toolbox,
  UnknownAccount
} from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { Context, Effect, Layer, Metric, Option, Redacted, Stream } from "effect"
import { HttpApi, type HttpApiEndpoint, type HttpApiGroup, OpenApi } from "effect/http-api"
import { TestClock } from "effect/testing"
import { layerTestServer, sendRequest, testAdminToken } from "./testServer.ts"

const log: Array<string> = []

type Options = NonNullable<Parameters<typeof sendRequest>[2]>

const sendAdmin = (key: string, method: string, path: string, options: Options = {}) =>
  sendRequest(method, `/admin/v1${path}`, { ...options, key })

let count = 0

/** Creates an admin token with a new name, and returns the response. */
const createToken = (scopes: ReadonlyArray<string>, { by = testAdminToken, ...fields }: {
  readonly by?: string
  readonly name?: string
  readonly expires_at?: string
} = {}) => sendAdmin(by, "POST", "/tokens", { body: { name: `token-${++count}`, scopes, ...fields } })

const readTokens = Effect.map(sendAdmin(testAdminToken, "GET", "/tokens?limit=1000"), ({ body }) => body.tokens)

layer(layerTestServer(log))("admin tokens", (it) => {
  it.effect("are created once with their secret, listed without it, and rejected after their revocation", () =>
    Effect.gen(function*() {
      const created = yield* createToken(["read"], { name: "reports" })
      assert.strictEqual(created.status, 200)
      assert.match(created.body.token, /^tl_admin_[0-9A-Za-z]{38}$/)
      const { token, ...fields } = created.body
      assert.deepInclude(fields, { name: "reports", scopes: ["read"], created_by: "admin", expires_at: null })
      const list = yield* sendAdmin(token, "GET", "/tokens")
      const { last_used_at, ...listed } = list.body.tokens.find(({ id }: { readonly id: number }) => id === fields.id)
      assert.deepStrictEqual(listed, { ...fields, revoked_at: null })
      assert.isNotNull(last_used_at)
      assert.notInclude(list.text, token)
      const path = `/tokens/${fields.id}`
      assert.strictEqual((yield* sendAdmin(testAdminToken, "DELETE", path)).status, 204)
      assert.strictEqual((yield* sendAdmin(testAdminToken, "DELETE", path)).status, 204)
      const rejected = yield* sendAdmin(token, "GET", "/tokens")
      assert.deepStrictEqual([rejected.status, rejected.body.code], [401, "invalid_key"])
      assert.strictEqual((yield* sendAdmin(testAdminToken, "DELETE", "/tokens/99999")).status, 404)
      assert.notInclude(log.join("\n"), token)
    }))

  it.effect("are rejected from their expiry on, by the store's clock", () =>
    Effect.gen(function*() {
      const { token } = (yield* createToken(["read"], { expires_at: "1970-01-01T00:10:00Z" })).body
      assert.strictEqual((yield* sendAdmin(token, "GET", "/tokens")).status, 200)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* sendAdmin(token, "GET", "/tokens")).status, 401)
      const late = yield* createToken(["read"], { expires_at: "1970-01-01T00:00:00Z" })
      assert.deepStrictEqual([late.status, late.body.issues[0].path], [400, ["expires_at"]])
    }))

  it.effect("record their last use at most once a minute", () =>
    Effect.gen(function*() {
      const { id, token } = (yield* createToken(["read"])).body
      const lastUse = Effect.map(sendAdmin(token, "GET", "/tokens?limit=1000"), ({ body }) =>
        Date.parse(body.tokens.find((one: { readonly id: number }) => one.id === id).last_used_at))
      const first = yield* lastUse
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* lastUse, first)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* lastUse, first + 60_000)
    }))

  it.effect("have unique names while they are valid, and at least one scope", () =>
    Effect.gen(function*() {
      const first = yield* createToken(["read"], { name: "unique" })
      const taken = yield* createToken(["read"], { name: "unique" })
      assert.deepStrictEqual([taken.status, taken.body.code], [409, "admin_token_name_taken"])
      assert.include(taken.body.detail, "unique")
      yield* sendAdmin(testAdminToken, "DELETE", `/tokens/${first.body.id}`)
      assert.strictEqual((yield* createToken(["read"], { name: "unique" })).status, 200)
      for (const scopes of [[], ["all"], ["read", "read"]]) {
        assert.strictEqual((yield* createToken(scopes)).body.code, "invalid_arguments")
      }
    }))

  it.effect("return no secret twice for one idempotency key", () =>
    Effect.gen(function*() {
      const options = { body: { name: "once", scopes: ["keys"] }, headers: { "idempotency-key": "token-1" } }
      const created = yield* sendAdmin(testAdminToken, "POST", "/tokens", options)
      const repeated = yield* sendAdmin(testAdminToken, "POST", "/tokens", options)
      assert.deepStrictEqual([repeated.status, repeated.body.code], [409, "secret_returned"])
      const named = (yield* readTokens).filter(({ name }: { readonly name: string }) => name === "once")
      assert.strictEqual(named.length, 1)
      const remove = { headers: { "idempotency-key": "token-2" } }
      for (const _ of [1, 2]) {
        const removed = yield* sendAdmin(created.body.token, "DELETE", `/tokens/${named[0].id}`, remove)
        // After the token has revoked itself, a repeated request is not authenticated.
        assert.strictEqual(removed.status, _ === 1 ? 204 : 401)
      }
    }))

  it.effect("are the actors of events, and their creation and revocation are events", () =>
    Effect.gen(function*() {
      const since = (yield* sendAdmin(testAdminToken, "GET", "/events?limit=1000")).body.events.length
      const { id, name, token } = (yield* createToken(["write", "keys"], { name: "operations" })).body
      yield* sendAdmin(token, "POST", "/accounts", { body: { name: "made by a token", plan: "free" } })
      const other = (yield* createToken(["keys"], { by: token, expires_at: "2030-01-01T00:00:00Z" })).body
      yield* sendAdmin(token, "DELETE", `/tokens/${other.id}`)
      const list = yield* sendAdmin(testAdminToken, "GET", "/events?limit=1000")
      const events = list.body.events.slice(since)
      assert.deepStrictEqual(events.map((event: Record<string, unknown>) => [event["type"], event["actor"]]), [
        ["admin_token.created", "admin"],
        ["account.created", `admin:${name}`],
        ["admin_token.created", `admin:${name}`],
        ["admin_token.revoked", `admin:${name}`]
      ])
      assert.deepInclude(events[0], {
        account: null,
        target: `admin token ${id}`,
        before: null,
        after: { name, scopes: ["write", "keys"], expires_at: null }
      })
      const described = { name: other.name, scopes: ["keys"], expires_at: "2030-01-01T00:00:00.000Z" }
      assert.deepInclude(events[3], { target: `admin token ${other.id}`, before: described, after: null })
      assert.notInclude(list.text, token)
    }))

  it.effect("create only tokens with scopes that they have", () =>
    Effect.gen(function*() {
      const { token } = (yield* createToken(["keys", "read"])).body
      const allowed = yield* createToken(["read"], { by: token })
      assert.strictEqual(allowed.status, 200)
      const before = yield* readTokens
      for (const scopes of [["write"], ["read", "metrics"], [...allAdminScopes]]) {
        const rejected = yield* createToken(scopes, { by: token })
        assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "admin_scope_required"])
        assert.include(scopes, rejected.body.required_scope)
      }
      assert.strictEqual((yield* readTokens).length, before.length)
    }))
})

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly scope: string | undefined
}

const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) => {
  const endpoints: Array<Endpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint }: { readonly endpoint: HttpApiEndpoint.Top }) =>
      void endpoints.push({
        method: endpoint.method,
        path: endpoint.path,
        scope: Option.getOrUndefined(Context.getOption(endpoint.annotations, RequiredAdminScope))
      })
  })
  return endpoints
}

const adminEndpoints = [
  ...endpointsOf(servedAdministrationApi),
  ...endpointsOf(servedLinksApi),
  ...endpointsOf(servedWebhooksApi),
  ...endpointsOf(servedAdminAccountDataApi),
  ...endpointsOf(servedBackupsApi)
]

/** Fails exports and erasures as if no account existed, because the tests only check who may request them. */
const noAccountData = Layer.succeed(AccountData, {
  export: (account) => Effect.fail(new UnknownAccount({ account })),
  erase: (account) => Effect.fail(new UnknownAccount({ account })),
  erasure: () => Effect.succeed(null)
})

const emptyBackups = Layer.succeed(DatabaseBackups, { start: Effect.succeed(Stream.empty) })
const optionalServices = Layer.merge(noAccountData, emptyBackups)

layer(layerTestServer([], {}, { corsOrigins: [] }, optionalServices), { excludeTestServices: true })(
  "the scopes of admin tokens",
  (it) => {
    it("are declared by every admin endpoint, and fit the method of the endpoint", () => {
      const document = OpenApi.fromApi(withOpenApiDocument(makeApi([])))
      assert.isAbove(adminEndpoints.length, 10)
      for (const { method, path, scope } of adminEndpoints) {
        const expected = path === "/metrics"
          ? ["metrics"]
          : method === "GET"
          ? ["read", "personal", "backup"]
          : ["write", "keys", "personal"]
        assert.include(expected, scope, `${method} ${path}`)
        const item: Record<string, unknown> = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]!
        assert.deepInclude(item[method.toLowerCase()], { "x-admin-scope": scope }, `${method} ${path}`)
      }
      const adminPaths = Object.keys(document.paths).filter((path) => path.startsWith("/admin/") || path === "/metrics")
      assert.sameMembers(adminPaths, [...new Set(adminEndpoints.map(({ path }) => path.replaceAll(/:(\w+)/g, "{$1}")))])
    })

    it.effect("are required by every endpoint: a token without the scope reads and changes nothing", () =>
      Effect.gen(function*() {
        const { account, record } = yield* createKeyedAccount()
        const tokens = new Map<string, string>()
        for (const scope of allAdminScopes) tokens.set(scope, (yield* createToken([scope])).body.token)
        for (const scope of allAdminScopes) {
          const others = allAdminScopes.filter((other) => other !== scope)
          tokens.set(`all but ${scope}`, (yield* createToken(others)).body.token)
        }
        const state = yield* MemoryState
        const snapshot = () =>
          JSON.stringify([[...state.accounts], [...state.keys], state.events, state.adminTokens.size])
        const before = snapshot()
        const ids: Record<string, number> = { accounts: account.id, keys: record.id }
        for (const { method, path, scope } of adminEndpoints) {
          const target = path.replaceAll(/\/(\w+)\/:\w+/g, (_, kind: string) => `/${kind}/${ids[kind] ?? 1}`)
          for (const [scopes, token] of tokens) {
            const isPermitted = scopes.startsWith("all but ") ? scopes !== `all but ${scope}` : scopes === scope
            if (isPermitted) continue
            const body = method === "GET" || method === "DELETE"
              ? {}
              : { body: { name: "x", plan: "free", scopes: ["read"] } }
            const rejected = yield* sendRequest(method, target, { key: token, ...body })
            const where = `${method} ${path} with ${scopes}`
            assert.deepStrictEqual([rejected.status, rejected.body.code], [403, "admin_scope_required"], where)
            assert.strictEqual(rejected.body.required_scope, scope, where)
            assert.include(rejected.body.detail, scope, where)
          }
        }
        assert.strictEqual(snapshot(), before)
        // A token with only the scope of an endpoint passes the check of the scope. No record has the id 2147483647.
        for (const { method, path, scope } of adminEndpoints) {
          const target = path.replaceAll(/:\w+/g, "2147483647")
          const admitted = yield* sendRequest(method, target, { key: tokens.get(scope!)! })
          assert.include([200, 400, 404], admitted.status, `${method} ${path}`)
        }
      }))
  }
)

const outage = { isActive: false }

const layerStoreWithOutage = Layer.effect(
  AdminStore,
  Effect.map(AdminStore, (store) => ({
    ...store,
    findTokens: (...input: Parameters<typeof store.findTokens>) =>
      outage.isActive
        ? Effect.fail(new StoreUnavailable({ store: "AdminStore", cause: new Error("down") }))
        : store.findTokens(...input)
  }))
)

/** A server behind one proxy, with its own metrics, and without the token of the configuration. */
const layerNamedTokensOnly = serve(layerRoutes({ corsOrigins: [], trustedProxies: 1 })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(() => makeNodeServer(), { host: "127.0.0.1", port: 0 })),
  Layer.provide(Layer.succeed(AdminToken, null)),
  Layer.provide(Layer.succeed(Readiness, { check: Effect.void })),
  Layer.provideMerge(Draining.layer),
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(layerEngine({ toolbox: Toolbox.layer([]) }).pipe(Layer.provide(layerStoreWithOutage))),
  Layer.provideMerge(MemoryStores),
  Layer.provideMerge(Layer.succeed(Metric.MetricRegistry, new Map()))
)

const scrapeAs = (key: string | undefined, address: string) =>
  sendRequest("GET", "/metrics", {
    ...(key === undefined ? {} : { key }),
    headers: { "x-forwarded-for": address }
  })

const statusesOf = (times: number, key: string | undefined, address: string) =>
  Effect.map(Effect.replicateEffect(scrapeAs(key, address), times), (all) => all.map(({ status }) => status))

const unknownToken = generateAdminToken()

layer(layerNamedTokensOnly)("admin tokens without the token of the configuration", (it) => {
  const createScraper = Effect.gen(function*() {
    const tokens = yield* AdminTokens
    const name = `token-${++count}`
    const { token } = yield* tokens.create({ name, scopes: ["metrics"], expiresAt: null, creatorScopes: ["metrics"] })
    return Redacted.value(token)
  })

  it.effect("accept only named tokens", () =>
    Effect.gen(function*() {
      for (const other of ["null", testAdminToken, unknownToken]) {
        assert.strictEqual((yield* scrapeAs(other, "198.51.100.9")).body.code, "invalid_key")
      }
      assert.strictEqual((yield* scrapeAs(yield* createScraper, "198.51.100.9")).status, 200)
    }))

  it.effect("limit wrong tokens to ten per address in five minutes, and never limit valid tokens", () =>
    Effect.gen(function*() {
      const address = "198.51.100.1"
      const valid = yield* createScraper
      assert.deepStrictEqual(yield* statusesOf(20, undefined, address), Array.from({ length: 20 }, () => 401))
      assert.deepStrictEqual(yield* statusesOf(20, valid, address), Array.from({ length: 20 }, () => 200))
      assert.deepStrictEqual(yield* statusesOf(5, "wrong", address), Array.from({ length: 5 }, () => 401))
      assert.deepStrictEqual(yield* statusesOf(7, unknownToken, address), [401, 401, 401, 401, 401, 429, 429])
      const limited = yield* scrapeAs(unknownToken, address)
      assert.deepStrictEqual([limited.body.code, limited.headers.get("retry-after")], ["too_many_attempts", "300"])
      assert.deepStrictEqual(yield* statusesOf(2, valid, address), [200, 200])
      assert.deepStrictEqual(yield* statusesOf(1, unknownToken, "198.51.100.2"), [401])
      const { text } = yield* scrapeAs(valid, address)
      // The number includes the three wrong tokens that the previous test sent.
      assert.match(text, /^tapeline_admin_failed_attempts 17$/m)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* statusesOf(1, unknownToken, address), [401])
    }))

  it.effect("read only the metrics, for five minutes after their last use, while the store is unavailable", () =>
    Effect.gen(function*() {
      const address = "198.51.100.4"
      const tokens = yield* AdminTokens
      const create = (scopes: ReadonlyArray<AdminScope>, expiresAt: number | null = null) =>
        Effect.map(
          tokens.create({ name: `token-${++count}`, scopes, expiresAt, creatorScopes: allAdminScopes }),
          ({ record, token }) => ({ id: record.id, text: Redacted.value(token) })
        )
      const scraper = yield* create(["metrics", "read"])
      const revoked = yield* create(["metrics"])
      const expiring = yield* create(
        ["metrics"],
        (yield* Effect.clockWith(({ currentTimeMillis }) => currentTimeMillis)) + 30_000
      )
      const reader = yield* create(["read"])
      const all = [scraper, revoked, expiring, reader]
      const statuses = Effect.forEach(all, ({ text }) => Effect.map(scrapeAs(text, address), ({ status }) => status))
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 403])
      yield* tokens.revoke(revoked.id)
      assert.deepStrictEqual(yield* statuses, [200, 401, 200, 403])
      yield* TestClock.adjust("1 minute")
      outage.isActive = true
      assert.deepStrictEqual(yield* statuses, [200, 503, 503, 503])
      assert.strictEqual((yield* sendAdmin(scraper.text, "GET", "/accounts")).status, 503)
      yield* TestClock.adjust("239 seconds")
      assert.deepStrictEqual(yield* statuses, [200, 503, 503, 503])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* statuses, [503, 503, 503, 503])
      outage.isActive = false
      assert.deepStrictEqual(yield* statuses, [200, 401, 401, 403])
    }))

  it.effect("get a 503 that does not count as a wrong token while the store is unavailable", () =>
    Effect.gen(function*() {
      const valid = yield* createScraper
      outage.isActive = true
      assert.deepStrictEqual(yield* statusesOf(12, valid, "198.51.100.3"), Array.from({ length: 12 }, () => 503))
      outage.isActive = false
      assert.deepStrictEqual(yield* statusesOf(1, unknownToken, "198.51.100.3"), [401])
      assert.deepStrictEqual(yield* statusesOf(1, valid, "198.51.100.3"), [200])
    }))
})
