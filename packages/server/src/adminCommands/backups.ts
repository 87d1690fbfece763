import type { BackupSummary } from "@tapeline/postgres"
import { Effect, Option, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { HttpClientResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { link, open, rename, rm, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { type AdminClient, CommandFailed } from "../adminClient.ts"
import { CommandEnvironment, printResponse, Problem, runAdminCommand } from "./common.ts"

const failed = (reason: string) => new CommandFailed({ reason })

/** Loads the code that reads archives only for these commands, because loading it takes long. */
const loadPostgres = Effect.promise(() => import("@tapeline/postgres"))

const codeOf = (cause: unknown): unknown => Object(cause).code

const cannotWrite = (path: string) => (cause: unknown) =>
  failed(
    codeOf(cause) === "ENOSPC"
      ? `${path} cannot be written: its disk is full.`
      : `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
  )

const alreadyExists = (path: string) => failed(`${path} exists. Choose another file, or replace it with --overwrite.`)

const exists = (path: string) => Effect.promise(() => stat(path).then(() => true, () => false))

/** Opens a file that must not exist. Only the user of the process can read the file. */
const openNewFile = (part: string, path: string) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => open(part, "wx", 0o600),
      catch: (cause) => failed(`${path} cannot be created (${String(codeOf(cause))}).`)
    }),
    (file) => Effect.promise(() => file.close())
  )

const download = Effect.fnUntraced(function*(client: AdminClient, part: string, path: string) {
  const file = yield* openNewFile(part, path)
  const response = yield* client.backup({ responseMode: "response-only" })
  if (response.status === 404) {
    return yield* failed(
      "404: The server has no online backups. It uses PostgreSQL, which docs/backups.md describes, or is an older version."
    )
  }
  if (response.status !== 200) {
    const { detail } = yield* HttpClientResponse.schemaBodyJson(Problem)(response)
    return yield* failed(`${response.status}: ${detail}`)
  }
  yield* Stream.runForEach(
    response.stream,
    (bytes) => Effect.tryPromise({ try: () => file.writeFile(bytes), catch: cannotWrite(path) })
  ).pipe(
    Effect.catchTag(
      "HttpClientError",
      () => failed("The server ended the backup early. Read its log for the reason, and repeat the command.")
    )
  )
  yield* Effect.tryPromise({ try: () => file.sync(), catch: cannotWrite(path) })
}, Effect.scoped)

/** Writes the names in a folder to the disk, unless the file system can only do so for files. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } catch (cause) {
    if (!["EINVAL", "ENOTSUP", "EBADF"].includes(String(codeOf(cause)))) throw cause
  } finally {
    await handle.close()
  }
}

/** Creates an empty file to replace, because file systems such as exFAT and some network drives have no links. */
const renameToNewFile = async (part: string, path: string): Promise<void> => {
  await (await open(path, "wx", 0o600)).close()
  try {
    await rename(part, path)
  } catch (cause) {
    await rm(path)
    throw cause
  }
}

/** Gives a complete file its name. Unlike `rename`, `link` never replaces a file. */
const publish = (part: string, path: string, overwrite: boolean) =>
  Effect.tryPromise({
    try: async () => {
      if (overwrite) await rename(part, path)
      else await link(part, path).catch(() => renameToNewFile(part, path))
      await syncFolder(dirname(path))
    },
    catch: (cause) => codeOf(cause) === "EEXIST" ? alreadyExists(path) : cannotWrite(path)(cause)
  })

const summaryFields = ({ bytes, description, files, moment }: BackupSummary) => ({
  moment,
  database_bytes: bytes,
  files,
  migration: description.migration
})

const backUp = Effect.fnUntraced(function*(client: AdminClient, output: string, overwrite: boolean) {
  const path = resolve(output)
  if (!overwrite && (yield* exists(path))) return yield* alreadyExists(path)
  if (yield* exists(join(dirname(path), "PG_VERSION"))) {
    return yield* failed(`${dirname(path)} is a folder of a database. Choose another folder.`)
  }
  const part = `${path}.${randomBytes(6).toString("hex")}.part`
  return yield* Effect.gen(function*() {
    yield* download(client, part, path)
    const { verifyBackup } = yield* loadPostgres
    const summary = yield* verifyBackup(part).pipe(
      Effect.mapError(({ reason }) => failed(reason.replace(part, "The downloaded backup")))
    )
    const { size } = yield* Effect.tryPromise({ try: () => stat(part), catch: cannotWrite(path) })
    yield* publish(part, path, overwrite)
    return { file: path, bytes: size, ...summaryFields(summary) }
  }).pipe(Effect.ensuring(Effect.promise(() => rm(part, { force: true }))))
})

export const backup = Command.make(
  "backup",
  {
    output: Flag.String("output").pipe(Flag.withDescription("The file to write, which only its owner can read")),
    overwrite: Flag.Boolean("overwrite").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Replace the file if it exists, after the new backup is complete")
    )
  },
  ({ output, overwrite }) => runAdminCommand((client) => backUp(client, output, overwrite))
).pipe(
  Command.withDescription("Write a checked backup of a running server's embedded database to a file (scope: backup)")
)

export const restore = Command.make(
  "restore",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A file that `tapeline backup` wrote")),
    dataDir: Flag.String("data-dir").pipe(
      Flag.withDescription("The data folder (TAPELINE_DATA_DIR) of the new server; it must not have a database"),
      Flag.optional
    ),
    check: Flag.Boolean("check").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Only check that the file is complete and can be restored")
    )
  },
  Effect.fnUntraced(function*({ check, dataDir, file }) {
    const { restoreBackup, verifyBackup } = yield* loadPostgres
    const path = resolve(file)
    const toFailed = Effect.mapError((error: Error) => failed(error.message))
    if (check) {
      return yield* printResponse({ file: path, ...summaryFields(yield* toFailed(verifyBackup(path))) })
    }
    const environment = yield* CommandEnvironment
    const folder = Option.getOrElse(dataDir, () => environment["TAPELINE_DATA_DIR"] || "./data")
    const restored = yield* toFailed(restoreBackup(path, join(folder, "db")))
    yield* printResponse({ data_dir: resolve(folder), ...summaryFields(restored), accounts: restored.accounts })
  })
).pipe(
  Command.withDescription("Restore a backup of the embedded database to a data folder, before its server starts")
)
