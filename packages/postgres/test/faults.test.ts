import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { GenerationStore } from "@tapeline/core/agent"
import { type Failpoint, KeyStore, LedgerStore } from "@tapeline/core/engine"
import { layerPglite } from "@tapeline/postgres"
import { startNewGeneration } from "@tapeline/testing/agent/fixtures"
import { ledgerFailpointContract } from "@tapeline/testing/contracts/ledgerFailpoints"
import { taskFailpointContract } from "@tapeline/testing/contracts/taskFailpoints"
import { isFullRun } from "@tapeline/testing/fullRun"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Context, Effect, Fiber, Layer } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import {
  type Client,
  makeFreshPglite,
  makeFreshPostgres,
  makeMigratedClient,
  makeMigratedDatabase,
  readPgliteDump,
  type Stores,
  withStores
} from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"

const rows = (accounts: ReadonlyArray<number>) =>
  Effect.flatMap(PgClient.PgClient, (sql) => readLedgerRows(sql, accounts))

const withFailpoints = <R>(client: Layer.Layer<Client>, failpoints: Layer.Layer<never, never, R>) =>
  Layer.unwrap(
    Effect.map(Effect.context<R>(), (context) =>
      withStores(client, failpoints.pipe(Layer.provide(Layer.succeedContext(context)))))
  )

if (isFullRun) {
  ledgerFailpointContract("PGlite", (failpoints) => withFailpoints(makeFreshPglite(), failpoints), rows)
  taskFailpointContract("PGlite", (failpoints) => withFailpoints(makeFreshPglite(), failpoints))
}
describe("failpoints", () => {
  ledgerFailpointContract("PostgreSQL", (failpoints) => withFailpoints(makeFreshPostgres(), failpoints), rows)
  taskFailpointContract("PostgreSQL", (failpoints) => withFailpoints(makeFreshPostgres(), failpoints))
})

const victim = fileURLToPath(new URL("./support/killedLedgerCaller.ts", import.meta.url))

/**
 * Runs a process that crashes at the failpoint, and returns the responses that its callers received before the crash.
 */
const runUntilKilled = (
  kind: "pglite" | "postgres",
  name: string,
  { account, key }: { readonly account: number; readonly key: number },
  point: Failpoint,
  passCount: number
) =>
  Effect.callback<SettlementReport, Error>((resume) => {
    execFile(
      process.execPath,
      [victim, kind, name, String(account), String(key), point, String(passCount)],
      { maxBuffer: 1 << 28 },
      (error, out, err) => {
        if (error?.signal !== "SIGKILL") return resume(Effect.fail(new Error(`The process did not die: ${err}`)))
        const readIds = (prefix: string) =>
          out.split("\n").flatMap((line) => line.startsWith(prefix) ? [Number(line.slice(prefix.length))] : [])
        resume(
          Effect.succeed({
            settled: readIds("settled "),
            released: readIds("released "),
            adjusted: readIds("adjusted ")
          })
        )
      }
    )
  })

const newVictim = Effect.gen(function*() {
  yield* (yield* LedgerStore).definePlans({ victim: 1_000_000 })
  const keys = yield* KeyStore
  const { id: account } = yield* keys.createAccount({ name: "victim", plan: "victim", now: 0 })
  const hash = crypto.randomUUID().replaceAll("-", "").repeat(2)
  const newKey = { account, name: "victim", prefix: "tl", hash, scopes: [], expiresAt: null, limit: 1, now: 0 }
  const { id: key } = yield* keys.createKey(newKey)
  yield* (yield* LedgerStore).limitKey(key, 500_000)
  return { account, key }
})
const newAccount = Effect.map(newVictim, ({ account }) => account)

interface SettlementReport {
  readonly settled: ReadonlyArray<number>
  readonly released: ReadonlyArray<number>
  readonly adjusted: ReadonlyArray<number>
}

/** Returns the ids of the adjustments that the events of an account and the stored responses contain. */
const readAdjustmentRecords = (account: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.map(
      sql.unsafe<{ readonly evented: ReadonlyArray<number>; readonly responded: ReadonlyArray<number> }>(
        `select coalesce((select json_agg(a.id::bigint order by a.id::bigint) from events e,
            json_array_elements_text((e.after::json)->'adjustments') a (id)
            where account = $1 and type = 'credits.adjusted'), '[]') as evented,
          coalesce((select json_agg(a.id::bigint order by a.id::bigint) from admin_requests r,
            json_array_elements_text(r.response::json) a (id)), '[]') as responded`,
        [BigInt(account)]
      ),
      ([row]) => row!
    ))

/**
 * Checks that all acknowledged calls are charged and all acknowledged adjustments are made. In addition, only calls and
 * adjustments that were in flight may be charged or made. No credits stay reserved.
 */
const recover = Effect.fnUntraced(function*(account: number, reports: ReadonlyArray<SettlementReport>) {
  const ledger = yield* LedgerStore
  assert.deepStrictEqual(findRuleViolations(yield* rows([account])), [])
  while ((yield* ledger.expire(1_000, { at: Date.now() + 120_000 })) > 0);
  const ledgerRows = yield* rows([account])
  assert.deepStrictEqual(findRuleViolations(ledgerRows), [])
  const inState = (wantedState: string) =>
    new Set(ledgerRows.entries.filter(({ state }) => state === wantedState).map(({ id }) => id))
  const [settled, released] = [inState("settled"), inState("released")]
  assert.strictEqual(inState("reserved").size, 0)
  const acknowledged = reports.flatMap((one) => one.settled)
  assert.isAbove(acknowledged.length, 0)
  assert.isTrue(acknowledged.every((entry) => settled.has(entry)), "every acknowledged settlement is charged")
  assert.isTrue(
    reports.flatMap((one) => one.released).every((entry) => released.has(entry)),
    "no acknowledged release is charged"
  )
  assert.isAtMost(settled.size - acknowledged.length, 32 * reports.length)
  const [adjusted, acknowledgedAdjustments] = [
    new Set(ledgerRows.adjustments.map(({ id }) => id)),
    reports.flatMap((one) => one.adjusted)
  ]
  assert.isAbove(acknowledgedAdjustments.length, 0)
  assert.isTrue(acknowledgedAdjustments.every((id) => adjusted.has(id)), "every acknowledged adjustment is made")
  assert.isAtMost(adjusted.size - acknowledgedAdjustments.length, 4 * 3 * reports.length)
  const { evented, responded } = yield* readAdjustmentRecords(account)
  assert.deepStrictEqual(evented, [...adjusted].sort((a, b) => a - b), "every adjustment has one event")
  assert.deepStrictEqual(responded, evented, "every adjustment has one stored response")
})

const deaths: ReadonlyArray<Failpoint> = [
  "after:charge",
  "after:end",
  "before:charge",
  "after:adjust",
  "before:end",
  "after:reserve",
  "before:reserve",
  "before:adjust",
  "after:limitKey",
  "before:limitKey"
]

const rounds = isFullRun ? 12 : 2

const kill = Effect.fnUntraced(
  function*(kind: "pglite" | "postgres", name: string, open: () => Layer.Layer<Stores | Client>) {
    const victimKey = yield* Effect.provide(newVictim, open(), { local: true })
    const reports: Array<SettlementReport> = []
    for (let round = 0; round < rounds; round++) {
      reports.push(yield* runUntilKilled(kind, name, victimKey, deaths[round % deaths.length]!, 15 + 10 * round))
      yield* Effect.provide(recover(victimKey.account, reports), open(), { local: true })
    }
  }
)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapeline-kill-"))),
  (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
)

describe("SIGKILL under 32 callers", () => {
  it.live.runIf(isFullRun)(
    "keeps every acknowledged charge and adjustment, and leaves nothing reserved on PGlite",
    () =>
      Effect.gen(function*() {
        const dataDir = join(yield* folder, "db")
        yield* kill("pglite", dataDir, () =>
          withStores(layerPglite({ dataDir, load: readPgliteDump() }).pipe(Layer.orDie)))
      }),
    240_000
  )

  it.live(
    "keeps every acknowledged charge and adjustment, and leaves nothing reserved on PostgreSQL",
    () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        yield* kill("postgres", url, () => withStores(makeMigratedClient(url).pipe(Layer.orDie)))
      }),
    240_000
  )

  it.live("changes nothing if the connection is cut during a write, and reconnects for the next call", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const ledger = yield* LedgerStore
      const account = yield* newAccount
      // `outsideFiber` runs the reservation of another caller outside of the transaction, because that caller waits
      // longer than the connection exists.
      const outsideFiber = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
        Effect.updateContext(
          effect,
          (context: Context.Context<never>): Context.Context<never> => Context.omit(sql.transactionService)(context)
        )
      const reserve = outsideFiber(ledger.reserve([
        {
          account,
          actor: { _tag: "Key", key: 1 },
          tool: "get_price",
          credits: 1,
          ttlMs: 60_000,
          idempotency: null
        }
      ], { waitMs: 60_000 }))
      yield* reserve
      // The lock on the month's row makes the next reservation wait. The test then cuts the connection of the waiting
      // reservation.
      const waiting = yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`select 1 from credit_months where account = ${BigInt(account)} for update`
        const waiting = yield* Effect.forkScoped(Effect.exit(reserve))
        let cutCount = 0
        while (cutCount === 0) {
          // Within a transaction, PostgreSQL returns the session statistics of the first read, unless
          // `pg_stat_clear_snapshot` is called.
          yield* sql`select pg_stat_clear_snapshot()`
          cutCount = (yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock'`).length
        }
        return waiting
      }))
      const exit = yield* Fiber.join(waiting)
      assert.strictEqual(exit._tag, "Failure")
      const ledgerRows = yield* rows([account])
      assert.deepStrictEqual(findRuleViolations(ledgerRows), [])
      assert.strictEqual(ledgerRows.entries.length, 1)
      assert.strictEqual((yield* reserve)[0]?._tag, "Admitted")
    }).pipe(Effect.provide(withStores(makeFreshPostgres()))))

  it.live("rolls back a take whose session ends after the epoch was raised, and can repeat it", () =>
    Effect.gen(function*() {
      const [sql, generations] = yield* Effect.all([PgClient.PgClient, GenerationStore])
      const { id } = yield* startNewGeneration(yield* newAccount)
      const before = yield* generations.find(id)
      yield* sql.unsafe(`create function terminate_session() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`)
      yield* sql`create trigger terminate_session after update on generations for each row
        when (new.epoch = 2) execute function terminate_session()`
      assert.strictEqual((yield* Effect.flip(generations.take(id, 0, 2)))._tag, "StoreUnavailable")
      assert.deepStrictEqual(yield* Effect.eventually(generations.find(id)), before)
      yield* sql`drop trigger terminate_session on generations`
      const takenGeneration = yield* generations.take(id, 0, 2)
      assert.strictEqual(takenGeneration?.epoch, 2)
      assert.deepStrictEqual(yield* generations.find(id), takenGeneration)
    }).pipe(Effect.provide(withStores(makeFreshPostgres()))))
})
