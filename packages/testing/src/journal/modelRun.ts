import {
  type Decimal,
  decimal,
  type JournalChange,
  JournalChangeResult,
  JournalStore,
  Position,
  RiskProfile,
  Trade
} from "@tapeline/core/personal"
import { Effect, Layer, Schema } from "effect"
import * as fc from "fast-check"
import { MemoryJournalStore } from "../memory/MemoryJournalStore.ts"
import { MemoryState } from "../memory/MemoryState.ts"

/* Random journal changes of two accounts, each of which is compared with a memory store of one account. */

type Store = typeof JournalStore["Service"]

const amountArbitrary: fc.Arbitrary<Decimal> = fc.oneof(
  fc.integer({ min: 1, max: 100_000 }).map((n) => decimal(n / 100)),
  fc.constantFrom(decimal(0.1), decimal(0.000_000_012_3), decimal(1_234_567.891_234_5), decimal(99_999_999_999.5))
)
const optional = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined })

const fieldsArbitrary = fc.record({
  leverage: optional(fc.constantFrom(decimal(1), decimal(2.5), decimal(20))),
  sizeUsd: optional(amountArbitrary),
  entry: optional(amountArbitrary),
  stop: optional(amountArbitrary),
  takes: optional(fc.array(amountArbitrary, { maxLength: 3 })),
  notes: optional(fc.constantFrom("", "breakout", "돌파 «вход» \" \\ 🚀"))
}).map((change) => Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)))

const coinArbitrary = fc.constantFrom("BTC", "BTC", "ETH")

/**
 * Generates a journal change that contains indices of records in place of ids. If the account has fewer records than
 * the index, the index selects a record of the other account.
 */
const changeArbitrary: fc.Arbitrary<JournalChange> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constant("Open" as const),
      coin: coinArbitrary,
      side: fc.constantFrom("long", "short"),
      fields: fieldsArbitrary
    })
  },
  { weight: 3, arbitrary: fc.record({ _tag: fc.constant("Update" as const), id: fc.nat(3), fields: fieldsArbitrary }) },
  {
    weight: 6,
    arbitrary: fc.record({
      _tag: fc.constant("Close" as const),
      id: fc.nat(3),
      exit: amountArbitrary,
      fraction: fc.constantFrom(1, 0.5, 0.333_333_333, 0.000_000_000_000_1, 0.999_999_999_999_9).map(decimal),
      feesUsd: fc.constantFrom(0, 0.07, 12.5).map(decimal),
      notes: fc.constantFrom(null, "out")
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("Delete" as const), id: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("AddNote" as const),
      text: fc.constantFrom("patience", "인내"),
      tradeId: fc.option(fc.nat(3)),
      coin: fc.option(coinArbitrary)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("SetProfile" as const),
      profile: fc.constantFrom({ accountUsd: decimal(10_000.1) }, { riskPct: decimal(0.5), maxLeverage: decimal(3) })
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Watch" as const),
      add: fc.uniqueArray(coinArbitrary),
      remove: fc.uniqueArray(coinArbitrary)
    })
  }
)

const stepArbitrary = fc.record({
  accountIndex: fc.nat(1),
  change: changeArbitrary,
  isRepeat: fc.boolean(),
  isDuplicated: fc.boolean()
})

/** Replaces record ids by names, and times by the text `time`. Stores choose their own ids and use their own clocks. */
const makeIdNaming = () => {
  const names = new Map<number, string>()
  return {
    register: (id: number) => names.set(id, names.get(id) ?? `#${names.size}`),
    nameValue: (key: string, value: unknown): unknown =>
      typeof value !== "number" ?
        value
        : key.endsWith("At") ?
        "time"
        : key === "id" || key === "positionId" || key === "tradeId" ?
        names.get(value) ?? `unknown ${value}`
        : value
  }
}

const encodeWritten = Schema.encodeSync(JournalChangeResult)
const encodePosition = Schema.encodeSync(Position)
const encodeTrade = Schema.encodeSync(Trade)
const encodeProfile = Schema.encodeSync(RiskProfile)

const makeAccountView = (store: Store, account: number) => {
  const naming = makeIdNaming()
  const known: { position: Array<number>; trade: Array<number> } = { position: [], trade: [] }
  const registerIds = (result: JournalChangeResult): void => {
    if (result._tag === "Position") {
      naming.register(result.position.id)
      if (!known.position.includes(result.position.id)) known.position.push(result.position.id)
    }
    if (result._tag === "Closed") {
      naming.register(result.trade.id)
      if (!known.trade.includes(result.trade.id)) known.trade.push(result.trade.id)
    }
    if (result._tag === "Note") naming.register(result.note.id)
  }
  const toComparable = (value: unknown): unknown => JSON.parse(JSON.stringify(value, naming.nameValue))
  return {
    known,
    write: (callId: string, change: JournalChange) =>
      store.write(account, callId, change).pipe(
        Effect.map((result) => {
          registerIds(result)
          return toComparable(encodeWritten(result))
        }),
        Effect.catchTags({
          NotInJournal: ({ kind }) => Effect.succeed(`no ${kind}`),
          JournalFull: ({ kind }) => Effect.succeed(`${kind} full`)
        })
      ),
    readAll: Effect.gen(function*() {
      const query = { withinMs: 86_400_000, limit: 1_000 }
      const { positions, profile, watchlist } = yield* store.holdings(account)
      const { notes, total, trades } = yield* store.history(account, { ...query, coin: null })
      const ofBtc = yield* store.history(account, { ...query, coin: "BTC", limit: 1 })
      return toComparable({
        positions: positions.map((one) => encodePosition(one)),
        profile: encodeProfile(profile),
        watchlist,
        trades: trades.map((one) => encodeTrade(one)).sort((a, b) => a.id - b.id),
        total,
        notes,
        btc: ofBtc.total,
        closed: (yield* store.listClosedTrades(account, query.withinMs)).map((one) => encodeTrade(one)).sort((a, b) =>
          a.id - b.id
        )
      })
    })
  }
}

type AccountView = ReturnType<typeof makeAccountView>

/**
 * Replaces each record index in a change by the id of the record. An index that exceeds the records of the account
 * gives an id of the other account, or an unknown id.
 */
const resolveIds = (change: JournalChange, ownView: AccountView, otherView: AccountView | null): JournalChange => {
  const pickId = (kind: "position" | "trade", index: number): number =>
    ownView.known[kind][index] ?? otherView?.known[kind][index % Math.max(1, otherView.known[kind].length)] ??
      9_000_000_000
  if ("id" in change) return { ...change, id: pickId("position", change.id) }
  if (change._tag === "AddNote" && change.tradeId !== null) {
    return { ...change, tradeId: pickId("trade", change.tradeId) }
  }
  return change
}

const run = Effect.fnUntraced(function*(store: Store, accounts: readonly [number, number], steps: ReadonlyArray<Step>) {
  const [first, second] = [yield* makeSeparateStore, yield* makeSeparateStore]
  const views = [makeAccountView(store, accounts[0]), makeAccountView(store, accounts[1])] as const
  const models = [makeAccountView(first, 1), makeAccountView(second, 1)] as const
  const last = [-1, -1]
  for (const [i, { isRepeat, change, isDuplicated, accountIndex }] of steps.entries()) {
    const repeated = isRepeat && last[accountIndex]! >= 0
    const call = repeated ? last[accountIndex]! : i
    last[accountIndex] = call
    const [side, otherView, model] = [views[accountIndex]!, views[1 - accountIndex]!, models[accountIndex]!]
    const ownView = resolveIds(change, side, otherView)
    const expected = yield* model.write(`${call}`, resolveIds(change, model, null))
    const answers = yield* Effect.all(
      Array.from({ length: isDuplicated ? 2 : 1 }, () => side.write(`${call}`, ownView)),
      { concurrency: "unbounded" }
    )
    for (const answer of answers) assertSame(answer, expected, `step ${i}`)
  }
  for (const accountIndex of [0, 1] as const) {
    assertSame(yield* views[accountIndex].readAll, yield* models[accountIndex].readAll, `account ${accountIndex}`)
  }
})

type Step = typeof stepArbitrary extends fc.Arbitrary<infer A> ? A : never

const makeSeparateStore = Effect.provide(
  Effect.map(JournalStore, (store) => store),
  Layer.fresh(Layer.provide(MemoryJournalStore, MemoryState.layer))
)

const assertSame = (actual: unknown, expected: unknown, step: string): void => {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${step}: got ${a}, expected ${b}`)
}

/**
 * Runs random changes against a journal store and a model. Returns null, or the seed and the first difference between
 * the store and the model.
 */
export const runJournalModel = Effect.fnUntraced(function*(
  store: Store,
  nextAccount: () => number,
  { runs, seed = Date.now() % 2 ** 31 }: { readonly runs: number; readonly seed?: number }
) {
  const context = yield* Effect.context<never>()
  const property = fc.asyncProperty(
    fc.array(stepArbitrary, { minLength: 1, maxLength: 30, size: "max" }),
    (steps) => Effect.runPromiseWith(context)(run(store, [nextAccount(), nextAccount()], steps))
  )
  const result = yield* Effect.promise(async () => fc.check(property, { numRuns: runs, seed }))
  return result.failed ? `seed ${seed}: ${String(result.errorInstance)} ${fc.stringify(result.counterexample)}` : null
})
