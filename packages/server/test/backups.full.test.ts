import { assert, describe, it } from "@effect/vitest"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, promises, readdirSync, readFileSync, statSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { connect } from "node:net"
import { join } from "node:path"
import { runCli } from "./support/cli.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/process.ts"
import { pollUntil, testSettings } from "./support/service.ts"
import { makePglite, migratedPostgres, type TestDatabase } from "./support/testDatabases.ts"

/** Requests a backup over a socket, and reads only the head of the response. */
const readSlowly = (server: ServerProcess, token: string) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof connect>>((resume) => {
      const { hostname, port } = new URL(server.address)
      const socket = connect({ host: hostname, port: Number(port) })
      socket.on("error", () => undefined)
      socket.write(`GET /admin/v1/backup HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n\r\n`)
      socket.once("data", () => {
        socket.pause()
        resume(Effect.succeed(socket))
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** Makes `link` fail, as on exFAT. */
const withoutLinks = Effect.acquireRelease(
  Effect.sync(() => {
    const { link } = promises
    promises.link = () => Promise.reject(Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM" }))
    syncBuiltinESMExports()
    return link
  }),
  (link) =>
    Effect.sync(() => {
      promises.link = link
      syncBuiltinESMExports()
    })
)

const adminToken = "admin-token-of-the-backup-tests-0123"

/** More bytes than the buffers of a connection hold, also after compression. */
const addLargeTable = ({ sql }: TestDatabase) =>
  sql((sql) => sql`create table filler as select md5(random()::text) as text from generate_series(1, 1000000)`)

const start = Effect.fnUntraced(function*({ isLarge }: { readonly isLarge: boolean }) {
  const database = yield* makePglite()
  if (isLarge) yield* addLargeTable(database)
  const server = yield* startServer({ ...testSettings, ...database.environment, TAPELINE_ADMIN_TOKEN: adminToken })
  return { server, database }
})

describe("The commands backup and restore", () => {
  it.live("move accounts, keys and credits to a new server, and replace no file", () =>
    Effect.gen(function*() {
      const { server } = yield* start({ isLarge: false })
      const dir = yield* temporaryFolder
      const file = join(dir, "backup.tar.gz")
      const cli = runCli(server, adminToken)
      const created = yield* cli("accounts", "create", "--name", "acme", "--plan", "pro", "--json")
      const { id } = JSON.parse(created.stdout)
      const written = yield* cli("backup", "--output", file, "--json")
      assert.strictEqual(written.code, 0, written.stderr)
      const { bytes, file: path, moment } = JSON.parse(written.stdout)
      assert.deepStrictEqual([path, bytes], [file, statSync(file).size])
      assert.isBelow(Math.abs(Date.parse(moment) - Date.now()), 60_000)
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)

      const before = readFileSync(file)
      const repeated = yield* cli("backup", "--output", file)
      assert.deepStrictEqual([repeated.code, repeated.stdout], [1, ""])
      assert.match(repeated.stderr, /exists/)
      assert.deepStrictEqual(readFileSync(file), before)
      assert.strictEqual((yield* cli("backup", "--output", file, "--overwrite")).code, 0)
      assert.notDeepEqual(readFileSync(file), before)
      assert.deepStrictEqual(readdirSync(dir), ["backup.tar.gz"])

      const { events } = JSON.parse((yield* cli("events", "--type", "database.backup_started", "--json")).stdout)
      assert.deepInclude(events[0], { actor: "admin", account: null })
      yield* server.kill
      const restored = yield* cli("restore", file, "--data-dir", join(dir, "new"), "--json")
      assert.strictEqual(restored.code, 0, restored.stderr)
      const next = yield* startServer({
        ...testSettings,
        TAPELINE_DATA_DIR: join(dir, "new"),
        TAPELINE_ADMIN_TOKEN: adminToken
      })
      const nextCli = runCli(next, adminToken)
      const { accounts } = JSON.parse((yield* nextCli("accounts", "list", "--json")).stdout)
      assert.deepInclude(accounts.find((account: { readonly id: number }) => account.id === id), { name: "acme" })
      // Ids that the lost database may have given out are skipped.
      const later = JSON.parse((yield* nextCli("accounts", "create", "--name", "b", "--plan", "pro", "--json")).stdout)
      assert.isAbove(later.id, id + 999_999)
      const held = yield* nextCli("restore", file, "--data-dir", join(dir, "new"))
      assert.deepStrictEqual([held.code, /in use by process/.test(held.stderr)], [1, true])
    }), 120_000)

  it.live(
    "leave no file if the server rejects, stops or dies, and continue with the next backup",
    () =>
      Effect.gen(function*() {
        const { database, server } = yield* start({ isLarge: true })
        const dir = yield* temporaryFolder
        const cli = runCli(server, adminToken)
        const failedWith = Effect.fnUntraced(function*(pattern: RegExp, token: string = adminToken) {
          const { code, stderr } = yield* runCli(server, token)("backup", "--output", join(dir, "backup"))
          assert.strictEqual(code, 1)
          assert.match(stderr, pattern)
          assert.deepStrictEqual(readdirSync(dir), [])
        })
        yield* failedWith(/^401: /, "wrong")
        const created = yield* cli("tokens", "create", "--name", "reader", "--scopes", "read,personal,write", "--json")
        yield* failedWith(/^403: .*`backup`/, JSON.parse(created.stdout).token)
        assert.match((yield* cli("backup", "--output", join(dir, "missing", "backup"))).stderr, /cannot be created/)

        // A reader that has received the head holds the only turn, until it disconnects.
        yield* Effect.scoped(Effect.andThen(readSlowly(server, adminToken), failedWith(/^409: Another backup/)))
        yield* pollUntil(
          "the end of the first backup",
          cli("backup", "--output", join(dir, "backup"), "--overwrite"),
          ({ code }) => code === 0
        )

        // The stop interrupts a backup, and the database closes as usual.
        yield* readSlowly(server, adminToken)
        server.signal("SIGTERM")
        const { code } = yield* server.awaitExit
        assert.strictEqual(code, 0, server.stderr())
        assert.strictEqual((yield* cli("backup", "--output", join(dir, "other"))).code, 1)
        assert.deepStrictEqual(readdirSync(dir), ["backup"])
        const again = yield* startServer({ ...testSettings, ...database.environment, TAPELINE_ADMIN_TOKEN: adminToken })
        yield* readSlowly(again, adminToken)
        yield* again.kill
        const last = yield* startServer({ ...testSettings, ...database.environment, TAPELINE_ADMIN_TOKEN: adminToken })
        assert.strictEqual((yield* runCli(last, adminToken)("backup", "--output", join(dir, "last"))).code, 0)
      }).pipe(Effect.scoped),
    90_000
  )

  it.live("write to file systems without links, and not to the folder of a database", () =>
    Effect.gen(function*() {
      const { database, server } = yield* start({ isLarge: false })
      const dir = yield* temporaryFolder
      const cli = runCli(server, adminToken)
      const inside = yield* cli("backup", "--output", join(database.environment["TAPELINE_DATA_DIR"]!, "db", "backup"))
      assert.deepStrictEqual([inside.code, /is a folder of a database/.test(inside.stderr)], [1, true])

      yield* withoutLinks
      const file = join(dir, "backup of a day.tar.gz")
      const written = yield* cli("backup", "--output", file)
      assert.strictEqual(written.code, 0, written.stderr)
      assert.deepStrictEqual(readdirSync(dir), ["backup of a day.tar.gz"])
      assert.strictEqual(statSync(file).mode & 0o777, 0o600)
      assert.strictEqual((yield* cli("restore", "--check", file)).code, 0)
    }).pipe(Effect.scoped), 120_000)

  it.live("refer to PostgreSQL's own tools for a server on PostgreSQL", () =>
    Effect.gen(function*() {
      const { environment } = yield* migratedPostgres
      const server = yield* startServer({ ...testSettings, ...environment, TAPELINE_ADMIN_TOKEN: adminToken })
      const { code, stderr } = yield* runCli(server, adminToken)("backup", "--output", "/tmp/never")
      assert.strictEqual(code, 1)
      assert.match(stderr, /docs\/backups\.md/)
    }), 120_000)

  const canMount = process.getuid?.() === 0
  it.live(
    "leave no file on a full disk",
    () =>
      Effect.gen(function*() {
        const { server } = yield* start({ isLarge: false })
        const dir = yield* temporaryFolder
        const disk = join(dir, "disk")
        mkdirSync(disk)
        yield* Effect.acquireRelease(
          Effect.sync(() => spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk])),
          () => Effect.sync(() => spawnSync("umount", ["-l", disk]))
        )
        const { code, stderr } = yield* runCli(server, adminToken)("backup", "--output", join(disk, "backup"))
        assert.strictEqual(code, 1)
        assert.match(stderr, /its disk is full/)
        assert.deepStrictEqual(readdirSync(disk), [])
        const small = join(dir, "small")
        assert.strictEqual((yield* runCli(server, adminToken)("backup", "--output", small)).code, 0)
        const restored = yield* runCli(server, adminToken)("restore", small, "--data-dir", disk)
        assert.deepStrictEqual([restored.code, /disk is full|ENOSPC/.test(restored.stderr)], [1, true])
        assert.deepStrictEqual(readdirSync(disk), [])
      }).pipe(Effect.scoped),
    { timeout: 120_000, ...skipUnless("root, to mount a file system", canMount) }
  )
})
