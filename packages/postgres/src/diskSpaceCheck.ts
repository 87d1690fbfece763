import { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Effect, Predicate } from "effect"
import { rm, writeFile } from "node:fs/promises"
import type { DiskReserve } from "./diskReserve.ts"
import { countDiskFullFailures } from "./errors.ts"

/** Whether the disk of an embedded database has room to write. Null for a database server, which has its own disk. */
export const DiskSpaceCheck = Context.Reference<{ readonly check: Effect.Effect<void, StoreUnavailable> } | null>(
  "@tapeline/postgres/RoomToWrite",
  { defaultValue: () => null }
)

/** The size of a file of the write-ahead log and of some table pages. */
const testFileContent = Buffer.alloc(1_048_576 + 65_536)

const makeDiskFullError = (reason: string) =>
  new StoreUnavailable({
    store: "database",
    trouble: "has no room to write: make some 100 MB of room on its disk; nothing needs to be restarted",
    cause: new Error(reason)
  })

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"

/**
 * Checks whether writes are possible. Fails while the reserve is touched. After a statement failed because the disk was
 * full, the check writes a file next to the data folder, as large as the next writes. It fails until that succeeds.
 * Without such a failure, no file is written. The check recovers without another failed call.
 */
export const makeDiskSpaceCheck = (
  dataDir: string,
  diskReserve: DiskReserve
): { readonly check: Effect.Effect<void, StoreUnavailable> } => {
  const testFile = `${dataDir}.room`
  let recoveredFailures = countDiskFullFailures()
  const writeTestFile = Effect.tryPromise({
    try: async () => {
      try {
        await writeFile(testFile, testFileContent, { mode: 0o600 })
      } finally {
        await rm(testFile, { force: true })
      }
    },
    catch: (cause) => makeDiskFullError(`Nothing could be written beside the data folder (${codeOf(cause)})`)
  })
  return {
    check: Effect.suspend(() => {
      if (diskReserve.isLow()) {
        return makeDiskFullError("Less is free on the disk of the data folder than what stays so")
      }
      const failures = countDiskFullFailures()
      return failures === recoveredFailures
        ? Effect.void
        : Effect.andThen(writeTestFile, Effect.sync(() => void (recoveredFailures = failures)))
    })
  }
}
