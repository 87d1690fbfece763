import { describe, expect, it } from "vitest"
import { makeWorld } from "../../src/world.ts"

const { equities: { indices } } = makeWorld("equities")

describe("the previous close of a future", () => {
  it.each(
    [
      // The session of Thursday runs from Wednesday, 18:00, to Thursday, 17:00, in New York.
      ["US", "2026-11-18T23:00Z", "2026-11-19T21:59Z"],
      ["US", "2026-11-19T15:00Z", "2026-11-19T21:30Z"],
      ["US", "2026-11-19T15:00Z", "2026-11-19T22:59Z"],
      ["US", "2026-11-20T15:00Z", "2026-11-22T12:00Z"],
      // The day session of futures in Seoul ends at 15:45, a quarter of an hour later than the session of the index.
      ["KR", "2026-11-18T03:00Z", "2026-11-18T06:40Z"],
      ["KR", "2026-11-18T03:00Z", "2026-11-18T08:59Z"],
      ["KR", "2026-11-20T09:00Z", "2026-11-22T12:00Z"]
    ] as const
  )("stays the same within a session in %s, from %s to %s", (country, from, to) => {
    const [before, after] = [from, to].map((text) =>
      indices.getFutures(country, Date.parse(text)).map(({ previousClose }) => previousClose)
    )
    expect(after).toEqual(before)
    expect(after!.length).toBeGreaterThan(0)
  })

  it("follows the index's last close when a session begins", () => {
    for (
      const [country, before, from] of [
        ["US", "2026-11-19T22:59Z", "2026-11-19T23:00Z"],
        ["US", "2026-11-22T22:59Z", "2026-11-22T23:00Z"],
        ["KR", "2026-11-18T08:59Z", "2026-11-18T09:00Z"]
      ] as const
    ) {
      const closes = (text: string) =>
        indices.getFutures(country, Date.parse(text)).map(({ previousClose }) => previousClose)
      expect(closes(from)).not.toEqual(closes(before))
    }
    const at = Date.parse("2026-11-20T00:00Z")
    const spx = indices.getQuotes("US", at).find(({ index }) => index === "SPX")!
    expect(indices.getFutures("US", at)[0]!.previousClose / spx.value).toBeCloseTo(1.004, 4)
  })
})

describe("the KOSPI 200 future", () => {
  it("is priced near the KOSPI 200, in its ticks, and moves with the KOSPI", () => {
    for (const time of ["2026-11-20T03:00Z", "2026-11-20T15:00Z", "2026-11-22T12:00Z"].map(Date.parse)) {
      const [k200] = indices.getFutures("KR", time)
      const kospi = indices.getQuotes("KR", time).find(({ index }) => index === "KOSPI")!
      expect(k200).toMatchObject({ index: "K200", name: "KOSPI 200 future" })
      expect(k200!.value / kospi.value).toBeGreaterThan(0.13)
      expect(k200!.value / kospi.value).toBeLessThan(0.155)
      expect(Math.abs(20 * k200!.value - Math.round(20 * k200!.value))).toBeLessThan(1e-6)
      expect(Math.abs(k200!.changePct - 100 * (k200!.value / k200!.previousClose - 1))).toBeLessThan(1e-9)
    }
  })
})
