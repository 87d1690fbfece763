import { assert, describe, it } from "@effect/vitest"
import { KeyStore } from "@tapeline/core/engine"
import { layerMigrations, layerPglite } from "@tapeline/postgres"
import { skipUnless } from "@tapeline/testing/programs"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { lockDataDir } from "../src/dataDirLock.ts"
import { readPgliteDump, withStores } from "./support/databases.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-data-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const open = (dataDir: string) =>
  withStores(layerMigrations.pipe(Layer.provideMerge(layerPglite({ dataDir, load: readPgliteDump() }))))

describe("a data folder", () => {
  it.live("keeps its data, and can be opened only once at a time", () =>
    Effect.gen(function*() {
      const dataDir = join(yield* folder, "nested", "db")
      const account = yield* Effect.gen(function*() {
        const keys = yield* KeyStore
        const second = yield* Effect.flip(Effect.provide(KeyStore, open(dataDir), { local: true }))
        assert.strictEqual(second._tag, "DataDirLocked")
        assert.include(second.message, `is in use by process ${process.pid}`)
        return yield* keys.createAccount({ name: "kept", plan: "free", now: 1 })
      }).pipe(Effect.provide(open(dataDir), { local: true }))
      assert.isFalse(existsSync(`${dataDir}.lock`))
      const storedAccount = yield* Effect.provide(
        Effect.flatMap(KeyStore, (keys) => keys.account(account.id)),
        open(dataDir),
        {
          local: true
        }
      )
      assert.deepStrictEqual(storedAccount, account)
      assert.strictEqual(statSync(dataDir).mode & 0o777, 0o700)
      writeFileSync(join(dataDir, "global", "pg_control"), "broken")
      const openError = yield* Effect.flip(Effect.provide(KeyStore, open(dataDir), { local: true }))
      assert.include(openError.message, `did not start in ${dataDir}`)
    }))

  it.live(
    "is rejected while another process holds it, and taken over after that process died",
    () =>
      Effect.gen(function*() {
        const dataDir = join(yield* folder, "db")
        const holder = spawn(process.execPath, ["-e", "process.stdin.resume()"])
        const holderExit = once(holder, "exit")
        const stat = readFileSync(`/proc/${holder.pid}/stat`, "utf8")
        writeFileSync(`${dataDir}.lock`, `${holder.pid} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}\n`)
        const lockError = yield* Effect.flip(Effect.scoped(lockDataDir(dataDir)))
        assert.include(lockError.message, `in use by process ${holder.pid}`)
        holder.kill("SIGKILL")
        yield* Effect.promise(() => holderExit)
        yield* Effect.scoped(lockDataDir(dataDir))
        // The lock of a zombie process can be taken. Zombie processes are common in containers.
        const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], { stdio: ["ignore", "pipe", "ignore"] })
        const [line]: ReadonlyArray<Buffer> = yield* Effect.promise(() => once(parent.stdout, "data"))
        const exitedPid = Number(line!.toString())
        const before = readFileSync(`/proc/${exitedPid}/stat`, "utf8")
        writeFileSync(`${dataDir}.lock`, `${exitedPid} ${before.slice(before.lastIndexOf(")") + 2).split(" ")[19]}\n`)
        process.kill(exitedPid, "SIGKILL")
        yield* Effect.scoped(lockDataDir(dataDir))
        parent.kill("SIGKILL")
        // A live process with the same id, but another start time, does not hold the lock.
        writeFileSync(`${dataDir}.lock`, "1 12345678901234\n")
        yield* Effect.scoped(lockDataDir(dataDir))
        assert.isFalse(existsSync(`${dataDir}.lock`))
      }),
    skipUnless("Linux, for the start times in /proc", existsSync("/proc/self/stat"))
  )
})
