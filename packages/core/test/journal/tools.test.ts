import { assert, it } from "@effect/vitest"
import {
  type ArgumentsOf,
  CoinPrices,
  DerivedStore,
  EquityMarkets,
  Failpoints,
  layerEngine,
  Ledger,
  pickTools,
  type Principal,
  StoreUnavailable,
  Toolbox,
  ToolCaller,
  tools,
  type ToolSpecification
} from "@tapeline/core"
import { maxResponseBytes } from "@tapeline/core/engine"
import { dayMs, readValue } from "@tapeline/core/market"
import {
  decideJournalChange,
  decimal,
  type JournalChange,
  journalLimits,
  JournalStore,
  noProfile,
  type Position
} from "@tapeline/core/personal"
import {
  addJournalNote,
  closePosition,
  deletePosition,
  getJournalStats,
  getPortfolioRisk,
  getPositions,
  getRiskProfile,
  getRiskSizing,
  getTradeHistory,
  getWatchlist,
  journalSpecifications,
  setPosition,
  setRiskProfile,
  updatePosition,
  updateWatchlist
} from "@tapeline/core/specifications"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { fakeEquities, makeFakeMarket, now } from "../tools/fakeMarket.ts"

const names = journalSpecifications.map(({ name }) => name)
const plans = {
  pro: { monthly_credits: 1_000_000, keys: 5, requests_per_minute: 1_000_000, answers_per_day: 0 }
}

const engine = layerEngine({ toolbox: Toolbox.layer(pickTools(tools, names)), plans }).pipe(
  Layer.provideMerge(MemoryStores),
  Layer.provideMerge(DerivedStore.layer),
  Layer.provideMerge(Layer.suspend(() => makeFakeMarket().layer)),
  Layer.provide(Layer.succeed(EquityMarkets, fakeEquities)),
  Layer.provide(Layer.effectDiscard(TestClock.setTime(now)))
)
const withEngine = Effect.provide(engine, { local: true })

const call = Effect.fnUntraced(function*<S extends ToolSpecification>(
  principal: Principal,
  specification: S,
  args: ArgumentsOf<S>
) {
  const caller = yield* ToolCaller
  return (yield* caller.call(specification, { principal, arguments: args })).data
})
const failing = Effect.fnUntraced(function*(principal: Principal, { name }: ToolSpecification, args: unknown) {
  const caller = yield* ToolCaller
  return (yield* caller.call({ principal, name, arguments: args })).failure?.code
})

const priceOf = (coin: string) =>
  Effect.flatMap(
    CoinPrices,
    (prices) => Effect.map(prices.ticker(coin), ({ value }) => Number(value.price.toPrecision(12)))
  )

const emptyPosition: Position = {
  id: 1,
  coin: "BTC",
  side: "long",
  leverage: null,
  sizeUsd: null,
  entry: null,
  stop: null,
  initialStop: null,
  takes: [],
  notes: null,
  share: decimal(1),
  openedAt: 0,
  updatedAt: 0
}

const long = { coin: "BTC", side: "long", size_usd: 1_000, entry: 60_000, stop: 57_000, leverage: 3 } as const

it.effect("values a position at the market, and closes it in parts into trades with R and profit", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const { notes, position } = yield* call(principal, setPosition, { ...long, takes: [66_000], notes: "돌파" })
    assert.deepStrictEqual(notes, [])
    const mark = yield* priceOf("BTC")
    const { positions: [openPosition], source } = yield* call(principal, getPositions, {})
    assert.strictEqual(openPosition!.mark, mark)
    assert.approximately(openPosition!.unrealised_usd!, 1_000 * (mark / 60_000 - 1), 1e-6)
    assert.approximately(openPosition!.unrealised_pct!, 100 * (mark / 60_000 - 1), 1e-4)
    assert.approximately(openPosition!.liquidation_price!, (60_000 * (1 - 1 / 3)) / 0.995, 1e-3)
    assert.isNotEmpty(source)
    const half = yield* call(principal, closePosition, { id: position.id, exit: 66_000, fraction: 0.5, fees_usd: 1 })
    assert.deepInclude(half.trade, {
      r: 2,
      pnl_usd: 49,
      fees_usd: 1,
      size_usd: 500,
      initial_stop: 57_000,
      fraction: 0.5
    })
    assert.deepInclude(half.position, { id: position.id, size_usd: 500, open_share: 0.5 })
    yield* call(principal, updatePosition, { id: position.id, stop: 61_000 })
    const rest = yield* call(principal, closePosition, { id: position.id, exit: 57_000 })
    assert.deepInclude(rest.trade, { r: -1, pnl_usd: -25, fraction: 1, initial_stop: 57_000 })
    assert.isNull(rest.position)
    yield* call(principal, addJournalNote, { text: "patience", trade_id: half.trade.id })
    const history = yield* call(principal, getTradeHistory, { coin: "BTC" })
    assert.deepStrictEqual(history.trades.map(({ id }) => id), [rest.trade.id, half.trade.id])
    assert.deepStrictEqual(history.journal_notes.map(({ text, trade_id }) => [text, trade_id]), [
      ["patience", half.trade.id]
    ])
    const stats = yield* call(principal, getJournalStats, {})
    assert.deepInclude(stats, { n: 1, wins: 1, win_rate: 1, expectancy_r: 0.5, pnl_usd: 24, profit_factor: null })
    assert.strictEqual(yield* failing(principal, closePosition, { id: position.id, exit: 1 }), "not_found")
    assert.strictEqual(yield* failing(principal, setPosition, { coin: "NOSUCH", side: "long" }), "unknown_symbol")
  }).pipe(withEngine))

it.effect("sizes by the argument, else by the profile, else by 1 %, and warns about liquidation and leverage", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const size = (args: ArgumentsOf<typeof getRiskSizing>) => call(principal, getRiskSizing, args)
    const sizingArguments = { entry: 100, stop: 95 }
    assert.strictEqual(yield* failing(principal, getRiskSizing, sizingArguments), "no_data")
    assert.deepInclude(yield* size({ ...sizingArguments, account_usd: 10_000 }), {
      risk_pct: 1,
      risk_pct_source: "default",
      size_usd: 2_000,
      quantity: 20,
      risk_usd: 100,
      liquidation_price: null
    })
    yield* call(principal, setRiskProfile, { account_usd: 20_000, risk_pct: 0.5, max_leverage: 4 })
    assert.deepInclude(yield* size(sizingArguments), { risk_pct_source: "profile", risk_usd: 100, account_usd: 20_000 })
    const risky = yield* size({ ...sizingArguments, side: "long", risk_pct: 2, leverage: 25, targets: [110, 90] })
    assert.strictEqual(risky.risk_pct_source, "argument")
    assert.deepStrictEqual(risky.r_multiples, [{ target: 110, r: 2 }, { target: 90, r: -2 }])
    assert.approximately(risky.liquidation_price!, 96 / 0.995, 1e-6)
    assert.approximately(risky.liquidation_distance_pct!, 100 - 96 / 0.995, 1e-4)
    assert.match(risky.warnings.join(" "), /Liquidation is closer than the stop.*max_leverage.*losing side/u)
    const caller = yield* ToolCaller
    for (const invalidSizing of [{ ...sizingArguments, side: "short" }, { entry: 100, stop: 100 }]) {
      const callError = yield* Effect.flip(
        caller.call({ principal, name: "get_risk_sizing", arguments: invalidSizing })
      )
      assert.strictEqual(callError._tag, "InvalidArguments")
    }
    assert.deepInclude(yield* call(principal, getRiskProfile, {}), { account_usd: 20_000, base_currency: "USD" })
  }).pipe(withEngine))

it.effect("get_portfolio_risk returns the risk that prices and candles imply", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount()
    const empty = yield* call(principal, getPortfolioRisk, {})
    assert.deepInclude(empty, { n: 0, gross_usd: 0, open_risk_usd: 0, var_95_usd: 0, nearest_liquidation: null })
    yield* call(principal, setRiskProfile, { account_usd: 10_000, max_open_risk_pct: 0.4 })
    yield* call(principal, setPosition, long)
    const prices = yield* CoinPrices
    const [btc, eth] = [yield* priceOf("BTC"), yield* priceOf("ETH")]
    const short = { coin: "ETH", side: "short", size_usd: 400, entry: eth, leverage: 10 } as const
    const { position: { id } } = yield* call(principal, setPosition, short)
    const open = yield* call(principal, getPortfolioRisk, {})
    const value = (1_000 / 60_000) * btc
    assert.approximately(open.gross_usd, value + 400, 1e-6)
    assert.approximately(open.net_usd, value - 400, 1e-6)
    assert.deepStrictEqual([open.open_risk_usd, open.open_risk_pct, open.unprotected], [null, null, [id]])
    assert.strictEqual(open.nearest_liquidation!.id, id)
    const days = Math.floor(now / dayMs) * dayMs
    const closes = (coin: string) =>
      Effect.map(
        readValue(prices.candleRange({ coin, timeframe: "1d", from: days - 91 * dayMs, to: days })),
        (candles) => candles.map(({ close }) => close)
      )
    const [b, e] = [yield* closes("BTC"), yield* closes("ETH")]
    const results = b.slice(1).map((close, i) => value * (close / b[i]! - 1) - 400 * (e[i + 1]! / e[i]! - 1))
    const sorted = results.sort((x, y) => x - y)
    const exactIndex = 0.05 * (sorted.length - 1)
    const low = sorted[Math.floor(exactIndex)]!
    const quantile = low + (exactIndex - Math.floor(exactIndex)) * (sorted[Math.floor(exactIndex) + 1]! - low)
    assert.strictEqual(open.var_n, 90)
    assert.approximately(open.var_95_usd!, Math.max(0, -quantile), 1e-6)
    yield* call(principal, updatePosition, { id, stop: eth * 1.1 })
    const stopped = yield* call(principal, getPortfolioRisk, {})
    assert.approximately(stopped.open_risk_usd!, 50 + 40, 1e-6)
    assert.approximately(stopped.open_risk_pct!, 0.9, 1e-4)
    assert.match(stopped.notes.join(" "), /above the profile's max_open_risk_pct/u)
    yield* call(principal, deletePosition, { id })
    assert.strictEqual((yield* call(principal, getPositions, {})).positions.length, 1)
    const watchlist = yield* call(principal, updateWatchlist, { add: ["eth", "BTC"] })
    assert.deepStrictEqual(watchlist.coins, ["ETH", "BTC"])
    assert.deepStrictEqual((yield* call(principal, getWatchlist, {})).coins.map(({ price }) => price), [eth, btc])
  }).pipe(withEngine))

it.effect("rejects every write by a key that has only read scopes", () =>
  Effect.gen(function*() {
    const { principal } = yield* createKeyedAccount({ scopes: ["read:personal", "read:market"] })
    const caller = yield* ToolCaller
    for (const { example, name, scope } of journalSpecifications) {
      const answer = yield* Effect.result(caller.call({ principal, name, arguments: example }))
      assert.strictEqual(answer._tag, scope === "write:personal" ? "Failure" : "Success", name)
      if (answer._tag === "Failure") assert.strictEqual(answer.failure._tag, "ScopeRequired", name)
    }
  }).pipe(withEngine))

const inTime = Effect.fnUntraced(function*<A, E>(fiber: Fiber.Fiber<A, E>, point: string) {
  for (let second = 0; second < 3_000 && fiber.pollUnsafe() === undefined; second++) {
    yield* TestClock.adjust("1 second")
    yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
  }
  assert.isDefined(fiber.pollUnsafe(), `not ended ${point}`)
  return yield* Fiber.join(fiber)
})

it.effect("retries a write with an uncertain charge under its idempotency key, and stores one record", () => {
  let failingPoint: "before:end" | "after:end" | null = null
  const failpoints = Layer.succeed(Failpoints, (point) =>
    point === failingPoint
      ? Effect.fail(new StoreUnavailable({ store: "LedgerStore", cause: new Error("cut") }))
      : Effect.void)
  return Effect.gen(function*() {
    const [caller, ledger] = yield* Effect.all([ToolCaller, Ledger])
    const { principal } = yield* createKeyedAccount()
    const writes = [
      ["set_position", { ...long }],
      ["close_position", { id: 1, exit: 60_600, fraction: 0.5 }],
      ["add_journal_note", { text: "once" }]
    ] as const
    let usedCredits = 0
    for (const [name, args] of writes) {
      for (const point of ["before:end", "after:end"] as const) {
        const id = (yield* call(principal, getPositions, {})).positions[0]?.id
        usedCredits += 1
        const toolCall = { principal, name, arguments: "id" in args ? { ...args, id } : args }
        const repeatedCall = { ...toolCall, idempotencyKey: `${name}/${point}` }
        failingPoint = point
        const first = yield* Effect.forkChild(Effect.flip(caller.call(repeatedCall)))
        assert.strictEqual((yield* inTime(first, `${name} ${point} first`))._tag, "ChargeInDoubt", name)
        // The clock passes the end of the reservation's lease, as if the process had crashed at the failpoint.
        yield* TestClock.adjust("2 minutes")
        failingPoint = null
        const answer = yield* inTime(yield* Effect.forkChild(caller.call(repeatedCall)), `${name} ${point} again`)
        assert.isNull(answer.failure, name)
        assert.deepStrictEqual((yield* caller.call(repeatedCall)).envelope, answer.envelope)
        usedCredits += 1
      }
    }
    const { positions } = yield* call(principal, getPositions, {})
    const { journal_notes, total, trades } = yield* call(principal, getTradeHistory, {})
    assert.deepStrictEqual(positions.map(({ size_usd }) => size_usd), [250, 1_000])
    assert.deepStrictEqual([total, trades.map(({ pnl_usd }) => pnl_usd), journal_notes.length], [2, [2.5, 5], 2])
    assert.deepInclude(yield* ledger.balance(principal.account), { used: usedCredits + 2, reserved: 0 })
  }).pipe(Effect.provide(engine.pipe(Layer.provide(failpoints)), { local: true }))
})

it.effect("returns a full journal of long texts within the maximum response size", () =>
  Effect.gen(function*() {
    const [caller, journal] = yield* Effect.all([ToolCaller, Effect.service(JournalStore)])
    const { principal } = yield* createKeyedAccount()
    const write = (change: JournalChange, i: number) =>
      journal.write(principal.account, `w/${change._tag}/${i}`, change)
    const numbers = { leverage: 2.123_456_789, sizeUsd: 1e11 / 3, entry: 1e-15 / 7, stop: 1e-15 / 11 }
    const takes = Array.from({ length: 10 }, (_, i) => decimal(1e15 / (i + 3)))
    const decimals = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, decimal(value)]))
    const open = (notes: string) =>
      ({ _tag: "Open", coin: "BTC", side: "long", fields: { ...decimals, takes, notes } }) as const
    const callTool = Effect.fnUntraced(function*({ name }: ToolSpecification, args: object) {
      const answer = yield* caller.call({ principal, name, arguments: args, idempotencyKey: name })
      assert.isNull(answer.failure, name)
      assert.isBelow(new TextEncoder().encode(JSON.stringify(answer.envelope)).length, maxResponseBytes)
      return JSON.stringify(answer.envelope)
    })
    // Each control character takes six bytes in JSON.
    for (let i = 0; i < 150; i++) {
      const writeResult = yield* write(open("\u0001".repeat(1_000)), i)
      assert(writeResult._tag === "Position")
      const { id } = writeResult.position
      const exit = { exit: decimal(100), fraction: decimal(1), feesUsd: decimal(0), notes: "\n\"".repeat(500) }
      yield* write({ _tag: "Close", id, ...exit }, i)
      yield* write({ _tag: "AddNote", text: "돌파".repeat(500), tradeId: null, coin: null }, i)
    }
    for (let i = 0; i < journalLimits.positions; i++) yield* write(open("돌파".repeat(500)), 1_000 + i)
    const positions = yield* callTool(getPositions, {})
    assert.lengthOf([...positions.matchAll(/"open_share"/gu)], journalLimits.positions)
    assert.include(positions, "67 texts were cut and end in \"...\"".replaceAll("\"", "\\\""))
    const history = yield* callTool(getTradeHistory, { top: 300, full_notes: true })
    assert.lengthOf([...history.matchAll(/"position_id"/gu)], 150)
  }).pipe(withEngine))

it.effect("fails with JournalFull at the limit of trades or of notes", () =>
  Effect.sync(() => {
    const counts = { positions: 1, trades: journalLimits.trades, notes: journalLimits.notes }
    const position = { ...emptyPosition, sizeUsd: decimal(1), entry: decimal(1) }
    const state = { hasEnded: false, position, hasTrade: true, counts, profile: noProfile, watchlist: [] }
    const kindOf = (change: JournalChange, less: { readonly trades?: number; readonly notes?: number } = {}) => {
      const decision = decideJournalChange(change, { ...state, counts: { ...counts, ...less } }, { id: 1, now: 1 })
      return Result.isFailure(decision) && decision.failure._tag === "JournalFull" ? decision.failure.kind : null
    }
    const close = {
      _tag: "Close",
      id: 1,
      exit: decimal(2),
      fraction: decimal(1),
      feesUsd: decimal(0),
      notes: null
    } as const
    const note = { _tag: "AddNote", text: "x", tradeId: null, coin: null } as const
    assert.strictEqual(kindOf(close), "trades")
    assert.strictEqual(kindOf(note), "notes")
    assert.isNull(kindOf(close, { trades: journalLimits.trades - 1 }))
    assert.isNull(kindOf(note, { notes: journalLimits.notes - 1 }))
  }))

const step = fc.record({
  accountIndex: fc.nat(1),
  changeKind: fc.constantFrom("set", "update", "close", "delete", "note", "profile", "watch"),
  /** An index into the list of ids that both accounts have received. */
  index: fc.nat(5)
})

it.effect("never shows one account's records to another account, in any order of operations", () =>
  Effect.gen(function*() {
    const [context, clock] = [
      yield* Effect.context<Effect.Services<ReturnType<typeof createKeyedAccount>> | ToolCaller>(),
      now
    ]
    const run = Effect.fnUntraced(
      function*(steps: ReadonlyArray<typeof step extends fc.Arbitrary<infer A> ? A : never>) {
        const principals = [(yield* createKeyedAccount()).principal, (yield* createKeyedAccount()).principal]
        const ownIds: ReadonlyArray<Set<number>> = [new Set(), new Set()]
        const ids: Array<number> = []
        for (const [i, { index, changeKind, accountIndex }] of steps.entries()) {
          const principal = principals[accountIndex]!
          const id = ids[index] ?? 1
          const known = ownIds[accountIndex]!.has(id)
          const text = `of ${accountIndex}/${i}`
          if (changeKind === "set") {
            const { position } = yield* call(principal, setPosition, { ...long, notes: text })
            ids.push(position.id)
            ownIds[accountIndex]!.add(position.id)
          } else if (changeKind === "note") yield* call(principal, addJournalNote, { text })
          else if (changeKind === "profile") yield* call(principal, setRiskProfile, { account_usd: 100 + accountIndex })
          else if (changeKind === "watch") {
            yield* call(principal, updateWatchlist, { add: [accountIndex === 0 ? "BTC" : "ETH"] })
          } else {
            const args = changeKind === "update"
              ? { id, notes: text }
              : changeKind === "close"
              ? { id, exit: 61_000 }
              : { id }
            const tool = changeKind === "update"
              ? updatePosition
              : changeKind === "close"
              ? closePosition
              : deletePosition
            assert.strictEqual(yield* failing(principal, tool, args), known ? undefined : "not_found")
            if (changeKind !== "update") ownIds[accountIndex]!.delete(id)
          }
        }
        for (const [accountIndex, principal] of principals.entries()) {
          const { positions, risk_profile } = yield* call(principal, getPositions, {})
          assert.deepStrictEqual(positions.map(({ id }) => id), [...ownIds[accountIndex]!].sort((a, b) => a - b))
          assert.include([null, 100 + accountIndex], risk_profile.account_usd)
          const { journal_notes, trades } = yield* call(principal, getTradeHistory, { days: 365, top: 300 })
          const noteTexts = [...positions, ...journal_notes.map(({ text }) => ({ notes: text }))].map(({ notes }) =>
            notes
          )
          for (const text of noteTexts) assert.match(text!, new RegExp(`^of ${accountIndex}/`, "u"))
          assert.isTrue(trades.every(({ position_id }) => !ownIds[1 - accountIndex]!.has(position_id)))
          const { coins } = yield* call(principal, getWatchlist, {})
          assert.isTrue(coins.every(({ coin }) => coin === (accountIndex === 0 ? "BTC" : "ETH")))
        }
      }
    )
    yield* TestClock.setTime(clock)
    yield* Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 4, maxLength: 25, size: "max" }),
          (steps) => Effect.runPromiseWith(context)(run(steps))
        ),
        { numRuns: isFullRun ? 500 : 25 }
      )
    )
  }).pipe(withEngine))
