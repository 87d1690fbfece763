import { PgClient } from "@effect/sql-pg"
import {
  KeyStore,
  LedgerStore,
  RateLimitStore,
  type StoreUnavailable,
  type UsageLine,
  type UsagePosition
} from "@tapeline/core/engine"
import { startOwnPostgres } from "@tapeline/testing/postgresServer"
import { Context, Effect, Layer, Scope } from "effect"
import { accountTables } from "../../src/access/accountTables.ts"
import { makeMigratedClient, makeMigratedDatabase, type Stores, withStores } from "./databases.ts"

/*
 * A trial of several PostgreSQL servers, each with the whole schema. The stores send each account's requests to one
 * server. The directory is a database of its own. It creates accounts and keys, which are copied only to the account's
 * server. A request that reaches another server finds no account there, and changes nothing.
 */

/** The stores and the client of one PostgreSQL server. */
export type ServerContext = Context.Context<Stores | PgClient.PgClient>

/** The PostgreSQL servers, and the server on which each account's rows are stored. */
export class AccountServers extends Context.Service<AccountServers, {
  readonly directory: ServerContext
  readonly servers: ReadonlyArray<ServerContext>
  readonly indexOf: (account: number) => number
  /** Assigns an account to another server, after its rows were moved. */
  readonly assign: (account: number, index: number) => void
  /** Stops the second server for good. */
  readonly stopSecond: Effect.Effect<void>
}>()("test/AccountServers") {}

/** Returns a number below `count` that depends on the account id and spreads neighbouring ids. */
const hashIndex = (account: number, count: number): number => (Math.imul(account, 0x9e3779b1) >>> 16) % count

/** Runs a batch in parts with the same group, and returns the results in the order of the batch. */
export const splitBatch = <Request, Result, E>(
  batch: ReadonlyArray<Request>,
  groupOf: (request: Request) => number,
  run: (part: ReadonlyArray<Request>, group: number) => Effect.Effect<ReadonlyArray<Result>, E>
): Effect.Effect<ReadonlyArray<Result>, E> =>
  Effect.gen(function*() {
    const groups = Map.groupBy(batch.keys(), (index) => groupOf(batch[index]!))
    const results = batch.map((): Result | undefined => undefined)
    yield* Effect.forEach(groups, ([group, indexes]) =>
      Effect.map(
        run(indexes.map((index) => batch[index]!), group),
        (part) => {
          indexes.forEach((index, i) => results[index] = part[i])
        }
      ), { concurrency: "unbounded" })
    // The cast is safe, because each request belongs to one part.
    return results as ReadonlyArray<Result>
  })

const sqlOf = (server: ServerContext) => Context.get(server, PgClient.PgClient)

const quoteColumns = (table: string) =>
  `(select string_agg(quote_ident(attname), ', ') from pg_attribute
    where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = '')`

/** Copies all rows of an account from one database to another, in one transaction of the other. */
const copyRows = Effect.fnUntraced(function*(
  account: number,
  tables: ReadonlyArray<string>,
  [source, target]: readonly [source: PgClient.PgClient, target: PgClient.PgClient]
) {
  const copies = yield* Effect.forEach(tables, (table) =>
    Effect.map(
      source.unsafe<{ readonly rows: string; readonly columns: string }>(
        `select ${quoteColumns(table)} as columns, coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows
          from ${table} t where ${accountColumn(table)} = $1::bigint`,
        [String(account)]
      ),
      ([row]) => ({ table, ...row! })
    ))
  yield* target.withTransaction(Effect.gen(function*() {
    // As in logical replication, no trigger runs for copied rows.
    yield* target`set local session_replication_role = replica`
    yield* deleteRows(account, tables, target)
    yield* Effect.forEach(copies, ({ columns, rows, table }) =>
      target.unsafe(
        `insert into ${table} (${columns}) overriding system value
          select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
        [rows]
      ))
  }))
})

const accountColumn = (table: string): string => table === "accounts" ? "id" : "account"

const deleteRows = (account: number, tables: ReadonlyArray<string>, sql: PgClient.PgClient) =>
  Effect.forEach(
    tables,
    (table) => sql.unsafe(`delete from ${table} where ${accountColumn(table)} = $1::bigint`, [String(account)]),
    {
      discard: true
    }
  )

const directoryTables = ["accounts", "keys"]

const makeKeyStore = ({ directory, indexOf, servers }: AccountServers["Service"]): KeyStore["Service"] => {
  const store = Context.get(directory, KeyStore)
  const copy = (account: number) =>
    Effect.orDie(copyRows(account, directoryTables, [sqlOf(directory), sqlOf(servers[indexOf(account)]!)]))
  return {
    ...store,
    createAccount: (account) => Effect.tap(store.createAccount(account), ({ id }) => copy(id)),
    createKey: (key) => Effect.tap(store.createKey(key), ({ account }) => copy(account)),
    rotateKey: (id, rotation) => Effect.tap(store.rotateKey(id, rotation), ({ key }) => copy(key.account))
  }
}

const comparePositions = (a: UsagePosition, b: UsagePosition): number => {
  const i = a.findIndex((value, i) => value !== b[i])
  return i < 0 ? 0 : a[i]! < b[i]! ? -1 : 1
}

/** Merges the lines of several servers. Lines with the same position are added up. */
const mergeUsageLines = (lines: ReadonlyArray<UsageLine>, limit: number): ReadonlyArray<UsageLine> =>
  lines.toSorted((a, b) => comparePositions(a.position, b.position)).reduce<Array<UsageLine>>((merged, line) => {
    const last = merged.at(-1)
    if (last === undefined || comparePositions(last.position, line.position) !== 0) merged.push(line)
    else {
      merged[merged.length - 1] = {
        ...last,
        calls: last.calls + line.calls,
        failed: last.failed + line.failed,
        credits: last.credits + line.credits
      }
    }
    return merged
  }, []).slice(0, limit)

/** Returns how many reservations each server may expire, so that those that lapsed first are expired first. */
const divideExpiry = Effect.fnUntraced(function*(servers: ReadonlyArray<ServerContext>, limit: number, at: number) {
  const lapsed = yield* Effect.forEach(servers, (server, index) =>
    Effect.map(
      sqlOf(server)<{ readonly time: number }>`select expires_at::float8 as time from credit_reservations
        where state = 'reserved' and expires_at <= ${String(at)}::bigint order by expires_at limit ${
        limit + 1
      }::integer`,
      (rows) => rows.map(({ time }) => ({ time, index }))
    ))
  const ordered = lapsed.flat().sort((a, b) => a.time - b.time)
  // A sweep also deletes old responses, so every server runs one if the limit is not reached.
  return servers.map((_, index) =>
    ordered.length <= limit ? limit : ordered.slice(0, limit).filter((one) => one.index === index).length
  )
}, Effect.orDie)

type Ledger = LedgerStore["Service"]

const makeLedgerStore = ({ directory: directoryServer, indexOf, servers }: AccountServers["Service"]): Ledger => {
  const stores = servers.map((server) => Context.get(server, LedgerStore))
  const directory = Context.get(directoryServer, LedgerStore)
  const storeOf = (account: number): Ledger => stores[indexOf(account)]!
  const everywhere = <A>(run: (store: Ledger) => Effect.Effect<A, StoreUnavailable>) => Effect.forEach(stores, run)
  const split = <Request, Result>(
    requests: ReadonlyArray<Request>,
    accountOf: (request: Request) => number,
    run: (store: Ledger, part: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Result>, StoreUnavailable>
  ) => splitBatch(requests, (request) => indexOf(accountOf(request)), (part, index) => run(stores[index]!, part))
  const accountOfKey = (key: number): Effect.Effect<number, StoreUnavailable> =>
    Context.get(directoryServer, KeyStore).key(key).pipe(
      Effect.map(({ account }) => account),
      Effect.catchTag("UnknownKey", () => Effect.succeed(0))
    )
  return {
    reserve: (requests, options) =>
      split(requests, ({ account }) => account, (store, part) => store.reserve(part, options)),
    end: (requests, options) =>
      split(requests, ({ reservation }) => reservation.account, (store, part) => store.end(part, options)),
    callIds: (count) => directory.callIds(count),
    charge: (requests, options) =>
      split(requests, ({ account }) => account, (store, part) => store.charge(part, options)),
    recordFailures: (calls, options) =>
      Effect.forEach(
        stores,
        (store, index) => store.recordFailures(calls.filter(({ account }) => indexOf(account) === index), options),
        { discard: true }
      ),
    renew: (reservation, ttlMs, options) => storeOf(reservation.account).renew(reservation, ttlMs, options),
    expire: (limit, options) =>
      Effect.gen(function*() {
        const quotas = yield* divideExpiry(servers, limit, options?.at ?? (yield* directory.time))
        const counts = yield* Effect.forEach(stores, (store, index) =>
          quotas[index] === 0 ? Effect.succeed(0) : store.expire(quotas[index]!, options))
        return counts.reduce((sum, count) =>
          sum + count, 0)
      }),
    runHousekeeping: (months, options) => Effect.asVoid(everywhere((store) => store.runHousekeeping(months, options))),
    idempotencyState: (account, idempotency, options) =>
      storeOf(account).idempotencyState(account, idempotency, options),
    balance: (account, month, options) => storeOf(account).balance(account, month, options),
    usage: (account, month, options) => storeOf(account).usage(account, month, options),
    usageReport: (query, options) =>
      Effect.map(everywhere((store) => store.usageReport(query, options)), (reports) => ({
        lines: mergeUsageLines(reports.flatMap(({ lines }) => lines), query.limit),
        isFinal: reports.every(({ isFinal }) => isFinal)
      })),
    reachedThresholds: (limit, options) =>
      Effect.map(
        everywhere((store) => store.reachedThresholds(limit, options)),
        (reached) => reached.flat().slice(0, limit)
      ),
    markThresholds: (thresholds) =>
      Effect.map(
        Effect.forEach(stores, (store, index) =>
          store.markThresholds(thresholds.filter(({ account }) => indexOf(account) === index))),
        (marked) =>
          marked.flat()
      ),
    answersToday: (account, options) => storeOf(account).answersToday(account, options),
    // The plan of an account and the limit of a key are also columns of the directory.
    changePlan: (account, plan, options) =>
      Effect.andThen(
        directory.changePlan(account, plan, options),
        storeOf(account).changePlan(account, plan, options)
      ),
    limitKey: (key, credits, options) =>
      Effect.flatMap(
        accountOfKey(key),
        (account) =>
          Effect.andThen(directory.limitKey(key, credits, options), storeOf(account).limitKey(key, credits, options))
      ),
    keyCredits: (keys, options) =>
      Effect.flatMap(
        Effect.forEach(keys, (key) => Effect.map(accountOfKey(key), (account) => ({ account, key }))),
        (all) =>
          split(all, ({ account }) => account, (store, part) => store.keyCredits(part.map(({ key }) => key), options))
      ),
    plans: directory.plans,
    definePlans: (credits, options) =>
      Effect.andThen(
        directory.definePlans(credits, options),
        Effect.asVoid(everywhere((store) => store.definePlans(credits, options)))
      ),
    adjust: (request, options) => storeOf(request.account).adjust(request, options),
    adjustments: (account, page, month) => storeOf(account).adjustments(account, page, month),
    calls: (query, options) => storeOf(query.account).calls(query, options),
    time: directory.time
  }
}

const makeRateLimitStore = ({ indexOf, servers }: AccountServers["Service"]): RateLimitStore["Service"] => ({
  take: (request) => Context.get(servers[indexOf(request.account)]!, RateLimitStore).take(request)
})

const startSecondServer = Effect.gen(function*() {
  const { stop, url } = yield* Effect.promise(() => startOwnPostgres({ settings: { fsync: "off" } }))
  const stopOnce = yield* Effect.cached(Effect.promise(stop))
  yield* Effect.addFinalizer(() => stopOnce)
  return { url, stop: stopOnce }
})

/**
 * Makes the databases draw different ids of calls and adjustments. Ids that a process takes for charges come from the
 * directory. Ids of reservations come from the server of the account.
 */
const separateIds = (databases: ReadonlyArray<ServerContext>) =>
  Effect.forEach(databases, (database, index) => {
    const sql = sqlOf(database)
    const [increment, start] = [databases.length, index + 1]
    return Effect.andThen(
      sql.unsafe(`alter sequence credit_reservation_ids increment by ${increment} restart with ${start}`),
      sql.unsafe(`alter table credit_adjustments alter id set increment by ${increment} restart with ${start}`)
    )
  }, { discard: true })

/** Provides stores over the test run's PostgreSQL and a second PostgreSQL server. */
export const layerRoutedStores: Layer.Layer<AccountServers | KeyStore | LedgerStore | RateLimitStore> = Layer
  .effectContext(Effect.gen(function*() {
    const scope = yield* Effect.scope
    const open = (url: string) => Scope.provide(Layer.build(Layer.fresh(withStores(makeMigratedClient(url)))), scope)
    const second = yield* startSecondServer
    const directory = yield* open((yield* makeMigratedDatabase).url)
    const servers = [yield* open((yield* makeMigratedDatabase).url), yield* open(second.url)]
    yield* separateIds([directory, ...servers])
    const moved = new Map<number, number>()
    const accountServers = AccountServers.of({
      directory,
      servers,
      indexOf: (account) => moved.get(account) ?? hashIndex(account, servers.length),
      assign: (account, index) => void moved.set(account, index),
      stopSecond: second.stop
    })
    return Context.make(AccountServers, accountServers).pipe(
      Context.add(KeyStore, makeKeyStore(accountServers)),
      Context.add(LedgerStore, makeLedgerStore(accountServers)),
      Context.add(RateLimitStore, makeRateLimitStore(accountServers))
    )
  }))
  .pipe(Layer.orDie)

/** The tables whose rows move with an account: its copy of the directory, the ledger, and the rate limits. */
export const movedTables: ReadonlyArray<string> = [
  ...directoryTables,
  ...accountTables.map(({ table }) => table).filter((table) =>
    table.startsWith("credit_") || table === "request_windows"
  )
]

/**
 * Moves the rows of an account to another server. No call of the account may run meanwhile. The copy is committed
 * before the rows are deleted, so the move can be repeated after a failure between the two.
 */
export const moveAccount = Effect.fnUntraced(function*(account: number, to: number) {
  const { assign, indexOf, servers } = yield* AccountServers
  const [source, target] = [sqlOf(servers[indexOf(account)]!), sqlOf(servers[to]!)]
  yield* copyRows(account, movedTables, [source, target])
  yield* source.withTransaction(
    Effect.andThen(source`set local session_replication_role = replica`, deleteRows(account, movedTables, source))
  )
  assign(account, to)
})
