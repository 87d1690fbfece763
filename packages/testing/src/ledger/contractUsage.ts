import { assert } from "@effect/vitest"
import { KeyStore, type MonthUsage, type UsageSums } from "@tapeline/core/engine"
import { Effect } from "effect"
import {
  accountWith,
  admitted,
  ask,
  type LedgerTests,
  minute,
  month,
  november,
  release,
  renewsAt,
  reserveOne,
  settle,
  storeAtNovember,
  sweepAll
} from "./contractCalls.ts"

const day = 1_440 * minute

const newKey = (account: number, name: string) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const hash = crypto.randomUUID().replaceAll("-", "").repeat(2)
    const made = { account, name, prefix: "tl", hash, scopes: [], expiresAt: null, limit: 10, now: november }
    return (yield* keys.createKey(made)).id
  })

/** Sums of calls, failed calls and credits over usage lines. */
const sumsOf = (lines: ReadonlyArray<UsageSums>) =>
  (["calls", "failed", "credits"] as const).map((of) => lines.reduce((sum, line) => sum + line[of], 0))

const breakdownsOf = ({ callers, days, tools }: MonthUsage) => [tools, days, callers].map(sumsOf)

export const tellingUsage = (it: LedgerTests): void => {
  it.effect("tells usage by the day of the call, by who called and by tool; what runs is in none", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(100)
      const neighbour = yield* accountWith(100)
      const [laptop, server] = [yield* newKey(account, "laptop"), yield* newKey(account, "server")]
      const foreign = yield* newKey(neighbour, "foreign")
      const by = (key: number) => ({ actor: { _tag: "Key", key } } as const)
      const session = (session: number) => ({ actor: { _tag: "Session", session } } as const)
      const task = (task: number) => ({ actor: { _tag: "Task", task } } as const)
      const today = (yield* ledger.reserve([
        ask(account, { ...by(server), credits: 5 }),
        ask(account, { ...by(laptop), tool: "get_book" }),
        ask(account, { ...by(foreign) }),
        // Two sessions whose ids equal the ids of keys.
        ask(account, { ...session(laptop), credits: 2 }),
        ask(account, { ...session(server), credits: 2 }),
        ask(account, { ...task(laptop), tool: "agent.answer", credits: 20 }),
        ask(account, { ...task(server), tool: "agent.answer", credits: 20 }),
        ask(neighbour, { ...by(foreign), credits: 7 })
      ])).map(admitted)
      yield* ledger.end([...today.slice(0, 6).map((one) => settle(one)), release(today[6]!), settle(today[7]!)])
      // A reservation in the last moment of a day that is settled on the next day.
      const eve = november + day - 1
      const late = admitted(yield* reserveOne(ask(account, { ...by(laptop), credits: 3 }), eve))
      yield* ledger.end([settle(late)], eve + 1)
      const lapsed = admitted(yield* reserveOne(ask(account, { ...session(9) }), eve + 2))
      yield* sweepAll(lapsed.expiresAt)
      yield* reserveOne(ask(account, { ...by(server), credits: 4 }), eve + 3 * minute)
      const line = (calls: number, failed: number, credits: number) => ({ calls, failed, credits })
      assert.deepStrictEqual(yield* ledger.usage(account, month), {
        month,
        allotted: 100,
        used: 34,
        reserved: 4,
        left: 62,
        renewsAt,
        tools: [
          { name: "agent.answer", ...line(2, 1, 20) },
          { name: "get_book", ...line(1, 0, 1) },
          { name: "get_price", ...line(6, 1, 13) }
        ],
        days: [{ day: november, ...line(8, 1, 34) }, { day: november + day, ...line(1, 1, 0) }],
        callers: [
          { caller: { kind: "key", key: laptop, name: "laptop" }, ...line(2, 0, 4) },
          { caller: { kind: "key", key: server, name: "server" }, ...line(1, 0, 5) },
          { caller: { kind: "key", key: foreign, name: null }, ...line(1, 0, 1) },
          { caller: { kind: "session" }, ...line(3, 1, 4) },
          { caller: { kind: "task" }, ...line(2, 1, 20) }
        ]
      })
      assert.deepStrictEqual((yield* ledger.usage(neighbour, null))?.days, [{ day: november, ...line(1, 0, 7) }])
    }))
}

export const tellingUsageWhole = (it: LedgerTests): void => {
  it.effect("tells a month in which nothing happened, and no account that is not there", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const nothing = { used: 0, reserved: 0, tools: [], days: [], callers: [] }
      assert.deepStrictEqual(yield* ledger.usage(account, null), {
        month,
        allotted: 10,
        left: 10,
        renewsAt,
        ...nothing
      })
      assert.strictEqual((yield* ledger.usage(account, "2031-05"))?.month, "2031-05")
      assert.strictEqual(yield* ledger.usage(999_999_999, month), null)
    }))

  it.effect("tells usage after the reservations that it came of were dropped", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(10)
      const past = Date.UTC(2021, 2, 31, 12)
      yield* ledger.end([settle(admitted(yield* reserveOne(ask(account, { credits: 2 }), past)))], past)
      const before = yield* ledger.usage(account, "2021-03")
      assert.strictEqual(before?.days[0]?.day, Date.UTC(2021, 2, 31))
      yield* ledger.tend(2)
      assert.deepStrictEqual(yield* ledger.usage(account, "2021-03"), before)
    }))

  it.effect("is of one instant, however many calls end meanwhile", () =>
    Effect.gen(function*() {
      const ledger = yield* storeAtNovember
      const account = yield* accountWith(100)
      const reserved = (yield* ledger.reserve(
        Array.from({ length: 40 }, (_, i) =>
          ask(account, { tool: `tool_${i % 3}`, actor: { _tag: "Key", key: 1 + i % 4 } }))
      )).map(admitted)
      const told = yield* Effect.forEach(
        reserved,
        (one) =>
          Effect.andThen(ledger.end([settle(one)]), ledger.usage(account, month)),
        { concurrency: 8 }
      )
      for (const usage of told) {
        assert(usage !== null)
        assert.strictEqual(usage.used + usage.reserved, 40)
        assert.deepStrictEqual(breakdownsOf(usage), Array.from({ length: 3 }, () => [usage.used, 0, usage.used]))
      }
    }))
}
