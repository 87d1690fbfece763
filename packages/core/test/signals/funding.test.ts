import { assert, describe, it } from "@effect/vitest"
import { dayMs, type FundingPayment, hourMs } from "@tapeline/core"
import { zScore } from "@tapeline/quant"
import { findLastPayment, getFundingZScoreBefore, toPayments } from "../../src/analysis/signals/funding.ts"

const end = Date.UTC(2026, 10, 20, 8)

/**
 * Returns payments every `intervalHours` hours up to `end`. The rate oscillates, and each timestamp is `lateMs` late.
 */
const prints = (intervalHours: number, days: number, lateMs = 0): ReadonlyArray<FundingPayment> =>
  Array.from({ length: (days * 24) / intervalHours }, (_, i) => ({
    time: end - i * intervalHours * hourMs + lateMs,
    fundingRate: (1e-4 * (1 + Math.sin(i)) * intervalHours) / 8,
    intervalHours
  })).toReversed()

describe("funding", () => {
  it("is compared per 8 hours over 30 days, for any interval and for late timestamps", () => {
    for (const intervalHours of [1, 4, 8]) {
      const payments = toPayments(prints(intervalHours, 40, 1_234))
      const window = payments.filter(({ time }) => time >= end - 30 * dayMs && time < end)
      assert.strictEqual(window.length, (30 * 24) / intervalHours)
      assert.isTrue(window.every(({ time }) => time % hourMs === 0))
      assert.strictEqual(getFundingZScoreBefore(3e-4, payments, end), zScore(3e-4, window.map(({ rate }) => rate)))
      assert.isAtMost(Math.max(...window.map(({ rate }) => rate)), 2.000001e-4)
    }
  })

  it("keeps its scale if a venue shortens its interval", () => {
    const long = prints(8, 30).map((print) => ({ ...print, fundingRate: print.time % dayMs === 0 ? 1e-4 : 2e-4 }))
    const short = long.flatMap(({ fundingRate, time }) =>
      [4, 0].map((before) => ({ time: time - before * hourMs, fundingRate: fundingRate / 2, intervalHours: 4 }))
    )
    const mixedPayments = [
      ...long.filter(({ time }) => time < end - 15 * dayMs),
      ...short.filter(({ time }) => time >= end - 15 * dayMs)
    ]
    const before = getFundingZScoreBefore(3e-4, toPayments(long), end)!
    assert.closeTo(getFundingZScoreBefore(3e-4, toPayments(mixedPayments), end)!, before, 0.15 * before)
  })

  it("has no z-score if payments cover less than ten days", () => {
    assert.isNull(getFundingZScoreBefore(3e-4, toPayments(prints(8, 9)), end))
    assert.isNotNull(getFundingZScoreBefore(3e-4, toPayments(prints(8, 11)), end))
    assert.isNull(getFundingZScoreBefore(3e-4, toPayments(prints(1, 9)), end))
  })

  it("includes the payment settled last", () => {
    const payments = toPayments(prints(4, 2, 17))
    assert.strictEqual(findLastPayment(payments, end)!.time, end)
  })
})
