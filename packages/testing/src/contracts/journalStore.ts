import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import type { KeyStore, SessionStore } from "@tapeline/core/engine"
import {
  decimal,
  historyNotesAtMost,
  journalBounds,
  type JournalChange,
  JournalStore,
  Position,
  type PositionFields,
  Trade,
  writesKeptMs,
  Written
} from "@tapeline/core/personal"
import { Effect, type Layer, Schema } from "effect"
import { endedActors } from "../journal/endedActors.ts"
import { runJournalModel } from "../journal/modelRun.ts"

let accounts = 70_000
let calls = 0
const newAccount = () => ++accounts
const newCall = () => `call/${++calls}`
const dayMs = 86_400_000

const opening = (fields: PositionFields = {}, coin = "BTC"): JournalChange => ({
  _tag: "Open",
  coin,
  side: "long",
  fields
})
const closing = (id: number, fraction = 1): JournalChange => ({
  _tag: "Close",
  id,
  exit: decimal(110),
  fraction: decimal(fraction),
  feesUsd: decimal(0),
  notes: null
})
const whole = { sizeUsd: decimal(1_000), entry: decimal(100), stop: decimal(90) }

const write = (account: number, change: JournalChange, call = newCall()) =>
  Effect.flatMap(JournalStore, (store) => store.write(account, call, change))
/** Writes a change and encodes the result, because one decimal value has several representations. */
const told = Effect.fnUntraced(function*(account: number, change: JournalChange, call: string) {
  return shownWritten(yield* write(account, change, call))
})
const opened = Effect.fnUntraced(function*(account: number, fields: PositionFields = whole, coin = "BTC") {
  const written = yield* write(account, opening(fields, coin))
  assert(written._tag === "Position")
  return written.position
})
const closed = Effect.fnUntraced(function*(account: number, id: number, fraction = 1) {
  const written = yield* write(account, closing(id, fraction))
  assert(written._tag === "Closed")
  return written
})
const holdings = (account: number) => Effect.flatMap(JournalStore, (store) => store.holdings(account))
const history = (account: number, query: { coin?: string; limit?: number; days?: number } = {}) =>
  Effect.flatMap(JournalStore, (store) =>
    store.history(account, {
      withinMs: (query.days ?? 90) * dayMs,
      coin: query.coin ?? null,
      limit: query.limit ?? 100
    }))
const refusalOf = (account: number, change: JournalChange, call?: string) =>
  Effect.map(Effect.flip(write(account, change, call)), ({ _tag }) => _tag)

const shownPosition = Schema.encodeSync(Position)
const shownWritten = Schema.encodeSync(Written)
const shownTrade = Schema.encodeSync(Trade)

type Tests<R> = Vitest.MethodsNonLive<KeyStore | SessionStore | R>
type Advance<R> = (ms: number) => Effect.Effect<void, unknown, KeyStore | SessionStore | R>

const writing = <R>(it: Tests<R>): void => {
  it.effect("keeps every digit of what was recorded", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const fields: PositionFields = {
        leverage: decimal(2.5),
        sizeUsd: decimal(0.1),
        entry: decimal(0.000_000_012_345_678_9),
        stop: decimal(1.234_567_890_123_456e-8),
        takes: [decimal(1e21), decimal(0.3)],
        notes: "돌파 «вход» \" \\ 🚀 {1,2}"
      }
      const position = yield* opened(mine, fields)
      const { positions } = yield* holdings(mine)
      assert.deepStrictEqual(positions.map((one) => shownPosition(one)), [shownPosition(position)])
      assert.deepInclude(shownPosition(position), {
        leverage: "2.5",
        sizeUsd: "0.1",
        entry: "1.23456789e-8",
        initialStop: "1.234567890123456e-8",
        takes: ["1e+21", "0.3"],
        notes: "돌파 «вход» \" \\ 🚀 {1,2}",
        share: "1"
      })
      const { trade } = yield* closed(mine, position.id)
      const { trades } = yield* history(mine)
      assert.deepStrictEqual(trades.map((one) => shownTrade(one)), [shownTrade(trade)])
    }))

  it.effect("writes once for a call, and gives it what the first write gave", () =>
    Effect.gen(function*() {
      const [mine, other] = [newAccount(), newAccount()]
      const call = newCall()
      const first = yield* Effect.all([1, 2, 3].map(() => write(mine, opening(whole), call)), {
        concurrency: "unbounded"
      })
      const ids = first.map((one) => one._tag === "Position" ? one.position.id : 0)
      assert.deepStrictEqual(ids, [ids[0], ids[0], ids[0]])
      assert.lengthOf((yield* holdings(mine)).positions, 1)
      // The answer is the same after the record was deleted, and for any change.
      const close = newCall()
      const once = yield* told(mine, closing(ids[0]!, 0.5), close)
      assert.deepStrictEqual(yield* told(mine, closing(ids[0]!, 0.5), close), once)
      yield* write(mine, { _tag: "Delete", id: ids[0]! })
      assert.deepStrictEqual(yield* told(mine, closing(ids[0]!, 0.5), close), once)
      assert.deepStrictEqual(yield* told(mine, opening(), call), shownWritten(first[0]!))
      assert.strictEqual((yield* history(mine)).total, 1)
      // The same call id of another account is another call.
      const others = yield* write(other, opening(whole), call)
      assert(others._tag === "Position")
      assert.notInclude(ids, others.position.id)
    }))

  it.effect("judges a call anew that was refused", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const { id } = yield* opened(mine)
      const call = newCall()
      assert.strictEqual(yield* refusalOf(mine, closing(id + 1_000_000), call), "NotInJournal")
      const { trade } = yield* closed(mine, id)
      assert.strictEqual(trade.positionId, id)
      assert.strictEqual(yield* refusalOf(mine, closing(id), call), "NotInJournal")
      assert.strictEqual((yield* write(mine, opening(), call))._tag, "Position")
    }))
}

const writingOnce = <R>(it: Tests<R>, advance: Advance<R>): void => {
  it.effect("remembers a call's write for long, and not for ever", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const call = newCall()
      const first = yield* told(mine, opening(), call)
      yield* advance(writesKeptMs / 2)
      assert.deepStrictEqual(yield* told(mine, opening(), call), first)
      yield* advance(writesKeptMs / 2 + 1)
      const anew = yield* told(mine, opening(), call)
      assert(first._tag === "Position" && anew._tag === "Position")
      assert.isAbove(anew.position.id, first.position.id)
      assert.deepStrictEqual(yield* told(mine, opening(), call), anew)
    }))

  it.effect("one position is closed by one of many at once", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const { id } = yield* opened(mine)
      const answers = yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.exit(write(mine, closing(id)))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(answers.filter(({ _tag }) => _tag === "Success").length, 1)
      assert.strictEqual((yield* history(mine)).total, 1)
      assert.lengthOf((yield* holdings(mine)).positions, 0)
    }))
}

const bounds = <R>(it: Tests<R>): void => {
  it.effect("holds so many positions, trades on watch and notes, and says when it is full", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const ids: Array<number> = []
      for (let i = 0; i < journalBounds.positions; i++) ids.push((yield* opened(mine, {})).id)
      assert.strictEqual(yield* refusalOf(mine, opening()), "JournalFull")
      yield* write(mine, { _tag: "Delete", id: ids[3]! })
      yield* opened(mine, {})
      assert.strictEqual(yield* refusalOf(mine, opening()), "JournalFull")
      yield* closed(mine, ids[5]!)
      yield* opened(mine, {})
      const found = (yield* holdings(mine)).positions.map(({ id }) => id)
      assert.deepStrictEqual(found, [...found].sort((a, b) => a - b))
      const coins = Array.from({ length: journalBounds.watchlist }, (_, i) => `C${i}`)
      yield* write(mine, { _tag: "Watch", add: coins, remove: [] })
      const more: JournalChange = { _tag: "Watch", add: ["X"], remove: [] }
      assert.strictEqual(yield* refusalOf(mine, more), "JournalFull")
      yield* write(mine, { ...more, remove: ["C1"] })
      assert.deepStrictEqual((yield* holdings(mine)).watchlist, [...coins.filter((coin) => coin !== "C1"), "X"])
    }))
}

const telling = <R>(it: Tests<R>, advance: Advance<R>): void => {
  it.effect("tells of trades and notes by time and coin, newest first, and how many there are", () =>
    Effect.gen(function*() {
      const mine = newAccount()
      const [btc, eth] = [yield* opened(mine), yield* opened(mine, whole, "ETH")]
      const early = yield* closed(mine, btc.id, 0.5)
      const note = (change: { text: string; tradeId?: number; coin?: string }): JournalChange => ({
        _tag: "AddNote",
        text: change.text,
        tradeId: change.tradeId ?? null,
        coin: change.coin ?? null
      })
      yield* write(mine, note({ text: "old" }))
      yield* advance(40 * dayMs)
      const late = yield* closed(mine, btc.id)
      const other = yield* closed(mine, eth.id, 0.25)
      yield* write(mine, note({ text: "on the early one", tradeId: early.trade.id }))
      yield* write(mine, note({ text: "on BTC", coin: "BTC" }))
      yield* write(mine, note({ text: "on ETH", coin: "ETH" }))
      assert.strictEqual(yield* refusalOf(mine, note({ text: "x", tradeId: btc.id })), "NotInJournal")
      const tell = (found: Effect.Success<ReturnType<typeof history>>) => ({
        total: found.total,
        trades: found.trades.map(({ id }) => id),
        notes: found.notes.map(({ text }) => text)
      })
      assert.deepStrictEqual(tell(yield* history(mine)), {
        total: 3,
        trades: [other.trade.id, late.trade.id, early.trade.id],
        notes: ["on ETH", "on BTC", "on the early one", "old"]
      })
      assert.deepStrictEqual(tell(yield* history(mine, { days: 30, coin: "BTC", limit: 1 })), {
        total: 1,
        trades: [late.trade.id],
        notes: ["on BTC"]
      })
      const parts = yield* Effect.flatMap(JournalStore, (store) => store.closed(mine, 30 * dayMs))
      assert.deepStrictEqual(parts.map(({ id }) => id), [early.trade.id, late.trade.id])
      yield* advance(31 * dayMs)
      assert.deepStrictEqual(yield* Effect.flatMap(JournalStore, (store) => store.closed(mine, 30 * dayMs)), [])
      assert.isAtMost((yield* history(mine)).notes.length, historyNotesAtMost)
    }))
}

/**
 * The contract tests of `JournalStore`. `advance` moves the store's own time forward, or its content back, which has
 * the same effect.
 */
export const journalStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<KeyStore | SessionStore | R, E>,
  advance: Advance<R>,
  { excludeTestServices = false, runs = 20 }: {
    readonly excludeTestServices?: boolean
    /** The number of runs with random changes. */
    readonly runs?: number
  } = {}
): void =>
  withLayer(layer, { excludeTestServices, timeout: 120_000 })(`JournalStore: ${name}`, (it) => {
    writing(it)
    writingOnce(it, advance)
    bounds(it)
    telling(it, advance)
    endedActors(it)
    it.effect("does to an account what it would do without the others", () =>
      Effect.gen(function*() {
        const store = yield* JournalStore
        assert.isNull(yield* runJournalModel(store, newAccount, { runs }))
      }))
  })
