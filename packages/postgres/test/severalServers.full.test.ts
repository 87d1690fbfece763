import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import { KeyStore, LedgerStore, RateLimitStore } from "@tapeline/core/engine"
import { ledgerStoreContract } from "@tapeline/testing/contracts/ledgerStore"
import { rateLimitStoreContract } from "@tapeline/testing/contracts/rateLimitStore"
import { chargeOne, makeCharges, makeIdempotency, makeRequest, month } from "@tapeline/testing/ledger/contractFixtures"
import { runLedgerModel } from "@tapeline/testing/ledger/modelRun"
import type { LedgerRows } from "@tapeline/testing/ledger/rows"
import { Context, Effect } from "effect"
import { readLedgerRows } from "./support/ledgerRows.ts"
import { AccountServers, layerRoutedStores, moveAccount } from "./support/routedStores.ts"

/* Tests that several PostgreSQL servers, each with the whole schema, can share the accounts. */

const clients = Effect.map(
  AccountServers,
  ({ servers }) => servers.map((server) => Context.get(server, PgClient.PgClient))
)

/** Reads the rows of each account from the server of the account. */
const readAllRows = Effect.fnUntraced(function*(
  accounts: ReadonlyArray<number>
): Effect.fn.Return<LedgerRows, unknown, AccountServers> {
  const { indexOf } = yield* AccountServers
  const parts = yield* Effect.forEach(
    yield* clients,
    (sql, index) => readLedgerRows(sql, accounts.filter((account) => indexOf(account) === index))
  )
  return {
    months: parts.flatMap(({ months }) => months),
    entries: parts.flatMap(({ entries }) => entries),
    usage: parts.flatMap(({ usage }) => usage),
    adjustments: parts.flatMap(({ adjustments }) => adjustments),
    keyMonths: parts.flatMap(({ keyMonths }) => keyMonths ?? [])
  }
})

/** Returns the accounts with months on each server. */
const accountsByServer = Effect.flatMap(clients, (all) =>
  Effect.forEach(all, (sql) =>
    Effect.map(
      sql<{ readonly account: number }>`select distinct account::float8 as account from credit_months`,
      (rows) => rows.map(({ account }) => account)
    )))

/** Creates accounts until one is stored on each of the two servers. */
const createAccountOnEach = (credits: number) =>
  Effect.gen(function*() {
    const [keys, store, { indexOf }] = yield* Effect.all([KeyStore, LedgerStore, AccountServers])
    yield* store.definePlans({ [`servers-${credits}`]: credits })
    const accounts: Array<number> = []
    while (accounts[0] === undefined || accounts[1] === undefined) {
      const { id } = yield* keys.createAccount({ name: "a", plan: `servers-${credits}`, now: null })
      accounts[indexOf(id)] = id
    }
    return accounts
  })

const advance = (ms: number) =>
  Effect.flatMap(
    clients,
    (all) =>
      Effect.forEach(all, (sql) =>
        sql`update request_windows set ends_at = ends_at - ${String(ms)}::float8 * interval '1 millisecond'`, {
        discard: true
      })
  )

describe("two PostgreSQL servers", () => {
  ledgerStoreContract("two servers", layerRoutedStores)
  rateLimitStoreContract("two servers", layerRoutedStores, advance, { excludeTestServices: true })

  withLayer(layerRoutedStores, { excludeTestServices: true, timeout: 600_000 })("two PostgreSQL servers", (it) => {
    it.effect("satisfy the ledger's model, and store each account on one server", () =>
      Effect.gen(function*() {
        const [store, keys, { indexOf }] = yield* Effect.all([LedgerStore, KeyStore, AccountServers])
        const context = yield* Effect.context<AccountServers>()
        const ledger = {
          store,
          keys,
          readRows: (accounts: ReadonlyArray<number>) => Effect.provideContext(readAllRows(accounts), context)
        }
        const result = yield* Effect.promise(() =>
          runLedgerModel(() => Promise.resolve(ledger), { runs: 12, commands: 50 })
        )
        console.log(`two servers: seed ${result.seed}, ${result.runs} runs, ${result.commands} commands`)
        assert.isNull(result.failure)
        const stored = yield* accountsByServer
        stored.forEach((accounts, index) => {
          assert.isAbove(accounts.length, 0)
          assert.deepStrictEqual(accounts.map(indexOf), accounts.map(() => index))
        })
      }), 300_000)

    it.effect("keep the balance, the stored responses and the running reservations of a moved account", () =>
      Effect.gen(function*() {
        const [account] = yield* createAccountOnEach(50)
        const store = yield* LedgerStore
        const keyed = { idempotency: makeIdempotency("a"), response: "{}" }
        const requests = yield* makeCharges(account!, keyed, { credits: 3 })
        yield* Effect.forEach(requests, (request) => chargeOne(request))
        const [admission] = yield* store.reserve([makeRequest(account!, { credits: 5, ttlMs: 600_000 })])
        assert(admission?._tag === "Admitted")
        const before = yield* store.usage(account!, null)

        yield* moveAccount(account!, 1)

        assert.deepStrictEqual(yield* store.usage(account!, null), before)
        const [repeated] = yield* makeCharges(account!, keyed)
        assert.strictEqual((yield* chargeOne(repeated!))._tag, "Replayed")
        const [ended] = yield* store.end([{
          reservation: admission.reservation,
          outcome: { _tag: "Settle", response: null }
        }])
        assert.strictEqual(ended?._tag, "Ended")
        // A process that does not know the move sends requests to the first server, which does not know the account.
        const { servers: [oldServer] } = yield* AccountServers
        const oldStore = Context.get(oldServer!, LedgerStore)
        assert.deepStrictEqual(yield* oldStore.reserve([makeRequest(account!)]), [{ _tag: "NoAccount" }])
        assert.strictEqual((yield* store.balance(account!, month))?.used, 9)
      }))

    it.effect("reject only batches with accounts of a server that does not answer", () =>
      Effect.gen(function*() {
        const [first, second] = yield* createAccountOnEach(60)
        const [store, windows, { stopSecond }] = yield* Effect.all([LedgerStore, RateLimitStore, AccountServers])
        const reserve = (...accounts: ReadonlyArray<number>) =>
          Effect.map(
            store.reserve(accounts.map((account) => makeRequest(account))),
            (all) => all.map(({ _tag }) => _tag)
          )
        assert.deepStrictEqual(yield* reserve(first!, second!), ["Admitted", "Admitted"])
        yield* stopSecond
        assert.deepStrictEqual(yield* reserve(first!), ["Admitted"])
        assert.strictEqual((yield* Effect.flip(reserve(second!)))._tag, "StoreUnavailable")
        assert.strictEqual((yield* Effect.flip(reserve(first!, second!)))._tag, "StoreUnavailable")
        assert.isTrue((yield* windows.take({ account: first!, limit: 1, windowMs: 60_000 })).isAllowed)
        // The first server may have admitted its part of the rejected batch. The reservation lapses with its lease.
        const reserved = (yield* store.balance(first!, null))?.reserved
        assert.include([2, 3], reserved)
      }))
  })
})
