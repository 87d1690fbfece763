import { Effect, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
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

/** Where the generated token of the administration is kept. */
export const adminTokenFile = (dataDir: string): string => join(dataDir, "admin-token")

/** The token in the data folder, made at the first start, in a file that only its owner may read. */
export const storedAdminToken = (dataDir: string): Effect.Effect<Redacted.Redacted<string>, DataDirUnusable> =>
  Effect.try({
    try: () => {
      mkdirSync(dataDir, { recursive: true })
      try {
        // The flag makes this the one that creates it, should two processes start at once.
        writeFileSync(adminTokenFile(dataDir), randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
      }
      return Redacted.make(readFileSync(adminTokenFile(dataDir), "utf8").trim())
    },
    catch: (error) =>
      new DataDirUnusable({ path: dataDir, reason: error instanceof Error ? error.message : String(error) })
  })
