import { PgClient } from "@effect/sql-pg"
import { assert, describe, it, layer as withLayer } from "@effect/vitest"
import {
  Authenticator,
  generateKey,
  KeyStore,
  Ledger,
  LedgerStore,
  sha256,
  type StoreUnavailable
} from "@tapeline/core/engine"
import { layerPostgres, migrate, PgStores } from "@tapeline/postgres"
import { findRuleViolations } from "@tapeline/testing/ledger/rows"
import { Context, Effect, Fiber, Layer } from "effect"
import {
  makeFreshDatabase,
  makeFreshPostgres,
  makeMigratedClient,
  makeMigratedDatabase,
  waitForLockWaiters,
  withLockHeld,
  withStores
} from "./support/databases.ts"
import { readLedgerRows } from "./support/ledgerRows.ts"
import { runMigrationsBefore } from "./support/migrateBefore.ts"

const at = Date.UTC(2026, 10, 20)
const november = 202611

const newAccount = Effect.gen(function*() {
  yield* (yield* LedgerStore).definePlans({ limited: 1_000 })
  return (yield* (yield* KeyStore).createAccount({ name: "limited", plan: "limited", now: 0 })).id
})

const newKey = (account: number) =>
  Effect.gen(function*() {
    const hash = crypto.randomUUID().replaceAll("-", "").repeat(2)
    const fields = { account, name: "k", prefix: "tl", hash, scopes: [], expiresAt: null, limit: 100, now: 0 }
    return (yield* (yield* KeyStore).createKey(fields)).id
  })

const makeRequest = (account: number, key: number, credits: number) => ({
  account,
  actor: { _tag: "Key", key } as const,
  tool: "get_price",
  credits,
  ttlMs: 60_000,
  idempotency: null
})

const reserve = (account: number, key: number, credits: number) =>
  Effect.flatMap(
    LedgerStore,
    (store) => Effect.map(store.reserve([makeRequest(account, key, credits)], { at }), ([answer]) => answer!)
  )

const settleOne = Effect.fnUntraced(function*(account: number, key: number, credits: number) {
  const answer = yield* reserve(account, key, credits)
  assert(answer._tag === "Admitted")
  yield* (yield* LedgerStore).end([{ reservation: answer.reservation, outcome: { _tag: "Settle", response: null } }], {
    at
  })
})

const creditsOf = (key: number) =>
  Effect.flatMap(LedgerStore, (store) => Effect.map(store.keyCredits([key], { at }), ([credits]) => credits))

const checkRows = (accounts: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const rows = yield* readLedgerRows(yield* PgClient.PgClient, accounts)
    assert.deepStrictEqual(findRuleViolations(rows), [])
    return rows
  })

/** Each statement of a change of a limit, with a lock at which the statement waits. */
const steps: ReadonlyArray<readonly [name: string, hold: string, trigger?: string]> = [
  ["locks the account", "select 1 from accounts where id = $1 for update"],
  ["locks the months", "select 1 from credit_months where account = $1 for update"],
  ["changes the key", "select pg_advisory_xact_lock($1)", "before update on keys"],
  ["inserts the month of the key", "select pg_advisory_xact_lock($1)", "before insert on credit_key_months"],
  ["marks the month", "select pg_advisory_xact_lock($1)", "before update on credit_months"],
  ["commits", "select pg_advisory_xact_lock($1)", "after insert on credit_key_months deferrable initially deferred"]
]

/** Each statement of a call with a limited key that changes the key's month. */
const callSteps: ReadonlyArray<readonly [name: "reserve" | "end" | "expire", trigger: string]> = [
  ["reserve", "before update on credit_key_months"],
  ["end", "before update on credit_key_months"],
  ["expire", "before update on credit_key_months"],
  ["end", "before insert on credit_usage_days"]
]

/** Creates a trigger that waits for the advisory lock of the account until the end of the test. */
const createTrigger = (sql: PgClient.PgClient, trigger: string | undefined, account: number) =>
  trigger === undefined ? Effect.void : Effect.acquireRelease(
    Effect.andThen(
      sql.unsafe(`create function pause() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(${account}); return new; end $$`),
      sql.unsafe(
        `create ${trigger.startsWith("after") ? "constraint " : ""}trigger pause ${trigger}
        for each row execute function pause()`
      )
    ),
    () => Effect.orDie(sql.unsafe("drop function pause cascade"))
  )

/** Runs an effect until its session waits for a lock, cuts the session, and returns the error of the effect. */
const cutWhileWaiting = <A, E, R>(
  sql: PgClient.PgClient,
  hold: string,
  account: number,
  effect: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(
    withLockHeld(sql, hold, [account])(
      Effect.gen(function*() {
        const running = yield* Effect.forkChild(Effect.flip(effect))
        yield* waitForLockWaiters(sql, 1)
        yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
        return running
      })
    ),
    Fiber.join
  )

withLayer(withStores(makeFreshPostgres()), { excludeTestServices: true, timeout: 60_000 })(
  "a change of a key's limit whose session is cut",
  (it) => {
    for (const [name, hold, trigger] of steps) {
      it.effect(`while it ${name} changes nothing, and can be repeated`, () =>
        Effect.gen(function*() {
          const [sql, store, account] = [yield* PgClient.PgClient, yield* LedgerStore, yield* newAccount]
          const key = yield* newKey(account)
          yield* settleOne(account, key, 4)
          yield* createTrigger(sql, trigger, account)
          const limit = store.limitKey(key, 10, { at })
          const error = yield* cutWhileWaiting(sql, hold, account, limit)
          assert.strictEqual(error._tag, "StoreUnavailable")
          assert.isNull(yield* creditsOf(key))
          assert.deepStrictEqual((yield* checkRows([account])).keyMonths, [])
          assert.isTrue(yield* limit)
          assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 10, used: 4, reserved: 0, left: 6 })
          yield* checkRows([account])
        }))
    }
  }
)

describe("a call with a limited key whose session is cut", () => {
  for (const [name, trigger] of callSteps) {
    it.live(`in ${name}, ${trigger}, changes neither the account nor the key`, () =>
      Effect.gen(function*() {
        const { url } = yield* makeMigratedDatabase
        // Statements of one client can share a session, so the locks are held and watched by another client.
        const sql = Context.get(yield* Layer.build(makeMigratedClient(url)), PgClient.PgClient)
        yield* Effect.provide(
          Effect.gen(function*() {
            const [store, account] = [yield* LedgerStore, yield* newAccount]
            const key = yield* newKey(account)
            yield* store.limitKey(key, 10, { at })
            const answer = yield* reserve(account, key, 4)
            assert(answer._tag === "Admitted")
            const { reservation } = answer
            yield* createTrigger(sql, trigger, account)
            const before = yield* checkRows([account])
            const options = { at, waitMs: 30_000 }
            const runs: Readonly<Record<typeof name, Effect.Effect<unknown, StoreUnavailable>>> = {
              reserve: store.reserve([makeRequest(account, key, 3)], options),
              end: store.end([{ reservation, outcome: { _tag: "Settle", response: null } }], options),
              expire: store.expire(10, { at: at + 60_000 })
            }
            const run = runs[name]
            yield* cutWhileWaiting(sql, "select pg_advisory_xact_lock($1)", account, run)
            assert.deepStrictEqual(yield* checkRows([account]), before)
            yield* run
            assert.strictEqual((yield* creditsOf(key))?.left, { reserve: 3, end: 6, expire: 10 }[name])
            yield* checkRows([account])
          }),
          withStores(makeMigratedClient(url))
        )
      }))
  }
})

describe("limited keys on two processes", () => {
  it.live("cause no deadlocks with calls, changes of limits, plans and rotations, and never exceed a limit", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const node = () =>
        Layer.build(Layer.fresh(Ledger.layer.pipe(Layer.provideMerge(withStores(makeMigratedClient(url))))))
      const nodes = [yield* node(), yield* node()] as const
      const [first] = nodes
      const accounts = yield* Effect.provideContext(Effect.all(Array.from({ length: 4 }, () => newAccount)), first)
      const keys = yield* Effect.forEach(accounts, (account) => Effect.provideContext(newKey(account), first))
      yield* Context.get(first, LedgerStore).definePlans({ other: 900 })
      const run = Effect.fnUntraced(function*(i: number) {
        const node = nodes[i % 2]!
        const [ledger, store] = [Context.get(node, Ledger), Context.get(node, KeyStore)]
        const n = (i * 7_919) % accounts.length
        const [account, key] = [accounts[n]!, keys[n]!]
        if (i % 11 === 0) return yield* ledger.changePlan(account, i % 2 === 0 ? "other" : "limited")
        if (i % 11 === 1) return yield* ledger.limitKey(key, i % 5 === 0 ? null : i % 40)
        if (i % 11 === 2) return yield* store.updateKey(key, { requestsPerMinute: i })
        if (i % 29 === 3) {
          const hash = crypto.randomUUID().replaceAll("-", "").repeat(2)
          const rotation = { prefix: "tl", hash, overlapMs: 60_000, expiresAt: undefined, now: null }
          return yield* Effect.exit(store.rotateKey(key, rotation))
        }
        const answer = yield* ledger.reserve({ ...makeRequest(account, key, 1 + i % 3) })
        if (answer._tag !== "Admitted") return
        yield* i % 3 === 0 ? ledger.release(answer.reservation) : ledger.settle(answer.reservation, null)
      })
      yield* Effect.forEach(Array.from({ length: 600 }, (_, i) => i), run, { concurrency: 16, discard: true })
      yield* Effect.provideContext(checkRows(accounts), first)
    }))

  it.live("obey a changed limit and a changed range of addresses within two seconds", () =>
    Effect.gen(function*() {
      const { url } = yield* makeMigratedDatabase
      const node = () =>
        Layer.build(Layer.fresh(
          Layer.merge(Authenticator.layer, Ledger.layer).pipe(Layer.provideMerge(withStores(makeMigratedClient(url))))
        ))
      const [first, second] = [yield* node(), yield* node()]
      const account = yield* Effect.provideContext(newAccount, first)
      const secret = generateKey()
      const key = yield* Context.get(first, KeyStore).createKey({
        account,
        name: "k",
        prefix: "tl",
        hash: yield* sha256(secret),
        scopes: ["read:market"],
        expiresAt: null,
        limit: 5,
        now: null
      })
      const authenticate = (address: string) => Context.get(second, Authenticator).authenticate(secret, address)
      const ledger = Context.get(second, Ledger)
      assert.strictEqual((yield* authenticate("192.0.2.1")).account, account)
      assert.strictEqual((yield* ledger.reserve(makeRequest(account, key.id, 5)))._tag, "Admitted")
      yield* Context.get(first, KeyStore).updateKey(key.id, { allowedIps: ["203.0.113.0/24"] })
      // The second process has the key in its cache, and is notified of the change.
      const untilRejected: Effect.Effect<string> = Effect.flatMap(
        Effect.match(authenticate("192.0.2.1"), { onFailure: ({ _tag }) => _tag, onSuccess: () => "accepted" }),
        (result) => result === "accepted" ? Effect.andThen(Effect.sleep(20), untilRejected) : Effect.succeed(result)
      )
      assert.strictEqual(yield* Effect.timeout(untilRejected, "2 seconds"), "AddressNotAllowed")
      assert.strictEqual((yield* authenticate("203.0.113.9")).account, account)
      // The ledger reads limits in the database, so a changed limit holds at once.
      yield* Context.get(first, Ledger).limitKey(key.id, 5)
      const rejected = yield* ledger.reserve(makeRequest(account, key.id, 1))
      assert.deepInclude(rejected, { _tag: "KeyLimitReached", creditsLeft: 0, monthlyCredits: 5 })
    }))
})

withLayer(withStores(makeFreshPostgres()), { excludeTestServices: true, timeout: 60_000 })(
  "a process of the previous version, next to limited keys",
  (it) => {
    it.effect("obeys the limits, counts its calls, and does not suggest a higher plan", () =>
      Effect.gen(function*() {
        const [sql, store, account] = [yield* PgClient.PgClient, yield* LedgerStore, yield* newAccount]
        const key = yield* newKey(account)
        yield* store.limitKey(key, 10, { at })
        const reserveBefore = (credits: number) =>
          Effect.map(
            sql.unsafe<
              { verdicts: Array<string>; lefts: Array<number>; details: Array<number>; entries: Array<number> }
            >(
              `select * from credit_reserve_2('{${account}}', '{1}', '{${key}}', '{null}', '{old}', '{${credits}}',
                '{60000}', null, null, null, null, null, null, ${at})`
            ),
            ([row]) => [row!.verdicts[0], row!.lefts[0], row!.details[0], row!.entries[0]] as const
          )
        const [verdict, left, , entry] = yield* reserveBefore(8)
        assert.deepStrictEqual([verdict, left], ["admitted", 2])
        assert.deepStrictEqual((yield* reserveBefore(3)).slice(0, 3), ["refused", 2, Number.MAX_SAFE_INTEGER])
        assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 10, used: 0, reserved: 8, left: 2 })
        const [ended] = yield* sql.unsafe<{ verdicts: Array<string>; lefts: Array<number> }>(
          `select * from credit_end_2('{${account}}', '{${november}}', '{${entry}}', '{1}', '{t}', '{null}', null, ${at})`
        )
        assert.deepStrictEqual(ended, { verdicts: ["ended"], lefts: [992] })
        assert.deepStrictEqual(yield* creditsOf(key), { monthlyCredits: 10, used: 8, reserved: 0, left: 2 })
        // The function `credit_reserve` of an even earlier version has the same effect.
        const [oldest] = yield* sql.unsafe<{ verdicts: Array<string>; entries: Array<number> }>(
          `select * from credit_reserve('{${account}}', '{${november}}', '{1}', '{${key}}', '{old}', '{3}',
            '{${at}}', '{${at + 60_000}}', '{null}', '{null}', '{null}', '{null}')`
        )
        assert.deepStrictEqual(oldest?.verdicts, ["refused"])
        yield* checkRows([account])
      }))
  }
)

const beforeLimits = Layer.unwrap(Effect.map(makeFreshDatabase, ({ url }) => layerPostgres({ url }))).pipe(Layer.orDie)

withLayer(PgStores.pipe(Layer.provideMerge(beforeLimits)), { excludeTestServices: true, timeout: 60_000 })(
  "the migration to limits of keys",
  (it) => {
    it.effect("keeps keys and balances, and counts earlier calls of the month when a limit is set", () =>
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        yield* runMigrationsBefore("0027")
        yield* sql`insert into plans (name, monthly_credits) values ('limited', 1000)`
        yield* sql`insert into accounts (name, plan, created_at) values ('before', 'limited', 0)`
        yield* sql`insert into keys (account, name, prefix, hash, scopes, created_at)
          values (1, 'k', 'tl', 'hash', '{read:market}', 0)`
        const [before] = yield* sql.unsafe<{ entries: Array<number> }>(
          `select * from credit_reserve_2('{1}', '{1,1}', '{1,1}', '{null,null}', '{old,old}', '{4,3}', '{60000,60000}',
            null, null, null, null, null, null, ${at})`
        )
        yield* sql.unsafe(`select * from credit_end_2('{1}', '{${november}}', '{${before!.entries[0]}}', '{1}', '{t}',
          '{null}', null, ${at})`)
        yield* migrate
        const store = yield* LedgerStore
        assert.deepInclude(yield* (yield* KeyStore).key(1), { firstKey: 1, monthlyCredits: null, allowedIps: [] })
        yield* store.limitKey(1, 9, { at })
        assert.deepStrictEqual(yield* creditsOf(1), { monthlyCredits: 9, used: 4, reserved: 3, left: 2 })
        assert.strictEqual((yield* reserve(1, 1, 3))._tag, "KeyLimitReached")
        yield* checkRows([1])
      }))
  }
)
