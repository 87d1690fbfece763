import { assert, describe, it } from "@effect/vitest"
import { readSettings } from "@tapeline/server"
import { isFullRun } from "@tapeline/testing/fullRun"
import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { copyFileSync, readdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { mainSource, startServer, temporaryFolder } from "./support/process.ts"
import { callGetPrice, createAccount, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { emptyPostgres, makePglite, migratedPostgres } from "./support/testDatabases.ts"

const run = promisify(execFile)
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe("The first start", () => {
  it.live("prints a key once, and a curl command that works when it is pasted", () =>
    Effect.gen(function*() {
      const database = yield* makePglite({ isEmpty: true })
      const dir = database.environment["TAPELINE_DATA_DIR"]!
      // An empty `NODE_COMPILE_CACHE` counts as unset, so the server keeps its compile cache in the data folder.
      const environment = { ...database.environment, ...(isFullRun ? { NODE_COMPILE_CACHE: "" } : {}) }
      const first = yield* startServer(environment)
      assert.match(first.demoKey ?? "", /^tl_live_[0-9A-Za-z]{38}$/)
      assert.include(first.stdout(), dir)
      const { stdout } = yield* Effect.promise(() => run("sh", ["-c", first.curl!]))
      const envelope = JSON.parse(stdout)
      assert.strictEqual(envelope.tool, "get_price")
      assert.strictEqual(envelope.credits_used, 1)
      assert.strictEqual(envelope.credits_left, 59_999)
      assert.isAbove(envelope.data.price, 0)
      assert.isTrue(first.link?.startsWith(`${first.address}/app/sign-in#tl_link_`), first.stdout())
      assert.strictEqual(modeOf(join(dir, "admin-token")), "600")
      assert.strictEqual(first.stderr(), "")
      if (!isFullRun) return
      yield* first.kill

      const compiled = join(dir, "compiled")
      assert.strictEqual(modeOf(compiled), "700")
      const files = readdirSync(compiled, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      // The test damages files in three ways, so it needs at least three files.
      assert.isAtLeast(files.length, 3)
      for (const [i, { name, parentPath }] of files.entries()) {
        const file = join(parentPath, name)
        if (i % 3 === 0) writeFileSync(file, "")
        if (i % 3 === 1) writeFileSync(file, readFileSync(file).subarray(0, 100))
        if (i % 3 === 2) {
          writeFileSync(
            file,
            Buffer.from(readFileSync(file).map((byte, at) => at % 50 === 49 ? 1 : byte))
          )
        }
      }

      const second = yield* startServer(environment)
      assert.isUndefined(second.demoKey)
      assert.strictEqual(second.stderr(), "")
      assert.notInclude(second.stdout(), "tl_live_")
      assert.isUndefined(second.link)
      const secondCall = yield* callGetPrice(second, first.demoKey!)
      assert.strictEqual(secondCall.body.credits_left, 59_998)
    }), skipWithoutProgram("curl: install it", findProgram("curl") !== null))

  it.live.runIf(isFullRun)(
    "rejects a second process in the same data folder, and exits with 1 when its lock is replaced",
    () =>
      Effect.gen(function*() {
        const database = yield* makePglite()
        const server = yield* startServer(database.environment)
        const startError = yield* Effect.flip(startServer(database.environment))
        assert.strictEqual(startError.exit.code, 1)
        assert.match(startError.output.stderr, /in use by process \d+/)

        const lock = join(database.environment["TAPELINE_DATA_DIR"]!, "db.lock")
        writeFileSync(`${lock}.other`, "another's\n")
        renameSync(`${lock}.other`, lock)
        assert.deepStrictEqual(yield* server.awaitExit, { code: 1, signal: null })
        assert.match(server.stderr(), /was taken by another process/)
        assert.strictEqual(readFileSync(lock, "utf8"), "another's\n")
      })
  )
})

describe("A wrong setting", () => {
  const invalidSettings: ReadonlyArray<readonly [variable: string, value: string]> = [
    ["PORT", "abc-secret-value"],
    ["PORT", "70000"],
    ["TAPELINE_PLANS", "{secret-value"],
    ["TAPELINE_PLANS", `{"gold-secret-value":{"keys":3}}`],
    ["DATABASE_URL", "nonsense-secret-value"],
    ["DATABASE_URL", "mysql://secret-value@host/db"],
    ["REDIS_URL", "http://secret-value"],
    ["DATABASE_DIRECT_URL", "postgres://secret-value@host/db"],
    ["TAPELINE_ADMIN_TOKEN", "short"],
    ["TAPELINE_SIM_SEED", "-1"],
    ["TAPELINE_MARKET", "secret-value"],
    ["TAPELINE_CORS_ORIGINS", "secret-value"],
    ["TAPELINE_LOG_LEVEL", "secret-value"],
    ["TAPELINE_SWEEP_EVERY_MS", "secret-value"],
    ["TAPELINE_PUBLIC_URL", "secret-value"],
    ["TAPELINE_PUBLIC_URL", "https://user:secret-value@api.example.com"],
    ["TAPELINE_PUBLIC_URL", "https://api.example.com?secret-value"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "secret-value"]
  ]
  it.effect.each(invalidSettings)(
    "is rejected by name, without its value: %s=%s",
    ([variable, value]) =>
      Effect.gen(function*() {
        const { message } = yield* Effect.flip(readSettings({ [variable]: value }))
        assert.include(message, variable)
        assert.notInclude(message, value)
      })
  )

  it.live("stops the start with code 1, and the message names every wrong setting without its value", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      const all = isFullRun ? invalidSettings.map(([variable, value]) => ({ [variable]: value })) : []
      const several = { PORT: "abc-secret-value", TAPELINE_LOG_LEVEL: "secret-value" }
      yield* Effect.forEach([several, ...all], (set) =>
        Effect.gen(function*() {
          const startError = yield* Effect.flip(startServer({ TAPELINE_DATA_DIR: dir, ...set }))
          assert.strictEqual(startError.exit.code, 1, startError.message)
          for (const [variable, value] of Object.entries(set)) {
            assert.include(startError.output.stderr, variable)
            assert.notInclude(startError.output.stderr, value)
          }
          assert.strictEqual(startError.output.stdout, "")
        }), { concurrency: 4 })
    }))

  it.live("is also named if its folder cannot be created or its database is unreachable", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      const folder = yield* Effect.flip(startServer({ TAPELINE_DATA_DIR: "/etc/hostname/data" }))
      assert.include(folder.output.stderr, "TAPELINE_DATA_DIR")
      const database = yield* Effect.flip(
        startServer({ TAPELINE_DATA_DIR: dir, DATABASE_URL: "postgres://me:secret-value@127.0.0.1:1/none" })
      )
      assert.include(database.output.stderr, "DATABASE_URL")
      assert.notInclude(database.output.stderr, "secret-value")
      assert.deepStrictEqual([folder.exit.code, database.exit.code], [1, 1])
    }))
})

describe.runIf(isFullRun)("Two processes that start at the same time", () => {
  it.live("migrate an empty PostgreSQL once, and are both ready", () =>
    Effect.gen(function*() {
      const database = yield* emptyPostgres
      const environment = { ...testSettings, ...database.environment }
      const servers = yield* Effect.all([startServer(environment), startServer(environment)], { concurrency: 2 })
      for (const server of servers) {
        yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      }
      const [one, other] = servers
      const { key } = yield* createAccount(one, "pro")
      assert.strictEqual((yield* callGetPrice(other, key)).body.credits_left, 59_999)
      const migrations = yield* database.sql((sql) =>
        sql`select migration_id from tapeline_migrations order by migration_id`
      )
      const ids = migrations.map((row) => row["migration_id"])
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.include(ids, 18)
    }))
})

it.live.runIf(isFullRun)(
  "GET /readyz returns 503 with the cluster's name until answers can run, and the log says when",
  () =>
    Effect.gen(function*() {
      const { environment, sql } = yield* migratedPostgres
      // A view with the name of a cluster table prevents the process from creating its cluster tables.
      yield* sql((client) => client`create view tapeline_cluster_messages as select 1 as id`)
      const server = yield* startServer({ ...testSettings, ...environment })
      const unready = yield* sendRequest(server, "GET", "/readyz")
      assert.strictEqual(unready.status, 503)
      assert.include(unready.text, "cluster")
      yield* sql((client) => client`drop view tapeline_cluster_messages`)
      yield* pollUntil("readiness", sendRequest(server, "GET", "/readyz"), ({ status }) => status === 200)
      const log = Effect.sync(server.stderr)
      yield* pollUntil("the line of the log", log, (lines) => lines.includes("The process is ready"))
    }),
  60_000
)

it.live("The program prints its usage for --help, and rejects other arguments", () =>
  Effect.promise(async () => {
    const start = (argument: string) => run(process.execPath, [mainSource, argument], { timeout: 30_000 })
    const [helpOutput, invalidOutput] = await Promise.allSettled([start("--help"), start("--port=7")])
    assert.include(helpOutput.status === "fulfilled" ? helpOutput.value.stdout : "", "TAPELINE_DATA_DIR")
    assert.include(invalidOutput.status === "rejected" ? invalidOutput.reason : {}, { code: 1, stdout: "" })
  }))

it.live("The program's help names a page and a command that exist, in the repository and in the published package", () =>
  Effect.gen(function*() {
    const helpOf = (program: string) =>
      Effect.promise(async () => (await run(process.execPath, [program, "--help"], { timeout: 30_000 })).stdout)
    const pageIn = (help: string) => /^All variables: (.+)$/m.exec(help)?.[1] ?? ""
    const source = (name: string) => fileURLToPath(new URL(`../src/${name}`, import.meta.url))
    const sourceHelp = yield* helpOf(source("usage.ts"))
    assert.include(readFileSync(pageIn(sourceHelp), "utf8"), "# Configuration")
    assert.include(sourceHelp, "npm run tapeline -- --help")

    const folder = realpathSync(yield* temporaryFolder)
    for (const name of ["usage.ts", "configurationPage.ts"]) copyFileSync(source(name), join(folder, name))
    writeFileSync(join(folder, "configuration.md"), "")
    const published = yield* helpOf(join(folder, "usage.ts"))
    assert.strictEqual(pageIn(published), join(folder, "configuration.md"))
    assert.include(published, "npx tapeline --help")
  }))
