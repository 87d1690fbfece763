/**
 * Runs an embedded database on a small disk. Another file fills the disk, except for a part of a write-ahead log file.
 * The process writes until a write is rejected, reads, frees space, and writes again. Another file fills the disk,
 * except for space for a part of a write-ahead log file.
 */
import { PgClient } from "@effect/sql-pg"
import { checkReady, layerMigrations, layerPglite } from "@tapeline/postgres"
import { Console, Effect, Layer, Result } from "effect"
import { readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { mapSqlErrors } from "../../src/errors.ts"

const [disk = "", dump = ""] = process.argv.slice(2)
const ballastFile = join(disk, "ballast")
const freeBytes = 900_000

const fillDisk = Effect.sync(() => {
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(ballastFile, Buffer.alloc(bavail * bsize - freeBytes))
})

const program = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  // New versions of a row reuse the space of old versions, so that only the write-ahead log grows.
  yield* sql.unsafe("create table often (text text storage plain)").unprepared
  yield* sql`insert into often values (repeat('x', 2500))`
  const write = mapSqlErrors("test")(sql`update often set text = reverse(text)`)
  yield* write
  yield* fillDisk
  const writes = Effect.forEach(Array.from({ length: 1_000 }), () => write, { discard: true })
  yield* Console.log(`refused: ${(yield* Effect.flip(writes)).message}`)
  const [row] = yield* sql<{ rows: number }>`select count(*)::integer as rows from often`
  yield* Console.log(`read: ${row!.rows === 1}, ready: ${Result.isSuccess(yield* Effect.result(checkReady))}`)
  rmSync(ballastFile)
  yield* writes
  yield* Console.log(`written: true, ready: ${Result.isSuccess(yield* Effect.result(checkReady))}`)
})

const database = layerPglite({ dataDir: join(disk, "db"), load: new Blob([readFileSync(dump)]) })
await Effect.runPromise(program.pipe(Effect.provide(Layer.provideMerge(layerMigrations, database))))
