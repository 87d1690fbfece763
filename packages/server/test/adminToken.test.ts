import { assert, describe, it } from "@effect/vitest"
import { type AdminScope, AdminTokens, allAdminScopes } from "@tapeline/core"
import { AdminToken } from "@tapeline/http"
import { MemoryStores } from "@tapeline/testing"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { adminTokenFile, readOrCreateAdminToken } from "../src/adminToken.ts"
import { layerAdminToken } from "../src/layerAdminToken.ts"
import { temporaryFolder } from "./support/process.ts"

describe("The admin token", () => {
  it.live("is created once by concurrent starts, readable only by its owner, without a temporary file", () =>
    Effect.gen(function*() {
      const dir = join(yield* temporaryFolder, "nested", "data")
      const tokens = yield* Effect.all(Array.from({ length: 4 }, () => readOrCreateAdminToken(dir)), { concurrency: 4 })
      assert.strictEqual(new Set(tokens.map((token) => Redacted.value(token))).size, 1)
      assert.strictEqual(readFileSync(adminTokenFile(dir), "utf8"), Redacted.value(tokens[0]!))
      assert.isAtLeast(Redacted.value(tokens[0]!).length, 40)
      assert.strictEqual(statSync(adminTokenFile(dir)).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(dir), ["admin-token"])
    }))

  it.live("is rejected with what to do if its file is empty, blank or too short; the file is unchanged", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      for (const text of ["", " \n", "fifteen-letters\n", "двадцать восемь букв и знаков"]) {
        writeFileSync(adminTokenFile(dir), text)
        const tokenError = yield* Effect.flip(readOrCreateAdminToken(dir))
        assert.strictEqual(tokenError._tag, "AdminTokenUnusable")
        assert.include(tokenError.message, adminTokenFile(dir))
        assert.include(tokenError.message, "Remove the file")
        assert.include(tokenError.message, "TAPELINE_ADMIN_TOKEN")
        if (text.trim() !== "") assert.notInclude(tokenError.message, text.trim())
        assert.strictEqual(readFileSync(adminTokenFile(dir), "utf8"), text)
      }
    }))

  it.live("is read from an existing file without a write to the folder", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      writeFileSync(adminTokenFile(dir), "a-mounted-secret-of-sorts\n")
      const before = statSync(dir).mtimeMs
      assert.strictEqual(Redacted.value(yield* readOrCreateAdminToken(dir)), "a-mounted-secret-of-sorts")
      // The folder is unchanged, so no temporary file was created next to the token file.
      assert.strictEqual(statSync(dir).mtimeMs, before)
    }))

  it.live(
    "fails if its folder cannot be created",
    () =>
      Effect.gen(function*() {
        const tokenError = yield* Effect.flip(readOrCreateAdminToken("/proc/nowhere/data"))
        assert.strictEqual(tokenError._tag, "DataDirUnusable")
        assert.include(tokenError.message, "TAPELINE_DATA_DIR")
      }),
    skipUnless("Linux, for a folder that nobody can create", existsSync("/proc/self"))
  )
})

describe("The switched-off admin token of the configuration", () => {
  it.effect("is not read, and the start reports if no valid named token can create others", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void log.push(String(message)))])
      const settings = {
        adminToken: Redacted.make("ignored-token-of-16"),
        dataDir: "/proc/nowhere",
        hasBootstrapToken: false
      }
      const start = Effect.suspend(() => {
        log.length = 0
        return Effect.service(AdminToken).pipe(Effect.provide(layerAdminToken(settings)), Effect.provide(logger))
      })
      const tokens = yield* AdminTokens
      const create = (name: string, scopes: ReadonlyArray<AdminScope>, expiresAt: number | null) =>
        tokens.create({ name, scopes, expiresAt, creatorScopes: allAdminScopes })
      yield* create("reports", ["metrics", "read", "write"], null)
      assert.isNull(yield* start)
      assert.strictEqual(log.length, 1)
      assert.match(log[0]!, /TAPELINE_ADMIN_BOOTSTRAP is off.*`keys`.*TAPELINE_ADMIN_BOOTSTRAP=on.*tokens create/u)
      yield* create("operations", ["keys"], 60_000)
      yield* start
      assert.deepStrictEqual(log, [])
      yield* TestClock.adjust("1 minute")
      yield* start
      assert.strictEqual(log.length, 1)
      const { record } = yield* create("operations", ["keys"], null)
      yield* start
      assert.deepStrictEqual(log, [])
      yield* tokens.revoke(record.id)
      yield* start
      assert.strictEqual(log.length, 1)
    }).pipe(Effect.provide(AdminTokens.layer.pipe(Layer.provide(MemoryStores)))))
})
