import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ServerProcess, startServer } from "./support/process.ts"
import {
  adminToken,
  callAdminApi,
  createAccount,
  sendRequest,
  type ServerResponse,
  testSettings
} from "./support/service.ts"
import { makePglite, migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

interface Cell {
  readonly table: string
  readonly column: string
  readonly text: string
}

const dump = Effect.fnUntraced(function*(sql: SqlClient) {
  const columns = yield* sql<{ readonly table_name: string; readonly column_name: string }>`
      select c.table_name, c.column_name from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
      where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`
  const cells: Array<Cell> = []
  for (const { column_name: column, table_name: table } of columns) {
    const rows = yield* sql.unsafe<{ readonly text: string | null }>(
      `select "${column}"::text as text from "${table}"`
    )
    for (const { text } of rows) if (text !== null) cells.push({ table, column, text })
  }
  return cells
})

/** Returns the texts that must not appear anywhere: a secret and its digest, in the usual encodings. */
const encodings = (secret: string): ReadonlyArray<string> => {
  const digest = createHash("sha256").update(secret).digest()
  return [secret, digest.toString("hex"), digest.toString("base64"), digest.toString("base64url")]
}

const causeErrors = Effect.fnUntraced(function*(
  server: ServerProcess,
  { account, key, other, invalidKeys }: {
    readonly account: number
    readonly key: string
    readonly other: { readonly id: number; readonly key: string }
    readonly invalidKeys: ReadonlyArray<string>
  }
) {
  const answers: Array<ServerResponse> = []
  const note = <E>(request: Effect.Effect<ServerResponse, E>) =>
    Effect.tap(request, (answer) => Effect.sync(() => void answers.push(answer)))
  const tool = (name: string, body: object, headers: Readonly<Record<string, string>> = {}, usedKey = key) =>
    note(sendRequest(server, "POST", `/v1/tools/${name}`, { key: usedKey, body, headers }))
  yield* tool("get_price", { coin: "BTC" }, { "idempotency-key": "a" })
  yield* tool("get_price", { coin: "ETH" }, { "idempotency-key": "a" })
  yield* tool("get_price", { coin: "NOCOIN" })
  // The test sends the key in places where no key belongs. The response must not repeat the key, and the server must
  // not store it.
  yield* tool("get_price", { coin: key })
  yield* tool("get_nothing", {})
  yield* tool("get_price", { user_id: 1 })
  for (const invalidKey of [...invalidKeys, adminToken]) yield* tool("get_price", { coin: "BTC" }, {}, invalidKey)
  yield* note(sendRequest(server, "GET", "/v1/nothing", { key }))
  yield* note(sendRequest(server, "PUT", "/v1/usage", { key }))
  yield* note(sendRequest(server, "GET", "/v1/usage?month=never", { key }))
  yield* note(sendRequest(server, "GET", "/v1/usage", { key }))
  yield* note(sendRequest(server, "GET", "/v1/tools", { key: other.key }))
  yield* note(sendRequest(server, "GET", "/admin/v1/accounts", { key }))
  yield* note(sendRequest(server, "GET", "/admin/v1/accounts", { key: adminToken }))
  yield* note(sendRequest(server, "GET", `/admin/v1/accounts/${account}/keys`, { key: adminToken }))
  for (const [to, scopes] of [[999, []], [account, ["read:us"]]] as const) {
    yield* note(
      sendRequest(server, "POST", `/admin/v1/accounts/${to}/keys`, { key: adminToken, body: { name: "x", scopes } })
    )
  }
  yield* note(sendRequest(server, "GET", "/metrics", { key: adminToken }))
  yield* callAdminApi(server, "DELETE", `/keys/${other.id}`)
  yield* note(sendRequest(server, "GET", "/v1/usage", { key: other.key }))
  for (let i = 0; i < 25; i++) yield* tool("get_price", { coin: "BTC" })
  const statuses = new Set(answers.map(({ status }) => status))
  for (const status of [200, 400, 401, 404, 405, 409, 429]) {
    assert.isTrue(statuses.has(status), `no answer of ${status}`)
  }
  return answers
})

/** Checks that the database files contain no keys, only their hashes. */
const assertNoneInFiles = (dir: string, secrets: ReadonlyArray<string>) => {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const bytes = readFileSync(join(entry.parentPath, entry.name))
    for (const secret of secrets) assert.isFalse(bytes.includes(secret), entry.name)
  }
}

const testSecrets = (makePlace: Effect.Effect<TestDatabase, never, Scope.Scope>) => {
  it.live("is in no log line, error, stored row (except a key's hash in its own column) or data file", () =>
    Effect.gen(function*() {
      const database = yield* makePlace
      const environment = { ...testSettings, ...database.environment, TAPELINE_LOG_LEVEL: "Debug" }
      const server = yield* startServer(environment)
      const { account, key, keys } = yield* createAccount(server, "narrow", 2)
      const other = keys[1]!
      const invalidKeys = [`${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`, `tl_live_${"0".repeat(38)}`]
      const demo = server.demoKey === undefined ? [] : [server.demoKey]
      const secrets = [key, other.key, ...invalidKeys, adminToken, ...demo]
      const answers = yield* causeErrors(server, { account, key, other, invalidKeys })
      server.signal("SIGTERM")
      yield* server.awaitExit

      const cells = yield* database.sql(dump)
      assert.isAbove(cells.length, 50)
      assert.isTrue(
        cells.some(({ column, table, text }) => table === "keys" && column === "hash" && text === encodings(key)[1])
      )
      const banner = server.demoKey === undefined ? server.stdout() : server.stdout().replaceAll(server.demoKey, "")
      for (const encoding of secrets.flatMap(encodings)) {
        assert.notInclude(server.stderr(), encoding)
        assert.notInclude(banner, encoding)
        for (const { headers, text } of answers) {
          assert.notInclude(text, encoding)
          assert.notInclude(JSON.stringify([...headers]), encoding)
        }
        for (const { column, table, text } of cells) {
          if (table !== "keys" || column !== "hash") assert.notInclude(text, encoding, `${table}.${column}`)
        }
      }
      assertNoneInFiles(database.environment["TAPELINE_DATA_DIR"]!, secrets)
    }))
}

describe("A secret: PostgreSQL", () => testSecrets(migratedPostgres))
describe("A secret: PGlite", () => testSecrets(makePglite()))
