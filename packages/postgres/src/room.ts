import { StoreUnavailable } from "@tapeline/core/store"
import { Context, Effect, Predicate } from "effect"
import { rm, writeFile } from "node:fs/promises"
import { timesRefusedRoom } from "./errors.ts"

/** Whether the disk of an embedded database has room to write. Null for a server, which has a disk of its own. */
export const RoomToWrite = Context.Reference<{ readonly check: Effect.Effect<void, StoreUnavailable> } | null>(
  "@tapeline/postgres/RoomToWrite",
  { defaultValue: () => null }
)

/** A file of the database's log of changes, and some of its tables' pages. */
const needed = Buffer.alloc(1_048_576 + 65_536)

const noRoom = (cause: unknown) =>
  new StoreUnavailable({
    store: "database",
    trouble: "has no room to write: make room on its disk; nothing needs to be restarted",
    cause: new Error(`Nothing could be written beside the data folder (${codeOf(cause)})`)
  })

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && typeof cause.code === "string" ? cause.code : "unknown"

/**
 * From the moment that a statement was refused for lack of room, until as much can be written beside the data folder as
 * the next ones take: nothing is written for it as long as all is well, and it heals without a call that would fail.
 */
export const roomBeside = (dataDir: string): { readonly check: Effect.Effect<void, StoreUnavailable> } => {
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
    catch: noRoom
  })
  return {
    check: Effect.suspend(() => {
      const refused = timesRefusedRoom()
      return refused === healed ? Effect.void : Effect.andThen(write, Effect.sync(() => void (healed = refused)))
    })
  }
}
