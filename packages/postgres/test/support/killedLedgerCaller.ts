/**
 * Calls the ledger with 16 callers that reserve credits, 16 callers that only charge, and 4 administrators. Writes the
 * responses to standard output, and kills the process at a failpoint. Arguments: `pglite` or `postgres`, the folder or
 * URL, the account, the limited key, the failpoint, and how many visits of the failpoint come before the kill.
 */
import {
  type Actor,
  type AdjustmentRequest,
  AdminStore,
  type Failpoint,
  Failpoints,
  Ledger,
  makeAdjustCredits,
  type Reservation,
  type UnreservedCall
} from "@tapeline/core/engine"
import { type Database, type DatabaseError, layerPglite, layerPostgres, PgStores } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { writeSync } from "node:fs"

const [kind, location = "", account, key, failpoint, passesBefore] = process.argv.slice(2)
let passesLeft = Number(passesBefore)

const failpoints = Layer.succeed(Failpoints, (point: Failpoint) =>
  Effect.sync(() => {
    if (point === failpoint && passesLeft-- <= 0) process.kill(process.pid, "SIGKILL")
  }))

const client: Layer.Layer<Database, DatabaseError> = kind === "pglite"
  ? layerPglite({ dataDir: location })
  : layerPostgres({ url: location })
/** Every other call is made by the limited key, and the others in a session. */
const actorOf = (n: number): Actor => n % 2 === 0 ? { _tag: "Key", key: Number(key) } : { _tag: "Session", session: 1 }

const services = Ledger.layer.pipe(Layer.provideMerge(PgStores), Layer.provide(failpoints), Layer.provide(client))

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

/** Settled reservations that no administrator has refunded yet. */
const settledReservations: Array<Reservation> = []

const runCaller = Effect.fnUntraced(function*(n: number) {
  const ledger = yield* Ledger
  for (let i = 0;; i++) {
    const admission = yield* ledger.reserve({
      account: Number(account),
      actor: actorOf(n),
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
    if (ending._tag !== "Ended") continue
    writeOutput(`${isSettled ? "settled" : "released"} ${admission.reservation.entry}\n`)
    if (isSettled) settledReservations.push(admission.reservation)
  }
})

/** Charges calls without a reservation. Every seventh call fails, and is recorded as a failure. */
const runChargingCaller = Effect.fnUntraced(function*(n: number) {
  const ledger = yield* Ledger
  for (let i = 0;; i++) {
    const call: UnreservedCall = {
      id: yield* ledger.takeCallId,
      account: Number(account),
      actor: actorOf(n),
      tool: "get_book",
      credits: 1
    }
    if ((n + i) % 7 === 0) {
      yield* ledger.recordFailure(call)
      continue
    }
    const idempotency = i % 4 === 0 ? { key: `${process.pid}-c${n}-${i}`, fingerprint: "f", retentionMs: 60_000 } : null
    const result = yield* ledger.charge({ ...call, idempotency, response: "{\"data\":1}" })
    if (result._tag === "Charged") writeOutput(`settled ${call.id}\n`)
  }
})

/**
 * Grants credits or corrects the balance, and refunds calls that other administrators refund at the same time. Each
 * change has an idempotency key, like a request of the admin API.
 */
const runAdministrator = Effect.fnUntraced(function*(n: number) {
  const [store, ledger] = yield* Effect.all([AdminStore, Ledger])
  const adjustCredits = makeAdjustCredits(ledger, store)
  const common = { account: Number(account), reason: "killed", reference: null }
  for (let i = 0;; i++) {
    const refunded = settledReservations[Math.floor(i / 3)]
    const request: AdjustmentRequest = i % 3 === 2 && refunded !== undefined
      ? { kind: "refund", amount: null, call: refunded, ...common }
      : n % 2 === 0
      ? { kind: "grant", amount: 2, month: null, months: 3, ...common }
      : { kind: "correction", amount: -1, month: null, allowNegative: false, ...common }
    // PGlite answers in microtasks, before the event loop turns. Without a pause, the loops of the administrators would
    // stop the event loop.
    yield* Effect.sleep(1)
    if (i % 4 === 3) {
      yield* ledger.limitKey(Number(key), i % 8 === 3 ? 500_000 + i : null)
      continue
    }
    const change = Effect.map(
      adjustCredits(request),
      ({ adjustments }) => JSON.stringify(adjustments.map(({ id }) => id))
    )
    const admin = { actor: `admin:${n}`, key: `${process.pid}-${i}`, fingerprint: "f" }
    const response = yield* Effect.option(store.once(admin, change))
    if (response._tag === "None") continue
    const ids: ReadonlyArray<number> = JSON.parse(response.value)
    for (const id of ids) writeOutput(`adjusted ${id}\n`)
  }
})

await Effect.runPromise(Effect.provide(
  Effect.all([
    ...Array.from({ length: 16 }, (_, n) => runCaller(n)),
    ...Array.from({ length: 16 }, (_, n) => runChargingCaller(n)),
    ...Array.from({ length: 4 }, (_, n) => runAdministrator(n))
  ], { concurrency: "unbounded", discard: true }),
  services
))
