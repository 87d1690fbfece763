import { assert, describe, it } from "@effect/vitest"
import {
  computeLiquidationPrice,
  computeProfit,
  computeRMultiple,
  computeSizing,
  computeStatistics,
  decideJournalChange,
  type Decimal,
  decimal,
  groupOutcomes,
  noProfile,
  type Position,
  toNumber,
  type Trade
} from "@tapeline/core/personal"
import { isFullRun } from "@tapeline/testing/fullRun"
import { BigDecimal, Result } from "effect"
import * as fc from "fast-check"

const numRuns = isFullRun ? 20_000 : 500

/** Prices: typed ones from tiny to huge, and arbitrary doubles. */
const price = fc.oneof(
  fc.integer({ min: 1, max: 200_000_000 }).map((cents) => cents / 100),
  fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
  fc.constantFrom(0.1, 0.3, 0.000_012_34, 95_000, 1e-15, 1e15)
)
const size = fc.oneof(
  fc.integer({ min: 1, max: 100_000_000 }).map((cents) => cents / 100),
  fc.double({ min: 0.01, max: 1e9, noNaN: true })
)
const side = fc.constantFrom("long" as const, "short" as const)
const fractions = fc.array(
  fc.record({
    exit: price,
    fraction: fc.oneof(fc.double({ min: 1e-6, max: 1, noNaN: true, minExcluded: true }), fc.constantFrom(0.5, 1 / 3)),
    fees: fc.constantFrom(0, 0.01, 3.7)
  }),
  { minLength: 1, maxLength: 12 }
)

const state = {
  hasEnded: false,
  hasTrade: false,
  counts: { positions: 1, trades: 0, notes: 0 },
  profile: noProfile,
  watchlist: []
}

const positionOf = (fields: { side: "long" | "short"; size: number; entry: number; stop?: number }): Position => ({
  id: 1,
  coin: "BTC",
  side: fields.side,
  leverage: null,
  sizeUsd: decimal(fields.size),
  entry: decimal(fields.entry),
  stop: fields.stop === undefined ? null : decimal(fields.stop),
  initialStop: fields.stop === undefined ? null : decimal(fields.stop),
  takes: [],
  notes: null,
  share: decimal(1),
  openedAt: 0,
  updatedAt: 0
})

let lastId = 1
const closePosition = (position: Position, exit: number, fraction: number, fees: number) => {
  const change = {
    _tag: "Close",
    id: 1,
    exit: decimal(exit),
    fraction: decimal(fraction),
    feesUsd: decimal(fees),
    notes: null
  } as const
  const { result } = Result.getOrThrow(
    decideJournalChange(change, { ...state, position }, { id: ++lastId, now: lastId })
  )
  assert(result._tag === "Closed")
  return result
}

/** Closes a position in parts, and closes the rest at the last part's price. */
const closedInParts = (
  position: Position,
  parts: ReadonlyArray<{ readonly exit: number; readonly fraction: number; readonly fees: number }>,
  each: (trade: Trade, before: Position, left: Position | null) => void = () => undefined
): ReadonlyArray<Trade> => {
  const trades: Array<Trade> = []
  let left: Position | null = position
  for (const [i, { exit, fees, fraction }] of [...parts, { ...parts.at(-1)!, fraction: 1 }].entries()) {
    if (left === null) break
    const before: Position = left
    const closeResult = closePosition(before, exit, i === parts.length ? 1 : fraction, fees)
    trades.push(closeResult.trade)
    each(closeResult.trade, before, closeResult.position)
    left = closeResult.position
  }
  assert.isNull(left)
  return trades
}

const sum = (values: ReadonlyArray<Decimal>) => BigDecimal.sumAll(values)
const format = (value: Decimal) => BigDecimal.format(value)

describe("closing a position in parts", () => {
  it("preserves the sum of realised and unrealised profit and the total size exactly", () => {
    fc.assert(
      fc.property(side, size, price, fractions, (side, size, entry, parts) => {
        const fullPosition = positionOf({ side, size, entry })
        const trades = closedInParts(fullPosition, parts, (trade, before, left) => {
          const [profitBefore, is] = [
            computeProfit(before, trade.exit)!,
            left === null ? decimal(0) : computeProfit(left, trade.exit)!
          ]
          assert.strictEqual(format(sum([trade.pnlUsd!, trade.feesUsd, is])), format(profitBefore))
        })
        assert.strictEqual(format(sum(trades.map(({ sizeUsd }) => sizeUsd!))), format(decimal(size)))
        assert.strictEqual(format(sum(trades.map(({ share }) => share))), "1")
        assert.deepStrictEqual(trades.map(({ closes }) => closes), trades.map((_, i) => i === trades.length - 1))
      }),
      { numRuns }
    )
  })

  it("yields the same profit at one price as closing at once", () => {
    fc.assert(
      fc.property(side, size, price, price, fractions, (side, size, entry, exit, parts) => {
        const fullPosition = positionOf({ side, size, entry })
        const trades = closedInParts(fullPosition, parts.map((part) => ({ ...part, exit, fees: 0 })))
        const closedAtOnce = closePosition(fullPosition, exit, 1, 0).trade
        assert.strictEqual(format(sum(trades.map(({ pnlUsd }) => pnlUsd!))), format(closedAtOnce.pnlUsd!))
      }),
      { numRuns }
    )
  })

  it("matches the profit formula", () => {
    const { trade } = closePosition(positionOf({ side: "short", size: 1_000, entry: 3 }), 2, 0.5, 0.3)
    // 500 (3 - 2) / 3 - 0.3, rounded so that the profits of the closed and the open half add up exactly.
    assert.strictEqual(format(trade.pnlUsd!), "166.36666666")
    assert.strictEqual(format(computeProfit(positionOf({ side: "long", size: 0.1, entry: 0.3 }), decimal(0.6))!), "0.1")
  })
})

describe("R and expectancy", () => {
  it("follow their definitions: R of a position is weighted by size, expectancy is the mean R", () => {
    const positions = fc.record({
      side,
      size,
      entry: price,
      risk: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
      parts: fractions
    })
    fc.assert(
      fc.property(fc.array(positions, { minLength: 1, maxLength: 6 }), (all) => {
        const trades = all.flatMap(({ entry, parts, risk, side, size }, i) => {
          const stop = side === "long" ? entry * (1 - risk) : entry * (1 + risk)
          return closedInParts(positionOf({ side, size, entry, stop }), parts).map((trade) => ({
            ...trade,
            positionId: i
          }))
        })
        const outcomes = groupOutcomes(trades)
        for (const [i, { entry, risk, side, size }] of all.entries()) {
          const positionTrades = trades.filter(({ positionId }) => positionId === i)
          const stop = side === "long" ? entry * (1 - risk) : entry * (1 + risk)
          const rs = positionTrades.map((part) => (toNumber(part.exit) - entry) / (entry - stop))
          const expected = positionTrades.reduce(
            (total, part, k) => total + (toNumber(part.sizeUsd!) / size) * rs[k]!,
            0
          )
          const rMultiple = outcomes.find(({ positionId }) => positionId === i)!.r!
          assert.approximately(rMultiple, expected, 1e-6 * Math.max(1, ...rs.map(Math.abs)))
        }
        const { expectancyR, n, profitFactor, wins, winRate } = computeStatistics(outcomes)
        const rs = outcomes.map(({ r }) => r!)
        assert.approximately(
          expectancyR!,
          rs.reduce((a, b) => a + b, 0) / rs.length,
          1e-9 * Math.max(1, ...rs.map(Math.abs))
        )
        const pnls = all.map((_, i) =>
          trades.filter(({ positionId }) => positionId === i)
            .reduce((total, { pnlUsd }) => total + toNumber(pnlUsd!), 0)
        )
        assert.deepStrictEqual([n, winRate], [all.length, wins / n])
        const totalLoss = -pnls.filter((pnl) => pnl < 0).reduce((a, b) => a + b, 0)
        if (totalLoss > 1e-3) {
          const totalProfit = pnls.filter((pnl) => pnl > 0).reduce((a, b) => a + b, 0)
          assert.approximately(profitFactor!, totalProfit / totalLoss, 1e-6 * Math.max(1, totalProfit / totalLoss))
        }
      }),
      { numRuns: numRuns / 5 }
    )
  })

  it("are null if the stop is missing or limits no loss", () => {
    const at = (stop: number | null) =>
      computeRMultiple({
        side: "long",
        entry: decimal(100),
        exit: decimal(120),
        initialStop: stop === null ? null : decimal(stop)
      })
    assert.deepStrictEqual([at(90), at(null), at(100), at(110)], [2, null, null, null])
    assert.strictEqual(
      computeRMultiple({ side: "short", entry: decimal(100), exit: decimal(120), initialStop: decimal(110) }),
      -2
    )
  })

  it("count streaks of wins and losses, which a zero result ends", () => {
    const outcome = (pnl: number | null, r: number | null = null) => ({
      positionId: ++lastId,
      coin: "BTC",
      side: "long" as const,
      pnlUsd: pnl === null ? null : decimal(pnl),
      feesUsd: decimal(0),
      r,
      closedAt: lastId
    })
    const all = [1, 2, -1, 3, 4, 5, 0, -1, -2].map((pnl) => outcome(pnl))
    const statistics = computeStatistics([...all, outcome(null), outcome(null, -1)])
    assert.deepStrictEqual(statistics.streaks, { longestWin: 3, longestLoss: 2, current: -1 })
    assert.deepStrictEqual([statistics.n, statistics.knownResults, statistics.wins, statistics.withoutRCount], [
      11,
      10,
      5,
      10
    ])
    assert.strictEqual(computeStatistics([]).winRate, null)
    assert.strictEqual(computeStatistics([outcome(5)]).profitFactor, null)
  })
})

describe("position sizing", () => {
  it("risks at most the requested amount, exactly and after rounding, and not noticeably less", () => {
    const percent = fc.oneof(fc.constantFrom(1, 0.5, 2, 100, 0.001), fc.double({ min: 0.001, max: 100, noNaN: true }))
    fc.assert(
      fc.property(size, percent, price, price, (accountUsd, riskPct, entry, stop) => {
        fc.pre(entry !== stop)
        const { quantity, riskUsd, sizeUsd } = computeSizing({ accountUsd, riskPct, entry, stop })
        const exact = (value: number) => BigDecimal.fromNumberUnsafe(value)
        const allowed = BigDecimal.multiply(BigDecimal.multiply(exact(accountUsd), exact(riskPct)), exact(0.01))
        const distance = BigDecimal.abs(BigDecimal.subtract(exact(entry), exact(stop)))
        const atMost = (one: Decimal, other: Decimal) => assert.isTrue(BigDecimal.isLessThanOrEqualTo(one, other))
        atMost(BigDecimal.multiply(exact(quantity), distance), allowed)
        atMost(exact(riskUsd), allowed)
        // The limit of the loss, written without a division: size * distance <= allowed * entry.
        atMost(BigDecimal.multiply(exact(sizeUsd), distance), BigDecimal.multiply(allowed, exact(entry)))
        assert.isAbove(riskUsd / ((accountUsd * riskPct) / 100), 1 - 2e-9)
      }),
      { numRuns }
    )
    assert.deepStrictEqual(computeSizing({ accountUsd: 10_000, riskPct: 1, entry: 100, stop: 95 }), {
      quantity: 20,
      sizeUsd: 2_000,
      riskUsd: 100
    })
    assert.deepStrictEqual(computeSizing({ accountUsd: 100, riskPct: 1, entry: 10, stop: 7 }).riskUsd, 0.9999999999)
  })
})

describe("the liquidation price", () => {
  it("is the price at which the margin equals the maintenance margin of half a percent", () => {
    fc.assert(
      fc.property(side, fc.double({ min: 1e-6, max: 1e6, noNaN: true }), fc.double({ min: 1, max: 200, noNaN: true }), (
        side,
        entry,
        leverage
      ) => {
        const price = computeLiquidationPrice({ side, entry, leverage })
        if (price === null) return assert.isTrue(side === "long" && leverage < 1.000_001)
        const sign = side === "long" ? 1 : -1
        // The expected price is found by bisection, where the margin minus the loss equals the maintenance margin.
        const computeSpareMargin = (at: number) => entry / leverage + sign * (at - entry) - 0.005 * at
        let [low, high] = [0, 4 * entry]
        for (let i = 0; i < 200; i++) {
          const middle = (low + high) / 2
          if ((computeSpareMargin(middle) > 0) === (side === "long")) high = middle
          else low = middle
        }
        assert.approximately(price / entry, low / entry, 1e-9)
      }),
      { numRuns }
    )
    assert.isNull(computeLiquidationPrice({ side: "long", entry: 100, leverage: null }))
    assert.isNull(computeLiquidationPrice({ side: "long", entry: null, leverage: 3 }))
    assert.isNull(computeLiquidationPrice({ side: "long", entry: 100, leverage: 1 }))
  })
})
