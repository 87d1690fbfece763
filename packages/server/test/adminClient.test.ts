import { assert, describe, it } from "@effect/vitest"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { withAdminClient } from "../src/adminClient.ts"
import { adminTokenFile } from "../src/adminToken.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/process.ts"
import { callGetPrice, sendRequest } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"

const makesLinks = Effect.fnUntraced(
  function*(set: Parameters<typeof withAdminClient>[0], server: ServerProcess, id: number) {
    const links = yield* Effect.replicateEffect(
      withAdminClient(set, (client) => client.createLink({ params: { id }, headers: {} })),
      2
    )
    const form = new RegExp(`^${server.address}/app/sign-in#tl_link_[0-9A-Za-z]{38}$`)
    for (const { expires_at, url } of links) {
      assert.match(url, form)
      const minutes = (Date.parse(expires_at) - Date.now()) / 60_000
      assert.isTrue(minutes > 10 && minutes < 20, expires_at)
      assert.notInclude(server.stdout() + server.stderr(), url.split("#")[1]!)
    }
    assert.notStrictEqual(links[0]!.url, links[1]!.url)
    const linkUnknownAccount = withAdminClient(set, (client) => client.createLink({ params: { id: 999 }, headers: {} }))
    assert.match((yield* Effect.flip(linkUnknownAccount)).message, /^404: .*999/)
  }
)

describe("The command line's client of the admin API", () => {
  // The tests of `packages/http` check the admin API over HTTP in every run.
  it.live.runIf(isFullRun)(
    "manages accounts, keys and sign-in links with pagination, and reports what to change",
    () =>
      Effect.gen(function*() {
        const database = yield* makePglite()
        const plans = {
          TAPELINE_PLANS: `{"narrow":{"monthly_credits":9,"keys":1,"requests_per_minute":9,"answers_per_day":1}}`
        }
        const server = yield* startServer({ ...database.environment, ...plans })
        const set = {
          TAPELINE_URL: `${server.address}/`,
          TAPELINE_ADMIN_TOKEN: "",
          TAPELINE_DATA_DIR: database.environment["TAPELINE_DATA_DIR"]
        }
        const createdAccounts = yield* Effect.forEach(
          ["a", "b", "c"],
          (name) =>
            withAdminClient(set, (client) => client.createAccount({ headers: {}, payload: { name, plan: "narrow" } }))
        )
        const first = yield* withAdminClient(set, (client) => client.accounts({ query: { limit: 2 } }))
        assert.deepStrictEqual(first.accounts.map(({ name }) => name), ["demo", "a"])
        assert.strictEqual(first.next_cursor, createdAccounts[0]!.id)
        const rest = yield* withAdminClient(
          set,
          (client) => client.accounts({ query: { cursor: createdAccounts[0]!.id, limit: 2 } })
        )
        assert.deepStrictEqual(rest, { accounts: [createdAccounts[1]!, createdAccounts[2]!], next_cursor: null })

        const params = { id: createdAccounts[0]!.id }
        const issue = withAdminClient(
          set,
          (client) => client.issueKey({ params, headers: {}, payload: { name: "k", scopes: ["read:market"] } })
        )
        const issued = yield* issue
        assert.strictEqual((yield* callGetPrice(server, issued.key)).status, 200)
        assert.match((yield* Effect.flip(issue)).message, /^409: /)
        const listed = yield* withAdminClient(set, (client) => client.keys({ params, query: {} }))
        assert.deepStrictEqual([listed.keys.map(({ id }) => id), listed.next_cursor], [[issued.id], null])
        yield* withAdminClient(set, (client) => client.revokeKey({ params: { id: issued.id }, headers: {} }))
        assert.strictEqual((yield* callGetPrice(server, issued.key)).status, 401)

        const unknownPlanError = yield* Effect.flip(
          withAdminClient(set, (client) => client.changeAccount({ params, headers: {}, payload: { plan: "gold" } }))
        )
        assert.match(unknownPlanError.message, /^400: .*gold/)
        assert.strictEqual((yield* sendRequest(server, "GET", "/admin/v1/accounts")).status, 401)
        const foreignTokenError = yield* Effect.flip(
          withAdminClient(
            { ...set, TAPELINE_ADMIN_TOKEN: "a-token-of-somebody-else" },
            (client) => client.accounts({ query: {} })
          )
        )
        assert.match(foreignTokenError.message, /^401: /)

        yield* makesLinks(set, server, params.id)

        // At its start, the server reports an account whose plan is not configured. Calls of the account fail and name
        // the plan.
        const key = yield* withAdminClient(
          set,
          (client) => client.issueKey({ params, headers: {}, payload: { name: "k", scopes: ["read:market"] } })
        )
        yield* server.kill
        const later = yield* startServer(database.environment)
        assert.deepStrictEqual([later.demoKey, later.link], [undefined, undefined])
        assert.notInclude(later.stdout(), "tl_live_")
        assert.include(later.stderr(), `The plan \\"narrow\\" is not configured on this node, but accounts use it: 3`)
        const rejection = yield* callGetPrice(later, key.key)
        assert.deepStrictEqual([rejection.status, rejection.body.code], [503, "unavailable"])
        assert.include(rejection.body.detail, "narrow")
        assert.strictEqual(rejection.headers.get("retry-after"), "30")
      })
  )

  it.live("reports a missing token and an unreachable server", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      const list = (set: Readonly<Record<string, string>>) =>
        Effect.map(
          Effect.flip(withAdminClient(set, (client) => client.accounts({ query: {} }))),
          ({ message }) => message
        )
      const set = { TAPELINE_URL: "http://127.0.0.1:1", TAPELINE_DATA_DIR: dir }
      assert.include(yield* list(set), "TAPELINE_ADMIN_TOKEN")
      writeFileSync(adminTokenFile(dir), "long-enough-a-token\n")
      assert.include(yield* list(set), "TAPELINE_URL")
    }))
})
