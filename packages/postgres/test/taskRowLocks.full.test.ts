import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { decimal, type JournalChange, JournalStore } from "@tapeline/core/personal"
import {
  claimTask,
  createTask,
  endFiring,
  findWatch,
  fireTask,
  getFence,
  makeClaim,
  makePriceCondition,
  minuteMs,
  newAccount,
  newCall,
  readMessages,
  readNotifications,
  updateTask,
  useTaskStore
} from "@tapeline/testing/tasks/fixtures"
import { Context, Effect, Fiber, Layer } from "effect"
import { deletions } from "../src/tasks/deletions.ts"
import { storeObservationsSql } from "../src/tasks/runnerWrites.ts"
import { dueTasks } from "../src/tasks/taskReads.ts"
import { makeMigratedClient, makeMigratedDatabase, withLockHeld, withStores } from "./support/databases.ts"

const withSecondClient = <A, E>(
  use: (other: PgClient.PgClient) => Effect.Effect<A, E, Effect.Services<typeof fixtures>>
) =>
  Effect.gen(function*() {
    const { url } = yield* makeMigratedDatabase
    const node = yield* Layer.build(withStores(makeMigratedClient(url)))
    const other = Context.get(yield* Layer.build(Layer.fresh(makeMigratedClient(url))), PgClient.PgClient)
    // All sequences start above 2^32, so that the test covers numbers of more than 32 bits.
    const sql = Context.get(node, PgClient.PgClient)
    for (const name of ["task_ids", "firing_ids", "conversation_ids", "message_ids", "journal_ids"]) {
      yield* sql.unsafe(`select setval('${name}', 8589934592)`)
    }
    return yield* Effect.provideContext(use(other), node)
  }).pipe(Effect.scoped)

const fixtures = readMessages(0, 0)

const makeWatchUpdate = (task: Effect.Success<ReturnType<typeof findWatch>>) => {
  const { checkedTo: from } = task.watch
  return {
    task: task.id,
    version: task.version,
    previousCheckedTo: from,
    watch: { ...task.watch, checkedTo: from + minuteMs }
  }
}

const open = (coin: string): JournalChange => ({ _tag: "Open", coin, side: "long", fields: { entry: decimal(1) } })

describe("a row that another session holds", () => {
  it.live(
    "is not changed by sweeps if it is a task's, and its own operations wait and run once",
    () =>
      withSecondClient((other) =>
        Effect.gen(function*() {
          const [ownAccount, neighbours] = [newAccount(), newAccount()]
          const [blockedTask, free] = [yield* createTask(ownAccount), yield* createTask(neighbours)]
          const lockingQuery = `select 1 from tasks t join task_watches w on w.account = t.account and w.task = t.id
            where t.account = $1 for update`
          const waiting = yield* withLockHeld(other, lockingQuery, [ownAccount])(Effect.gen(function*() {
            const read = yield* useTaskStore((store) => store.listActiveWatches(0, 10))
            assert.deepStrictEqual(read.map(({ id }) => id), [blockedTask.id, free.id])
            yield* useTaskStore((store) => store.storeWatchStates(read.map(makeWatchUpdate)))
            assert.deepStrictEqual((yield* findWatch(ownAccount, blockedTask.id)).watch, read[0]!.watch)
            const on = yield* findWatch(neighbours, free.id)
            assert.deepStrictEqual(on.watch, makeWatchUpdate(read[1]!).watch)
            const claims = [1, 2].map(() => Effect.forkChild(claimTask(makeClaim(read[0]!))))
            const edit = yield* Effect.forkChild(updateTask(ownAccount, blockedTask.id, { title: "changed" }))
            const claimFibers = yield* Effect.all(claims)
            yield* endFiring(getFence(yield* fireTask(on)))
            yield* updateTask(neighbours, free.id, { trigger: makePriceCondition(7) })
            return { claims: claimFibers, edit }
          }))
          const claimResults = yield* Effect.forEach(waiting.claims, (fiber) => Fiber.join(fiber))
          const editedTask = yield* Fiber.join(waiting.edit)
          assert.strictEqual(editedTask.title, "changed")
          // Whichever operation came first, each operation was done either completely or not at all.
          const runs = claimResults.filter((firing) => firing !== null).length
          assert.isAtMost(runs, 1)
          assert.deepInclude(yield* findWatch(ownAccount, blockedTask.id), { runs, version: 2, title: "changed" })
        })
      ),
    30_000
  )

  for (const table of ["task_accounts", "task_firings", "conversations", "tasks"]) {
    it.live(
      `in ${table}, delays the end of a firing, which is stored once`,
      () =>
        withSecondClient((other) =>
          Effect.gen(function*() {
            const account = newAccount()
            const task = yield* createTask(account)
            const fence = getFence(yield* fireTask(task))
            const ends = yield* withLockHeld(other, `select 1 from ${table} where account = $1 for update`, [
              account
            ])(
              Effect.forEach([1, 2], () => Effect.forkChild(endFiring(fence)))
            )
            const endResults = yield* Effect.forEach(ends, (fiber) => Fiber.join(fiber))
            assert.strictEqual(endResults.filter((endResult) => endResult !== null).length, 1)
            assert.deepStrictEqual(yield* readMessages(account, task.conversation), ["task: it is so"])
            assert.deepStrictEqual((yield* readNotifications(account)).notifications.map(({ n }) => n), [1])
          })
        ),
      30_000
    )
  }

  it.live(
    "delays only its own account if it is a journal's, and a repeated call writes once",
    () =>
      withSecondClient((other) =>
        Effect.gen(function*() {
          const journal = yield* JournalStore
          const [ownAccount, neighbours, call] = [newAccount(), newAccount(), newCall()]
          yield* journal.write(ownAccount, newCall(), open("BTC"))
          const writes = yield* withLockHeld(other, "select 1 from journals where account = $1 for update", [
            ownAccount
          ])(
            Effect.gen(function*() {
              const writeFibers = yield* Effect.forEach(
                [1, 2],
                () => Effect.forkChild(journal.write(ownAccount, call, open("ETH")))
              )
              yield* journal.write(neighbours, newCall(), open("BTC"))
              assert.lengthOf((yield* journal.holdings(ownAccount)).positions, 1)
              return writeFibers
            })
          )
          const [first, second] = yield* Effect.forEach(writes, (fiber) => Fiber.join(fiber))
          assert.deepStrictEqual(JSON.stringify(first), JSON.stringify(second))
          const { positions } = yield* journal.holdings(ownAccount)
          assert.deepStrictEqual(
            positions.map(({ coin }) => coin),
            ["BTC", "ETH"]
          )
          assert.isTrue(positions.every(({ id }) => id > 2 ** 32))
        })
      ),
    30_000
  )
})

describe("tables of tasks", () => {
  it.live(
    "keep the last 1,000 notifications, and store watch states in one pass",
    () =>
      withSecondClient((other) =>
        Effect.gen(function*() {
          const account = newAccount()
          const task = yield* createTask(account)
          yield* other.unsafe(`insert into notifications (account, n, time, kind, said, task)
            select ${account}, n, n, 'task_fired', '{"title":"t","body":"b"}', 1 from generate_series(1, 1000) n`)
          yield* other.unsafe(`update task_accounts set notified = 1000 where account = ${account}`)
          yield* endFiring(getFence(yield* fireTask(task)))
          const { notifications, unread } = yield* readNotifications(account, { limit: 2_000 })
          assert.deepStrictEqual([notifications[0]?.n, notifications.at(-1)?.n, unread], [1_001, 2, 1_000])
          // The test uses the generic plan, which a server uses for any number of watches.
          const plan = yield* other.withTransaction(Effect.gen(function*() {
            yield* other.unsafe("set local plan_cache_mode = force_generic_plan").unprepared
            yield* other.unsafe(`prepare kept as ${storeObservationsSql}`).unprepared
            return yield* other.unsafe<{ "QUERY PLAN": string }>(
              "explain execute kept ('{1}', '{1}', '{1}', '{1}', '{t}', '{1}', '{1}')"
            ).unprepared
          }))
          const lines = plan.map((row) => row["QUERY PLAN"])
          for (const scan of [/CTE Scan/u, /Function Scan/u]) {
            assert.lengthOf(
              lines.filter((line) => scan.test(line)),
              1,
              lines.join("\n")
            )
          }
        })
      ),
    30_000
  )

  it.live(
    "find due and outdated rows by index",
    () =>
      withSecondClient((other) =>
        Effect.gen(function*() {
          const reads = [{ text: dueTasks, times: "10" }, ...deletions.map(({ text }) => ({ text, times: "1, 10" }))]
          for (const [i, { text, times }] of reads.entries()) {
            const plan = yield* other.withTransaction(Effect.gen(function*() {
              yield* other.unsafe("set local plan_cache_mode = force_generic_plan").unprepared
              yield* other.unsafe("set local enable_seqscan = off").unprepared
              yield* other.unsafe(`prepare read_${i} as ${text}`).unprepared
              return yield* other.unsafe<{ "QUERY PLAN": string }>(`explain execute read_${i} (${times})`).unprepared
            }))
            const lines = plan.map((row) => row["QUERY PLAN"]).join("\n")
            assert.match(lines, /Index Cond: \((?:next_at|ended_at|written_at|\(next_at) <= /u, lines)
          }
        })
      ),
    30_000
  )
})
