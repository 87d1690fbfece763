import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "@tapeline/core"
import { findKnownUntil, type RecordedHours } from "../../src/analysis/signals/dataCoverage.ts"

const to = Date.UTC(2026, 10, 21, 12)

const makeRecordedHours = (
  coin: string,
  hoursAgo: number | null,
  life: Partial<RecordedHours> = {}
): RecordedHours => ({
  coin,
  listedAt: 0,
  delistedAt: null,
  newestClose: hoursAgo === null ? undefined : to - hoursAgo * hourMs,
  ...life
})

describe("the known hours of several coins", () => {
  it("end with the most delayed coin, and exclude coins that lag too far", () => {
    assert.deepStrictEqual(
      findKnownUntil([makeRecordedHours("A", 0), makeRecordedHours("B", 2), makeRecordedHours("C", 1)], to),
      {
        until: to - 2 * hourMs,
        coinsWithoutData: []
      }
    )
    assert.deepStrictEqual(
      findKnownUntil([makeRecordedHours("A", 0), makeRecordedHours("B", 3), makeRecordedHours("C", null)], to),
      {
        until: to,
        coinsWithoutData: ["B", "C"]
      }
    )
    assert.deepStrictEqual(findKnownUntil([makeRecordedHours("A", 30), makeRecordedHours("B", 40)], to), {
      until: to - 30 * hourMs,
      coinsWithoutData: ["A", "B"]
    })
    assert.deepStrictEqual(findKnownUntil([makeRecordedHours("A", null)], to), {
      until: undefined,
      coinsWithoutData: ["A"]
    })
  })

  it("do not wait for delisted coins, or for coins younger than an hour", () => {
    const delistedCoin = makeRecordedHours("D", 50, { delistedAt: to - 50.4 * hourMs })
    const youngCoin = makeRecordedHours("Y", null, { listedAt: to - 0.5 * hourMs })
    assert.deepStrictEqual(findKnownUntil([makeRecordedHours("A", 0), delistedCoin, youngCoin], to), {
      until: to,
      coinsWithoutData: []
    })
    assert.deepStrictEqual(findKnownUntil([delistedCoin], to), { until: to - 50 * hourMs, coinsWithoutData: [] })
    assert.deepStrictEqual(findKnownUntil([youngCoin], to), { until: to, coinsWithoutData: [] })
    assert.deepStrictEqual(findKnownUntil([{ ...delistedCoin, newestClose: undefined }], to), {
      until: to,
      coinsWithoutData: []
    })
  })
})
