import { makeFolder } from "@tapeline/postgres/folder"
import { Effect, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The data folder cannot be written to, or read from. */
export class DataDirUnusable extends Schema.TaggedError<DataDirUnusable>()("DataDirUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The data folder cannot be used: ${this.reason}. Set TAPELINE_DATA_DIR to a folder that this user may write to.`
  }
}

/** The file of the administration's token holds none that may be used: it is empty, or was cut short. */
export class AdminTokenUnusable extends Schema.TaggedError<AdminTokenUnusable>()("AdminTokenUnusable", {
  file: Schema.String
}) {
  override get message(): string {
    return `${this.file} holds no token: ${soundToken} are needed. Remove the file, and the next start makes a new ` +
      "one; or set TAPELINE_ADMIN_TOKEN."
  }
}

/** What a token of the administration must be: long enough, and of what a header can carry. */
export const soundToken = "at least 16 printable ASCII characters without a space"
export const isSoundToken = (token: string): boolean => /^[\x21-\x7e]{16,}$/.test(token)

/** Where the generated token of the administration is kept. */
export const adminTokenFile = (dataDir: string): string => join(dataDir, "admin-token")

const codeOf = (cause: unknown): unknown => cause instanceof Error && "code" in cause ? cause.code : undefined

/**
 * Writes a file so that it is there whole or not at all, also after a loss of power; one that is there stays as it is.
 */
const writeOnce = (file: string, text: string): void => {
  const draft = `${file}.${randomBytes(8).toString("hex")}`
  try {
    const descriptor = openSync(draft, "wx", 0o600)
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // A link is made whole or not at all, and never over one that is there: of two processes one makes the token.
    linkSync(draft, file)
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") throw cause
  } finally {
    rmSync(draft, { force: true })
  }
}

const readWhereThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

/** The token in the data folder, made at the first start, in a file that only its owner may read. */
export const storedAdminToken = (
  dataDir: string
): Effect.Effect<Redacted.Redacted<string>, DataDirUnusable | AdminTokenUnusable> =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        const file = adminTokenFile(dataDir)
        // A folder that cannot be written to is no fault where the token is there: a mounted secret.
        const kept = readWhereThere(file)
        if (kept !== undefined) return kept
        makeFolder(dataDir)
        writeOnce(file, randomBytes(32).toString("base64url"))
        return readFileSync(file, "utf8").trim()
      },
      catch: (error) =>
        new DataDirUnusable({ path: dataDir, reason: error instanceof Error ? error.message : String(error) })
    }),
    (token) =>
      isSoundToken(token)
        ? Effect.succeed(Redacted.make(token))
        : Effect.fail(new AdminTokenUnusable({ file: adminTokenFile(dataDir) }))
  )
