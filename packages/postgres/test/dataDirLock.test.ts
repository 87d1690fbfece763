import { assert, describe, it } from "@effect/vitest"
import { skipUnless } from "@tapeline/testing/programs"
import { Deferred, Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { lockDataDir } from "../src/dataDirLock.ts"
import { formatHolder, makeOwnHolder } from "../src/lockHolder.ts"

const heartbeatMs = 50
const holdDataDir = fileURLToPath(new URL("./support/holdDataDir.ts", import.meta.url))

const dataFolder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-data-"))),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
  ),
  (dir) => join(dir, "db")
)

const needsProcessTable = skipUnless(
  "a user that may create a process table (root, and unshare)",
  spawnSync("unshare", ["-pf", "--mount-proc", "true"]).status === 0
)

/** Starts a process with a separate process table. The process holds the data folder until the scope ends. */
const holder = Effect.fnUntraced(function*(dataDir: string) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        "unshare",
        ["-pf", "--kill-child", "--mount-proc", process.execPath, holdDataDir, dataDir, String(heartbeatMs)],
        { stdio: ["ignore", "pipe", "inherit"] }
      )
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const exitCode = new Promise<number | null>((resolve) => child.once("close", resolve))
  yield* Effect.callback<void, Error>((resume) => {
    child.stdout.on("data", (bytes: Buffer) => {
      if (bytes.toString().includes("held")) resume(Effect.void)
    })
    void exitCode.then((code) => resume(Effect.fail(new Error(`it ended with ${code}`))))
  })
  return { kill: Effect.promise(() => (child.kill("SIGKILL"), exitCode)) }
})

describe("the lock of a data folder", () => {
  it.live(
    "is held against a process in another container by heartbeats, and taken over when they stop",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* dataFolder
        const other = yield* holder(dataDir)
        // On a busy machine, heartbeats may be late, so the test uses a longer interval.
        const lockError = yield* Effect.flip(Effect.scoped(lockDataDir(dataDir, { heartbeatMs: 20 * heartbeatMs })))
        assert.isTrue(lockError.elsewhere)
        assert.include(lockError.message, "another container")
        yield* other.kill
        yield* Effect.scoped(lockDataDir(dataDir, { heartbeatMs }))
        assert.isFalse(existsSync(`${dataDir}.lock`))
      }),
    needsProcessTable
  )

  it.live("sends heartbeats while it is held, and is taken over at once from a dead local process", () =>
    Effect.gen(function*() {
      const dataDir = yield* dataFolder
      yield* Effect.scoped(Effect.gen(function*() {
        const lock = yield* lockDataDir(dataDir, { heartbeatMs })
        const first = readFileSync(`${dataDir}.lock`, "utf8")
        while (readFileSync(`${dataDir}.lock`, "utf8") === first) yield* Effect.sleep(5)
        lock.ensure()
        assert.strictEqual((yield* Effect.flip(Effect.scoped(lockDataDir(dataDir, { heartbeatMs })))).pid, process.pid)
      }))
      // The holder is a dead process in the same process table, so its lock is taken immediately, without waiting for
      // heartbeats.
      const exitedPid = spawnSync("true").pid
      writeFileSync(
        `${dataDir}.lock`,
        `${formatHolder({ ...makeOwnHolder(), pid: exitedPid, startTicks: "1" })}000000000001\n`
      )
      yield* Effect.scoped(lockDataDir(dataDir, { heartbeatMs: 3_600_000 }))
    }))

  it.live("informs its holder of a takeover, which then writes nothing and keeps the other's lock", () =>
    Effect.gen(function*() {
      const dataDir = yield* dataFolder
      yield* Effect.scoped(Effect.gen(function*() {
        const lock = yield* lockDataDir(dataDir, { heartbeatMs })
        const isLockLost = yield* Deferred.make<void>()
        lock.onLost(() => Deferred.doneUnsafe(isLockLost, Effect.void))
        writeFileSync(`${dataDir}.lock.other`, "another's\n")
        renameSync(`${dataDir}.lock.other`, `${dataDir}.lock`)
        yield* Deferred.await(isLockLost)
        assert.throws(lock.ensure, /was taken by another process/)
      }))
      assert.strictEqual(readFileSync(`${dataDir}.lock`, "utf8"), "another's\n")
    }))
})
