import { assert, describe, it } from "@effect/vitest"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect, Redacted } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { adminTokenFile, readOrCreateAdminToken } from "../src/adminToken.ts"
import { temporaryFolder } from "./support/process.ts"

describe("The token of the administration", () => {
  it.live("is made once, whole, for its owner's eyes only, and leaves no draft behind", () =>
    Effect.gen(function*() {
      const dir = join(yield* temporaryFolder, "nested", "data")
      const tokens = yield* Effect.all(Array.from({ length: 4 }, () => readOrCreateAdminToken(dir)), { concurrency: 4 })
      assert.strictEqual(new Set(tokens.map((token) => Redacted.value(token))).size, 1)
      assert.strictEqual(readFileSync(adminTokenFile(dir), "utf8"), Redacted.value(tokens[0]!))
      assert.isAtLeast(Redacted.value(tokens[0]!).length, 40)
      assert.strictEqual(statSync(adminTokenFile(dir)).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(dir), ["admin-token"])
    }))

  it.live("that is empty, blank or cut short is refused with what to do; the file stays as it was", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      for (const text of ["", " \n", "fifteen-letters\n", "двадцать восемь букв и знаков"]) {
        writeFileSync(adminTokenFile(dir), text)
        const refused = yield* Effect.flip(readOrCreateAdminToken(dir))
        assert.strictEqual(refused._tag, "AdminTokenUnusable")
        assert.include(refused.message, adminTokenFile(dir))
        assert.include(refused.message, "Remove the file")
        assert.include(refused.message, "TAPELINE_ADMIN_TOKEN")
        if (text.trim() !== "") assert.notInclude(refused.message, text.trim())
        assert.strictEqual(readFileSync(adminTokenFile(dir), "utf8"), text)
      }
    }))

  it.live("is read where it is, though the folder cannot be written to", () =>
    Effect.gen(function*() {
      const dir = yield* temporaryFolder
      writeFileSync(adminTokenFile(dir), "a-mounted-secret-of-sorts\n")
      const before = statSync(dir).mtimeMs
      assert.strictEqual(Redacted.value(yield* readOrCreateAdminToken(dir)), "a-mounted-secret-of-sorts")
      // Not even a temporary file was written next to it.
      assert.strictEqual(statSync(dir).mtimeMs, before)
    }))

  it.live(
    "is refused, and the search ends, where no folder can be made",
    () =>
      Effect.gen(function*() {
        const refused = yield* Effect.flip(readOrCreateAdminToken("/proc/nowhere/data"))
        assert.strictEqual(refused._tag, "DataDirUnusable")
        assert.include(refused.message, "TAPELINE_DATA_DIR")
      }),
    skipUnless("Linux, for a folder that nobody can create", existsSync("/proc/self"))
  )
})
