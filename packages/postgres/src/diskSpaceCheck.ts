import { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Effect, Predicate } from "effect"
import { rm, writeFile } from "node:fs/promises"
import type { DiskReserve } from "./diskReserve.ts"
import { countDiskFullFailures } from "./errors.ts"

/**
 * Checks whether the disk of the embedded database has space for writes. `DiskSpaceCheck` is null for a PostgreSQL
 * server.
 */
export const DiskSpaceCheck = Context.Reference<{ readonly check: Effect.Effect<void, StoreUnavailable> } | null>(
  "@tapeline/postgres/DiskSpaceCheck",
  { defaultValue: () => null }
)

/**
 * The content of the file that tests whether the disk accepts writes. The test file is as large as one file of the
 * write-ahead log and some table pages together.
 */
const testFileContent = Buffer.alloc(1_048_576 + 65_536)

const makeDiskFullError = (reason: string) =>
  new StoreUnavailable({
    store: "database",
    trouble: "cannot write, because its disk is full: free about 100 MB; a restart is not needed",
    cause: new Error(reason)
  })

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"

/**
 * Creates a check that fails while less space is free than the reserve. After a write fails because of a full disk, the
 * check fails until a test file can be written.
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
    catch: (cause) => makeDiskFullError(`A test file next to the data folder could not be written (${codeOf(cause)})`)
  })
  return {
    check: Effect.suspend(() => {
      if (diskReserve.isLow()) {
        return makeDiskFullError("The disk of the data folder has less free space than the reserve")
      }
      const failures = countDiskFullFailures()
      return failures === recoveredFailures
        ? Effect.void
        : Effect.andThen(writeTestFile, Effect.sync(() => void (recoveredFailures = failures)))
    })
  }
}
