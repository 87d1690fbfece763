/**
 * Calls the ledger with 32 concurrent callers, prints the responses, and kills its own process at a failpoint.
 * Arguments: `pglite` or `postgres`, the folder or the URL, the account, the failpoint, and how often the process
 * passes the failpoint before.
 */
import { type Failpoint, Failpoints, Ledger } from "@tapeline/core/engine"
import { type Database, type DatabaseError, layerPglite, layerPostgres, PgStores } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { writeSync } from "node:fs"

const [kind, location = "", account, failpoint, passesBefore] = process.argv.slice(2)
let passesLeft = Number(passesBefore)

const failpoints = Layer.succeed(Failpoints, (point: Failpoint) =>
  Effect.sync(() => {
    if (point === failpoint && passesLeft-- <= 0) process.kill(process.pid, "SIGKILL")
  }))

const client: Layer.Layer<Database, DatabaseError> = kind === "pglite"
  ? layerPglite({ dataDir: location })
  : layerPostgres({ url: location })
const services = Ledger.layer.pipe(Layer.provide(PgStores), Layer.provide(failpoints), Layer.provide(client))

/** Writes synchronously even if the parent process does not read, so that nothing else runs before the write. */
const writeOutput = (line: string): void => {
  for (;;) {
    try {
      return void writeSync(1, line)
    } catch (cause) {
      if (!(cause instanceof Error && "code" in cause && cause.code === "EAGAIN")) throw cause
    }
  }
}

const runCaller = Effect.fnUntraced(function*(n: number) {
  const ledger = yield* Ledger
  for (let i = 0;; i++) {
    const admission = yield* ledger.reserve({
      account: Number(account),
      actor: { _tag: "Key", key: 1 },
      tool: "get_price",
      credits: 1,
      ttlMs: 60_000,
      idempotency: i % 4 === 0 ? { key: `${process.pid}-${n}-${i}`, fingerprint: "f", retentionMs: 60_000 } : null
    })
    if (admission._tag !== "Admitted") return
    const isSettled = (n + i) % 5 > 0
    const ending = yield* isSettled
      ? ledger.settle(admission.reservation, "yes")
      : ledger.release(admission.reservation)
    if (ending._tag === "Ended") writeOutput(`${isSettled ? "settled" : "released"} ${admission.reservation.entry}\n`)
  }
})

await Effect.runPromise(Effect.provide(
  Effect.all(Array.from({ length: 32 }, (_, n) => runCaller(n)), { concurrency: "unbounded", discard: true }),
  services
))
