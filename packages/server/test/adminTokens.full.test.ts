import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { runCli } from "./support/cli.ts"
import { type ServerProcess, startServer } from "./support/process.ts"
import { adminToken, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres } from "./support/testDatabases.ts"

/** Returns the output of a command. */
const printed = (server: ServerProcess, token: string, ...args: ReadonlyArray<string>) =>
  Effect.map(runCli(server, token)(...args), ({ stdout }) => stdout)

const scrape = (server: ServerProcess, key: string) =>
  Effect.map(sendRequest(server, "GET", "/metrics", { key }), ({ status }) => status)

describe("Admin tokens of two nodes", () => {
  it.live("are rotated on the command line without downtime, and every node rejects a revoked token", () =>
    Effect.gen(function*() {
      const { environment } = yield* migratedPostgres
      const [one, other] = yield* Effect.all([
        startServer({ ...testSettings, ...environment }),
        startServer({ ...testSettings, ...environment, TAPELINE_ADMIN_BOOTSTRAP: "off" })
      ], { concurrency: 2 })
      assert.match(other.stderr(), /TAPELINE_ADMIN_BOOTSTRAP is off/)
      const create = (by: string, name: string, scopes: string) =>
        Effect.map(
          printed(one, by, "tokens", "create", "--json", "--name", name, "--scopes", scopes),
          (text): { readonly id: number; readonly token: string } => JSON.parse(text)
        )
      const operator = yield* create(adminToken, "operator", "keys,metrics,read")
      const old = yield* create(operator.token, "prometheus", "metrics")
      assert.deepStrictEqual(yield* Effect.all([scrape(one, old.token), scrape(other, old.token)]), [200, 200])
      assert.deepStrictEqual(yield* Effect.all([scrape(one, adminToken), scrape(other, adminToken)]), [200, 401])
      const renewed = yield* create(operator.token, "prometheus-2", "metrics")
      assert.deepStrictEqual(yield* Effect.all([scrape(one, renewed.token), scrape(other, old.token)]), [200, 200])
      assert.strictEqual(yield* printed(one, operator.token, "tokens", "revoke", String(old.id)), "done\n")
      assert.deepStrictEqual(yield* Effect.all([scrape(other, old.token), scrape(one, old.token)]), [401, 401])
      assert.deepStrictEqual(yield* Effect.all([scrape(other, renewed.token), scrape(one, renewed.token)]), [200, 200])
      const { tokens } = JSON.parse(yield* printed(one, operator.token, "tokens", "list", "--json"))
      assert.deepStrictEqual(
        tokens.map((
          token: Record<string, unknown>
        ) => [token["name"], token["created_by"], token["revoked_at"] !== null]),
        [["operator", "admin", false], ["prometheus", "admin:operator", true], [
          "prometheus-2",
          "admin:operator",
          false
        ]]
      )
      assert.isTrue(tokens.every((token: Record<string, unknown>) => token["last_used_at"] !== null))
    }))
})
