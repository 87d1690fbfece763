import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import type { KeyStore, SessionStore } from "@tapeline/core/engine"
import {
  decimal,
  type JournalChange,
  JournalChangeResult,
  journalLimits,
  JournalStore,
  maxHistoryNotes,
  Position,
  type PositionFields,
  Trade,
  writeRetentionMs
} from "@tapeline/core/personal"
import { Effect, type Layer, Schema } from "effect"
import { testEndedActors } from "../journal/endedActorTests.ts"
import { runJournalModel } from "../journal/modelRun.ts"

let lastAccount = 70_000
let callCount = 0
const newAccount = () => ++lastAccount
const newCall = () => `call/${++callCount}`
const dayMs = 86_400_000

const makeOpen = (fields: PositionFields = {}, coin = "BTC"): JournalChange => ({
  _tag: "Open",
  coin,
  side: "long",
  fields
})
const makeClose = (id: number, fraction = 1): JournalChange => ({
  _tag: "Close",
  id,
  exit: decimal(110),
  fraction: decimal(fraction),
  feesUsd: decimal(0),
  notes: null
})
const completeFields = { sizeUsd: decimal(1_000), entry: decimal(100), stop: decimal(90) }

const writeChange = (account: number, change: JournalChange, call = newCall()) =>
  Effect.flatMap(JournalStore, (store) => store.write(account, call, change))
/**
 * Writes a journal change and returns the encoded result. Equal decimals can have different representations in memory,
 * so tests compare encoded results.
 */
const writeEncoded = Effect.fnUntraced(function*(account: number, change: JournalChange, call: string) {
  return encodeWritten(yield* writeChange(account, change, call))
})
const openPosition = Effect.fnUntraced(
  function*(account: number, fields: PositionFields = completeFields, coin = "BTC") {
    const openResult = yield* writeChange(account, makeOpen(fields, coin))
    assert(openResult._tag === "Position")
    return openResult.position
  }
)
const closePosition = Effect.fnUntraced(function*(account: number, id: number, fraction = 1) {
  const closeResult = yield* writeChange(account, makeClose(id, fraction))
  assert(closeResult._tag === "Closed")
  return closeResult
})
const readHoldings = (account: number) => Effect.flatMap(JournalStore, (store) => store.holdings(account))
const readHistory = (account: number, query: { coin?: string; limit?: number; days?: number } = {}) =>
  Effect.flatMap(JournalStore, (store) =>
    store.history(account, {
      withinMs: (query.days ?? 90) * dayMs,
      coin: query.coin ?? null,
      limit: query.limit ?? 100
    }))
const getErrorTag = (account: number, change: JournalChange, call?: string) =>
  Effect.map(Effect.flip(writeChange(account, change, call)), ({ _tag }) => _tag)

const encodePosition = Schema.encodeSync(Position)
const encodeWritten = Schema.encodeSync(JournalChangeResult)
const encodeTrade = Schema.encodeSync(Trade)

type Tests<R> = Vitest.MethodsNonLive<KeyStore | SessionStore | R>
type Advance<R> = (ms: number) => Effect.Effect<void, unknown, KeyStore | SessionStore | R>

const testWrites = <R>(it: Tests<R>): void => {
  it.effect("keeps every digit of recorded numbers", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const fields: PositionFields = {
        leverage: decimal(2.5),
        sizeUsd: decimal(0.1),
        entry: decimal(0.000_000_012_345_678_9),
        stop: decimal(1.234_567_890_123_456e-8),
        takes: [decimal(1e21), decimal(0.3)],
        notes: "돌파 «вход» \" \\ 🚀 {1,2}"
      }
      const position = yield* openPosition(account, fields)
      const { positions } = yield* readHoldings(account)
      assert.deepStrictEqual(positions.map((one) => encodePosition(one)), [encodePosition(position)])
      assert.deepInclude(encodePosition(position), {
        leverage: "2.5",
        sizeUsd: "0.1",
        entry: "1.23456789e-8",
        initialStop: "1.234567890123456e-8",
        takes: ["1e+21", "0.3"],
        notes: "돌파 «вход» \" \\ 🚀 {1,2}",
        share: "1"
      })
      const { trade } = yield* closePosition(account, position.id)
      const { trades } = yield* readHistory(account)
      assert.deepStrictEqual(trades.map((one) => encodeTrade(one)), [encodeTrade(trade)])
    }))

  it.effect("writes once per call, and returns the first write's result to a repeated call", () =>
    Effect.gen(function*() {
      const [account, other] = [newAccount(), newAccount()]
      const call = newCall()
      const first = yield* Effect.all([1, 2, 3].map(() => writeChange(account, makeOpen(completeFields), call)), {
        concurrency: "unbounded"
      })
      const ids = first.map((one) => one._tag === "Position" ? one.position.id : 0)
      assert.deepStrictEqual(ids, [ids[0], ids[0], ids[0]])
      assert.lengthOf((yield* readHoldings(account)).positions, 1)
      const close = newCall()
      const firstResult = yield* writeEncoded(account, makeClose(ids[0]!, 0.5), close)
      assert.deepStrictEqual(yield* writeEncoded(account, makeClose(ids[0]!, 0.5), close), firstResult)
      yield* writeChange(account, { _tag: "Delete", id: ids[0]! })
      assert.deepStrictEqual(yield* writeEncoded(account, makeClose(ids[0]!, 0.5), close), firstResult)
      assert.deepStrictEqual(yield* writeEncoded(account, makeOpen(), call), encodeWritten(first[0]!))
      assert.strictEqual((yield* readHistory(account)).total, 1)
      const otherResult = yield* writeChange(other, makeOpen(completeFields), call)
      assert(otherResult._tag === "Position")
      assert.notInclude(ids, otherResult.position.id)
    }))

  it.effect("checks a rejected call again", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const { id } = yield* openPosition(account)
      const call = newCall()
      assert.strictEqual(yield* getErrorTag(account, makeClose(id + 1_000_000), call), "NotInJournal")
      const { trade } = yield* closePosition(account, id)
      assert.strictEqual(trade.positionId, id)
      assert.strictEqual(yield* getErrorTag(account, makeClose(id), call), "NotInJournal")
      assert.strictEqual((yield* writeChange(account, makeOpen(), call))._tag, "Position")
    }))
}

const testIdempotence = <R>(it: Tests<R>, advance: Advance<R>): void => {
  it.effect("remembers a call's result for its retention time", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const call = newCall()
      const first = yield* writeEncoded(account, makeOpen(), call)
      yield* advance(writeRetentionMs / 2)
      assert.deepStrictEqual(yield* writeEncoded(account, makeOpen(), call), first)
      yield* advance(writeRetentionMs / 2 + 1)
      const secondWrite = yield* writeEncoded(account, makeOpen(), call)
      assert(first._tag === "Position" && secondWrite._tag === "Position")
      assert.isAbove(secondWrite.position.id, first.position.id)
      assert.deepStrictEqual(yield* writeEncoded(account, makeOpen(), call), secondWrite)
    }))

  it.effect("closes a position once under concurrent calls", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const { id } = yield* openPosition(account)
      const results = yield* Effect.all(
        Array.from({ length: 8 }, () => Effect.exit(writeChange(account, makeClose(id)))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
      assert.strictEqual((yield* readHistory(account)).total, 1)
      assert.lengthOf((yield* readHoldings(account)).positions, 0)
    }))
}

const testLimits = <R>(it: Tests<R>): void => {
  it.effect("limits positions and watched coins, and fails with JournalFull above the limit", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const ids: Array<number> = []
      for (let i = 0; i < journalLimits.positions; i++) ids.push((yield* openPosition(account, {})).id)
      assert.strictEqual(yield* getErrorTag(account, makeOpen()), "JournalFull")
      yield* writeChange(account, { _tag: "Delete", id: ids[3]! })
      yield* openPosition(account, {})
      assert.strictEqual(yield* getErrorTag(account, makeOpen()), "JournalFull")
      yield* closePosition(account, ids[5]!)
      yield* openPosition(account, {})
      const positionIds = (yield* readHoldings(account)).positions.map(({ id }) => id)
      assert.deepStrictEqual(positionIds, [...positionIds].sort((a, b) => a - b))
      const coins = Array.from({ length: journalLimits.watchlist }, (_, i) => `C${i}`)
      yield* writeChange(account, { _tag: "Watch", add: coins, remove: [] })
      const addSymbol: JournalChange = { _tag: "Watch", add: ["X"], remove: [] }
      assert.strictEqual(yield* getErrorTag(account, addSymbol), "JournalFull")
      yield* writeChange(account, { ...addSymbol, remove: ["C1"] })
      assert.deepStrictEqual((yield* readHoldings(account)).watchlist, [...coins.filter((coin) => coin !== "C1"), "X"])
    }))
}

const testHistory = <R>(it: Tests<R>, advance: Advance<R>): void => {
  it.effect("returns trades and notes by time and coin, newest first, with the total count", () =>
    Effect.gen(function*() {
      const account = newAccount()
      const [btc, eth] = [yield* openPosition(account), yield* openPosition(account, completeFields, "ETH")]
      const earlyTrade = yield* closePosition(account, btc.id, 0.5)
      const note = (change: { text: string; tradeId?: number; coin?: string }): JournalChange => ({
        _tag: "AddNote",
        text: change.text,
        tradeId: change.tradeId ?? null,
        coin: change.coin ?? null
      })
      yield* writeChange(account, note({ text: "old" }))
      yield* advance(40 * dayMs)
      const lateTrade = yield* closePosition(account, btc.id)
      const other = yield* closePosition(account, eth.id, 0.25)
      yield* writeChange(account, note({ text: "on the early one", tradeId: earlyTrade.trade.id }))
      yield* writeChange(account, note({ text: "on BTC", coin: "BTC" }))
      yield* writeChange(account, note({ text: "on ETH", coin: "ETH" }))
      assert.strictEqual(yield* getErrorTag(account, note({ text: "x", tradeId: btc.id })), "NotInJournal")
      const summarise = (history: Effect.Success<ReturnType<typeof readHistory>>) => ({
        total: history.total,
        trades: history.trades.map(({ id }) => id),
        notes: history.notes.map(({ text }) => text)
      })
      assert.deepStrictEqual(summarise(yield* readHistory(account)), {
        total: 3,
        trades: [other.trade.id, lateTrade.trade.id, earlyTrade.trade.id],
        notes: ["on ETH", "on BTC", "on the early one", "old"]
      })
      assert.deepStrictEqual(summarise(yield* readHistory(account, { days: 30, coin: "BTC", limit: 1 })), {
        total: 1,
        trades: [lateTrade.trade.id],
        notes: ["on BTC"]
      })
      const closedTrades = yield* Effect.flatMap(JournalStore, (store) => store.listClosedTrades(account, 30 * dayMs))
      assert.deepStrictEqual(closedTrades.map(({ id }) => id), [earlyTrade.trade.id, lateTrade.trade.id])
      yield* advance(31 * dayMs)
      assert.deepStrictEqual(
        yield* Effect.flatMap(JournalStore, (store) => store.listClosedTrades(account, 30 * dayMs)),
        []
      )
      assert.isAtMost((yield* readHistory(account)).notes.length, maxHistoryNotes)
    }))
}

/** Defines the contract tests of `JournalStore`. The function `advance` simulates that time passes in the store. */
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
    testWrites(it)
    testIdempotence(it, advance)
    testLimits(it)
    testHistory(it, advance)
    testEndedActors(it)
    it.effect("treats each account independently of the others", () =>
      Effect.gen(function*() {
        const store = yield* JournalStore
        assert.isNull(yield* runJournalModel(store, newAccount, { runs }))
      }))
  })
