import { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Effect, Predicate } from "effect"
import { rm, writeFile } from "node:fs/promises"
import { timesRefusedRoom } from "./errors.ts"
import type { Reserve } from "./reserve.ts"

/** Whether the disk of an embedded database has room to write. Null for a database server, which has its own disk. */
export const RoomToWrite = Context.Reference<{ readonly check: Effect.Effect<void, StoreUnavailable> } | null>(
  "@tapeline/postgres/RoomToWrite",
  { defaultValue: () => null }
)

/** The size of a file of the write-ahead log and of some table pages. */
const needed = Buffer.alloc(1_048_576 + 65_536)

const noRoom = (reason: string) =>
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
export const roomBeside = (
  dataDir: string,
  reserve: Reserve
): { readonly check: Effect.Effect<void, StoreUnavailable> } => {
  const file = `${dataDir}.room`
  let healed = timesRefusedRoom()
  const write = Effect.tryPromise({
    try: async () => {
      try {
        await writeFile(file, needed, { mode: 0o600 })
      } finally {
        await rm(file, { force: true })
      }
    },
    catch: (cause) => noRoom(`Nothing could be written beside the data folder (${codeOf(cause)})`)
  })
  return {
    check: Effect.suspend(() => {
      if (reserve.isTouched()) return noRoom("Less is free on the disk of the data folder than what stays so")
      const refused = timesRefusedRoom()
      return refused === healed ? Effect.void : Effect.andThen(write, Effect.sync(() => void (healed = refused)))
    })
  }
}
