import { makeFolder } from "@tapeline/postgres/folder"
import { Effect, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

export class DataDirUnusable extends Schema.TaggedError<DataDirUnusable>()("DataDirUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The data folder cannot be used: ${this.reason}. Set TAPELINE_DATA_DIR to a folder that this user may write to.`
  }
}

/** The file of the admin token is empty or truncated. */
export class AdminTokenUnusable extends Schema.TaggedError<AdminTokenUnusable>()("AdminTokenUnusable", {
  file: Schema.String
}) {
  override get message(): string {
    return `${this.file} contains no valid token, which has ${tokenRequirement}. Remove the file, and the next ` +
      "start creates a new token; or set TAPELINE_ADMIN_TOKEN."
  }
}

export const tokenRequirement = "at least 16 printable ASCII characters without spaces"
export const isValidToken = (token: string): boolean => /^[\x21-\x7e]{16,}$/.test(token)

export const adminTokenFile = (dataDir: string): string => join(dataDir, "admin-token")

const errorCodeOf = (cause: unknown): unknown => cause instanceof Error && "code" in cause ? cause.code : undefined

/** Writes a new file completely or not at all, even after a power failure, and never changes an existing file. */
const writeNewFile = (file: string, text: string): void => {
  const temporaryFile = `${file}.${randomBytes(8).toString("hex")}`
  try {
    const descriptor = openSync(temporaryFile, "wx", 0o600)
    try {
      writeFileSync(descriptor, text)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // `linkSync` is atomic and never replaces a file, so only one of two concurrent processes creates the token.
    linkSync(temporaryFile, file)
  } catch (cause) {
    if (errorCodeOf(cause) !== "EEXIST") throw cause
  } finally {
    rmSync(temporaryFile, { force: true })
  }
}

const readIfExists = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8").trim()
  } catch (cause) {
    if (errorCodeOf(cause) === "ENOENT") return undefined
    throw cause
  }
}

/**
 * Returns the admin token from a file in the data folder. The server creates the file at its first start, and only its
 * owner may read the file.
 */
export const readOrCreateAdminToken = (
  dataDir: string
): Effect.Effect<Redacted.Redacted<string>, DataDirUnusable | AdminTokenUnusable> =>
  Effect.flatMap(
    Effect.try({
      try: () => {
        const file = adminTokenFile(dataDir)
        // If the token file exists, the folder may be read-only, as with a mounted secret.
        const existing = readIfExists(file)
        if (existing !== undefined) return existing
        makeFolder(dataDir)
        writeNewFile(file, randomBytes(32).toString("base64url"))
        return readFileSync(file, "utf8").trim()
      },
      catch: (error) =>
        new DataDirUnusable({ path: dataDir, reason: error instanceof Error ? error.message : String(error) })
    }),
    (token) =>
      isValidToken(token)
        ? Effect.succeed(Redacted.make(token))
        : Effect.fail(new AdminTokenUnusable({ file: adminTokenFile(dataDir) }))
  )
