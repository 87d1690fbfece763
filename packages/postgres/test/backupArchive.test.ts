import { assert, describe, it } from "@effect/vitest"
import { restoreBackup, verifyBackup } from "@tapeline/postgres"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { type BackupDescription, descriptionPath, formatVersion, postgresVersion } from "../src/backup/format.ts"
import { readArchive, UnusableArchive } from "../src/backup/readArchive.ts"
import { archiveEnd, encodeHeader, paddingOf } from "../src/backup/tar.ts"
import { writeArchive } from "../src/backup/writeArchive.ts"
import { lockDataDir } from "../src/dataDirLock.ts"
import { latestMigration } from "../src/migrations/index.ts"

type Files = Readonly<Record<string, Buffer>>

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-archive-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

const description: BackupDescription = {
  format: "tapeline-database",
  version: formatVersion,
  started_at: "2026-01-01T00:00:00.000Z",
  postgres: postgresVersion,
  migration: latestMigration
}

const [firstWalFile, lastWalFile] = ["000000010000000000000FFF", "000000010000000100000000"]
const wal: Files = { [`pg_wal/${firstWalFile}`]: Buffer.from("first"), [`pg_wal/${lastWalFile}`]: Buffer.from("last") }

const writeFiles = (dir: string, files: Files): void => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
  }
}

/** Writes files to a folder, and returns the compressed archive of the folder. */
const archiveOf = (
  dir: string,
  files: Files,
  { onStop = () => undefined, link }: { readonly onStop?: () => void; readonly link?: string } = {}
) =>
  Effect.promise(async () => {
    rmSync(dir, { recursive: true, force: true })
    writeFiles(dir, files)
    if (link !== undefined) symlinkSync(tmpdir(), join(dir, link))
    const chunks: Array<Buffer> = []
    const source = {
      dataDir: dir,
      description,
      stop: async () => {
        onStop()
        return { label: "label", firstWalFile, lastWalFile, moment: "2026-01-01T00:00:01.000Z" }
      }
    }
    for await (const chunk of writeArchive(source)) chunks.push(chunk)
    return gzipSync(Buffer.concat(chunks))
  })

/** Returns the files of an archive, or the message of the error. */
const filesOf = (file: string, archive: Buffer) =>
  Effect.promise(async () => {
    writeFileSync(file, archive)
    const files: Record<string, Buffer> = {}
    try {
      await readArchive(file, () => undefined, {
        addFolder: () => Promise.resolve(),
        addFile: async (path, chunks) => {
          const parts: Array<Buffer> = []
          for await (const chunk of chunks) parts.push(chunk)
          files[path] = Buffer.concat(parts)
        }
      })
      return files
    } catch (cause) {
      if (cause instanceof UnusableArchive) return cause.message
      throw cause
    }
  })

const archiveWith = (first: object, path = "db/file"): Buffer => {
  const entry = (name: string, text: string) => [
    encodeHeader({ path: name, isFolder: false, bytes: text.length }, 0),
    Buffer.from(text),
    paddingOf(text.length)
  ]
  return gzipSync(Buffer.concat([
    ...entry(descriptionPath, JSON.stringify({ ...description, ...first })),
    ...entry(path, "content"),
    archiveEnd
  ]))
}

const contents = fc.uint8Array({ maxLength: 2_000 }).map((bytes) => Buffer.from(bytes))
const someFiles = fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,8}$/u), contents, { maxKeys: 6 })

describe("The archive of a backup", () => {
  it.effect("returns the files of the folder, without those of the running process", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(someFiles, (files) =>
            Effect.runPromise(Effect.gen(function*() {
              const kept = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [`base/5/${name}`, bytes]))
              const control = { "global/pg_control": Buffer.from("control"), PG_VERSION: Buffer.from("18\n") }
              const archive = yield* archiveOf(join(dir, "source"), {
                ...kept,
                ...control,
                ...wal,
                "postmaster.pid": Buffer.from("1"),
                "pg_subtrans/0000": Buffer.from("x"),
                "base/pgsql_tmp/pgsql_tmp1.0": Buffer.from("x"),
                "global/pg_internal.init": Buffer.from("x"),
                "base/5/.nfs0001": Buffer.from("x"),
                ".snapshot/PG_VERSION": Buffer.from("x"),
                "lost+found/x": Buffer.from("x"),
                "pg_wal/000000010000000000000FFE": Buffer.from("old"),
                "pg_wal/000000010000000100000001": Buffer.from("future")
              })
              assert.deepStrictEqual(yield* filesOf(join(dir, "archive"), archive), {
                ...kept,
                ...control,
                ...wal,
                backup_label: Buffer.from("label")
              })
            }))),
          { numRuns: 20 }
        )
      )
    }).pipe(Effect.scoped))

  it.effect("is rejected, or is read correctly, after a bit was changed or its end was cut", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const content = Buffer.from(Array.from({ length: 3_000 }, (_, i) => i * i))
      const archive = yield* archiveOf(join(dir, "source"), { "base/1": content, ...wal })
      const expected = yield* filesOf(join(dir, "archive"), archive)
      assert.notTypeOf(expected, "string")
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(7), (at, bit) =>
            Effect.runPromise(Effect.gen(function*() {
              const changed = Buffer.from(archive)
              changed[at]! ^= 1 << bit
              const found = yield* filesOf(join(dir, "archive"), changed)
              if (typeof found !== "string") assert.deepStrictEqual(found, expected)
              const cut = yield* filesOf(join(dir, "archive"), archive.subarray(0, at))
              assert.strictEqual(cut, "The file is incomplete: its end is missing.")
              // A proxy that ends a response early can leave a valid compressed file.
              const plain = gunzipSync(archive)
              const cutPlain = plain.subarray(0, Math.floor((plain.length - 2_048) * at / archive.length))
              assert.typeOf(yield* filesOf(join(dir, "archive"), gzipSync(cutPlain)), "string")
            }))),
          { numRuns: 100 }
        )
      )
    }).pipe(Effect.scoped))

  it.effect("continues after files were deleted or truncated, and fails if the log has a gap", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const source = join(dir, "source")
      const files = { "base/1": Buffer.alloc(100, 1), "global/pg_control": Buffer.alloc(10, 2), ...wal }
      const onStop = () => truncateSync(join(source, "pg_wal", lastWalFile), 2)
      assert.deepInclude(yield* filesOf(join(dir, "archive"), yield* archiveOf(source, files, { onStop })), {
        [`pg_wal/${lastWalFile}`]: Buffer.from("la")
      })
      const remove = () => rmSync(join(source, "pg_wal", firstWalFile))
      const exit = yield* Effect.exit(archiveOf(source, files, { onStop: remove }))
      assert.match(String(exit), /lacks files/)
    }).pipe(Effect.scoped))

  it.effect("fails if a file is a link, because the linked files would be missing", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const files = { "base/1": Buffer.alloc(100, 1), ...wal }
      const exit = yield* Effect.exit(archiveOf(join(dir, "source"), files, { link: "base/2" }))
      assert.match(String(exit), /base\/2 in the data folder is a link/)
    }).pipe(Effect.scoped))

  it.effect("is rejected if a newer version wrote it, if it is another file, or if a path leads out of the folder", () =>
    Effect.gen(function*() {
      const dir = yield* folder
      const file = join(dir, "archive")
      const newer = `${file}: The file was written by a newer version of Tapeline. Restore it with that version.`
      const cases: ReadonlyArray<readonly [archive: Buffer, message: string]> = [
        [archiveWith({ version: formatVersion + 1, started_at: null }), newer],
        [archiveWith({ migration: latestMigration + 1 }), newer],
        [archiveWith({ postgres: postgresVersion + 1 }), newer],
        [archiveWith({ postgres: postgresVersion - 1 }), `with PostgreSQL ${postgresVersion - 1}.`],
        [archiveWith({ migration: "x" }), "its description is not valid"],
        [archiveWith({}, "db/../../out"), "unexpected entry"],
        [archiveWith({}, "/etc/out"), "unexpected entry"],
        [archiveWith({}, "db/.hidden"), "unexpected entry"],
        [archiveWith({}), "damaged"],
        [gzipSync(Buffer.alloc(4_096)), "damaged"],
        [Buffer.from("not an archive"), "cannot be decompressed"],
        [Buffer.alloc(0), "incomplete"]
      ]
      for (const [archive, message] of cases) {
        writeFileSync(file, archive)
        const error = yield* Effect.flip(restoreBackup(file, join(dir, "new", "db")))
        assert.include(error.message, message)
        assert.isFalse(existsSync(join(dir, "new")), message)
      }
      assert.match((yield* Effect.flip(verifyBackup(join(dir, "missing")))).message, /ENOENT/)
    }).pipe(Effect.scoped))

  it.live.runIf(isFullRun)(
    "is not restored to a folder that a server holds or that has files",
    () =>
      Effect.gen(function*() {
        const dir = yield* folder
        const file = join(dir, "archive")
        writeFileSync(file, yield* archiveOf(join(dir, "source"), { "base/1": Buffer.from("x"), ...wal }))
        const held = yield* Effect.scoped(
          Effect.andThen(lockDataDir(join(dir, "db")), Effect.flip(restoreBackup(file, join(dir, "db"))))
        )
        assert.strictEqual(held._tag, "DataDirLocked")
        writeFiles(dir, { "db/anything": Buffer.from("kept") })
        const used = yield* Effect.flip(restoreBackup(file, join(dir, "db")))
        assert.match(used.message, /already has a database/)
        symlinkSync(join(dir, "elsewhere"), join(dir, "linked"))
        const linked = yield* Effect.flip(restoreBackup(file, join(dir, "linked")))
        assert.match(linked.message, /must not be a separate volume or a link/)
        // No user can create files in this folder.
        const unwritable = yield* Effect.flip(restoreBackup(file, "/proc/db"))
        assert.match(unwritable.message, /\/proc\/db cannot be locked: Error: ENOENT/)
        // The files of this archive are no database.
        mkdirSync(join(dir, "new", "db"), { recursive: true })
        const broken = yield* Effect.flip(restoreBackup(file, join(dir, "new", "db")))
        assert.match(broken.message, /does not start/)
        assert.deepStrictEqual(readdirSync(join(dir, "new")), [])
        assert.deepStrictEqual(readdirSync(join(dir, "db")), ["anything"])
      }).pipe(Effect.scoped)
  )
})
