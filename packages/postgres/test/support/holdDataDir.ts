/** Holds a data folder's lock until the process is killed. Arguments: the folder, and the heartbeat in milliseconds. */
import { Effect } from "effect"
import { writeSync } from "node:fs"
import { lockDataDir } from "../../src/dataDirLock.ts"

const [dataDir = "", heartbeatMs] = process.argv.slice(2)

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const lock = yield* lockDataDir(dataDir, { heartbeatMs: Number(heartbeatMs) })
  yield* Effect.forkScoped(Effect.forever(Effect.sleep(60_000)))
  writeSync(1, "held\n")
  yield* Effect.callback<never>(() =>
    lock.onLost(() => {
      writeSync(1, "lost\n")
      process.exit(3)
    })
  )
})))
