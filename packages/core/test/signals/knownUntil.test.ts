import { assert, describe, it } from "@effect/vitest"
import { hourMs } from "@tapeline/core"
import { type FoundHours, knownUntil } from "../../src/analysis/signals/knownUntil.ts"

const to = Date.UTC(2026, 10, 21, 12)

/** A coin whose newest recorded hour closed `hoursAgo` hours ago. */
const found = (coin: string, hoursAgo: number | null, life: Partial<FoundHours> = {}): FoundHours => ({
  coin,
  listedAt: 0,
  delistedAt: null,
  newest: hoursAgo === null ? undefined : to - hoursAgo * hourMs,
  ...life
})

describe("what stands on several coins is known", () => {
  it("up to the hour of the one that lags most, of those that are waited for", () => {
    assert.deepStrictEqual(knownUntil([found("A", 0), found("B", 2), found("C", 1)], to), {
      until: to - 2 * hourMs,
      silent: []
    })
    assert.deepStrictEqual(knownUntil([found("A", 0), found("B", 3), found("C", null)], to), {
      until: to,
      silent: ["B", "C"]
    })
    assert.deepStrictEqual(knownUntil([found("A", 30), found("B", 40)], to), {
      until: to - 30 * hourMs,
      silent: ["A", "B"]
    })
    assert.deepStrictEqual(knownUntil([found("A", null)], to), { until: undefined, silent: ["A"] })
  })

  it("whoever has died, and whoever is too young to have an hour", () => {
    const dead = found("D", 50, { delistedAt: to - 50.4 * hourMs })
    const young = found("Y", null, { listedAt: to - 0.5 * hourMs })
    assert.deepStrictEqual(knownUntil([found("A", 0), dead, young], to), { until: to, silent: [] })
    assert.deepStrictEqual(knownUntil([dead], to), { until: to - 50 * hourMs, silent: [] })
    assert.deepStrictEqual(knownUntil([young], to), { until: to, silent: [] })
    // The coin was delisted long before the requested hours.
    assert.deepStrictEqual(knownUntil([{ ...dead, newest: undefined }], to), { until: to, silent: [] })
  })
})
