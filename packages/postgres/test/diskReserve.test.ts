import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import {
  checkReady,
  layerMigrations,
  layerPglite,
  makePgliteClient,
  openPglite,
  type PgliteOptions
} from "@tapeline/postgres"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { SqlError } from "effect/sql/SqlError"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { inject } from "vitest"
import { type DiskSpace, makeDiskReserve, makeDiskSpaceReader } from "../src/diskReserve.ts"
import { hasCode, mapSqlErrors } from "../src/errors.ts"
import { readPgliteDump } from "./support/databases.ts"
import { makeSmallDisk, needsSmallDisk } from "./support/smallDisk.ts"

const mb = 1_048_576
const fullDisk = fileURLToPath(new URL("./support/fullDisk.ts", import.meta.url))

const makeDisk = () => {
  const disk: { free: number | undefined } = { free: 500 }
  const readDiskSpace = (): DiskSpace | undefined =>
    disk.free === undefined ? undefined : { size: 1_000 * mb, free: disk.free * mb }
  return { disk, readDiskSpace }
}

const isFull = (error: SqlError) => hasCode(error, "53100")

const dataFolder = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-reserve-"))),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
  ),
  (dir) => join(dir, "db")
)

const open = (options: PgliteOptions) => Layer.provideMerge(layerMigrations, layerPglite(options))

describe("the disk reserve of an embedded database", () => {
  it("is a tenth of the disk, from 4 to 64 MB, and stays low until a quarter more is free", () => {
    for (const [size, reserve] of [[20, 4], [300, 30], [1_000, 64], [1_000_000, 64]] as const) {
      const disk: { free: number } = { free: reserve }
      const { isLow } = makeDiskReserve(() => ({ size: size * mb, free: disk.free * mb }))
      assert.isFalse(isLow())
      disk.free = reserve - 0.1
      assert.isTrue(isLow())
      disk.free = reserve * 1.25 - 0.1
      assert.isTrue(isLow())
      disk.free = reserve * 1.25
      assert.isFalse(isLow())
    }
  })

  it("is read from the file system, and is unknown for a missing folder", () => {
    const { free, size } = makeDiskSpaceReader(tmpdir())()!
    assert.isAbove(size, mb)
    assert.isAtMost(free, size)
    assert.isUndefined(makeDiskSpaceReader(join(tmpdir(), crypto.randomUUID()))())
  })

  it.live("rejects writes like a full disk, also within a transaction, and accepts reads", () =>
    Effect.gen(function*() {
      const { disk, readDiskSpace } = makeDisk()
      yield* Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* sql`create table kept (n integer)`
        const write = sql`insert into kept values (1)`
        const readRowCount = Effect.map(
          sql<{ n: number }>`select count(*)::integer as n from kept`,
          ([row]) => row!.n
        )
        yield* write
        const [hasStarted, low] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const pendingTransaction = yield* Effect.forkChild(Effect.flip(sql.withTransaction(Effect.gen(function*() {
          yield* write
          yield* Deferred.succeed(hasStarted, undefined)
          yield* Deferred.await(low)
          assert.strictEqual(yield* readRowCount, 2)
          yield* write
        }))))
        yield* Deferred.await(hasStarted)
        disk.free = 63
        yield* Deferred.succeed(low, undefined)
        assert.isTrue(isFull(yield* Fiber.join(pendingTransaction)))
        for (const statement of [write, sql.withTransaction(write), sql`select n from kept for update`]) {
          assert.isTrue(isFull(yield* Effect.flip(statement)))
          assert.strictEqual(yield* readRowCount, 1)
        }
        assert.include((yield* Effect.flip(mapSqlErrors("test")(write))).message, "its disk is full")
        disk.free = undefined
        yield* write
        disk.free = 63
        assert.isTrue(isFull(yield* Effect.flip(write)))
        disk.free = 80
        yield* sql.withTransaction(write)
        assert.strictEqual(yield* readRowCount, 3)
      }).pipe(Effect.provide(layerPglite({ memory: true, load: readPgliteDump(), readDiskSpace })))
    }))

  it.live.runIf(isFullRun)("rejects a start that must create the database", () =>
    Effect.gen(function*() {
      const { disk, readDiskSpace } = makeDisk()
      disk.free = 63
      // A database in memory starts without a template, so its start always writes.
      const openError = yield* Effect.flip(Effect.scoped(Layer.build(open({ memory: true, readDiskSpace }))))
      assert.include(openError.message, "The embedded database cannot be used: its disk is full")
    }), 60_000)

  it.live(
    "is reported by the readiness check and by a start",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* dataFolder
        const { disk, readDiskSpace } = makeDisk()
        yield* Effect.scoped(Layer.build(open({ dataDir, readDiskSpace, load: readPgliteDump() })))
        disk.free = 3
        const openError = yield* Effect.flip(Effect.scoped(Layer.build(open({ dataDir, readDiskSpace }))))
        assert.include(openError.message, `was not started in ${dataDir}, because its disk is full`)
        disk.free = 500
        yield* Effect.gen(function*() {
          yield* checkReady
          disk.free = 63
          assert.include((yield* Effect.flip(checkReady)).message, "cannot write, because its disk is full")
          disk.free = 500
          yield* checkReady
        }).pipe(Effect.provide(open({ dataDir, readDiskSpace })))
      }),
    60_000
  )

  it.live("applies to every client of the database, one after another", () =>
    Effect.gen(function*() {
      const { disk, readDiskSpace } = makeDisk()
      const pglite = yield* openPglite({ memory: true, load: readPgliteDump(), readDiskSpace })
      const create = (name: string) =>
        Effect.scoped(Effect.flatMap(makePgliteClient(pglite), (sql) =>
          Effect.andThen(sql`select 1`, sql.unsafe(`create table ${name} (n integer)`).unprepared)))
      yield* create("one")
      disk.free = 63
      for (const name of ["two", "three"]) {
        assert.isTrue(isFull(yield* Effect.flip(create(name))))
      }
      disk.free = 500
      yield* create("two")
    }).pipe(Effect.provide(Reactivity.layer)), 60_000)

  it.live.runIf(isFullRun)(
    "keeps the process alive when other files fill the disk",
    () =>
      Effect.gen(function*() {
        const disk = yield* makeSmallDisk(150)
        const { stdout } = yield* Effect.promise(() =>
          promisify(execFile)(process.execPath, [fullDisk, disk, inject("pgliteDump")], {
            timeout: 60_000,
            killSignal: "SIGKILL"
          })
        )
        assert.include(stdout, "its disk is full")
        assert.include(stdout, "read: true, ready: false")
        assert.include(stdout, "written: true, ready: true")
      }),
    { timeout: 90_000, ...needsSmallDisk }
  )
})
