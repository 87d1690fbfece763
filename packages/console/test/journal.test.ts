import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseList, parseNumber } from "../browser/i18n/parseNumber.ts"
import { initialCloseDraft, parseCloseDraft } from "../browser/pages/journal/closeDraft.ts"
import {
  computeLossAtStop,
  computeProfit,
  computeTotals,
  cumulativeProfit,
  withCoins,
  withNote,
  withoutPosition,
  withPosition
} from "../browser/pages/journal/journal.ts"
import {
  emptySizing,
  parseProfileDraft,
  parseSizingDraft,
  toProfileDraft
} from "../browser/pages/journal/numberDrafts.ts"
import {
  emptyPosition,
  parseChangedPosition,
  parseNewPosition,
  toPositionDraft
} from "../browser/pages/journal/positionDraft.ts"
import type { History, Position, Positions, Trade } from "../browser/pages/journal/queries.ts"
import { makeIdempotencyKeys } from "../browser/requests/idempotencyKeys.ts"

const position = (fields: Partial<Position> = {}): Position => ({
  id: 1,
  coin: "BTC",
  side: "long",
  leverage: 3,
  size_usd: 1000,
  entry: 60_000,
  stop: 57_000,
  initial_stop: 57_000,
  takes: [66_000],
  notes: null,
  open_share: 1,
  opened_at: "2026-11-01T00:00:00.000Z",
  updated_at: "2026-11-01T00:00:00.000Z",
  mark: 63_000,
  value_usd: 1050,
  unrealised_usd: 50,
  unrealised_pct: 5,
  liquidation_price: 40_201,
  liquidation_distance_pct: 36.2,
  ...fields
})

const positions = (...rows: ReadonlyArray<Position>): Positions => ({
  positions: rows,
  risk_profile: {
    account_usd: 10_000,
    risk_pct: null,
    max_leverage: null,
    max_open_risk_pct: null,
    base_currency: "USD"
  },
  notes: [],
  as_of: "2026-11-02T00:00:00.000Z",
  source: "simulated"
})

describe("A typed number", () => {
  it("is parsed by the rules of its language", () => {
    expect(["61,250.5", "61250.5", "$61 250", " .5 ", "1e-7", "-2"].map((text) => parseNumber(text, "en")))
      .toEqual([61_250.5, 61_250.5, 61_250, 0.5, 1e-7, -2])
    expect(["61 250,5", "61\u00a0250.5", "0,5", "0,125", "61250,25"].map((text) => parseNumber(text, "ru")))
      .toEqual([61_250.5, 61_250.5, 0.5, 0.125, 61_250.25])
  })

  it("is rejected if it is ambiguous or not a number", () => {
    expect(parseNumber("61,250", "ru")).toBeUndefined()
    for (const text of ["", "1,5", "1,50,000", "12 34", "1e999", "0x10", "NaN", "Infinity", "1.2.3", "5k"]) {
      expect(parseNumber(text, "en"), text).toBeUndefined()
    }
  })

  it("is parsed to the value that was formatted, in every language", () => {
    fc.assert(fc.property(fc.double({ min: 1e-15, max: 1e15, noNaN: true }), (value) => {
      for (const language of ["en", "ko", "ru"] as const) expect(parseNumber(String(value), language)).toBe(value)
    }))
  })

  it("is separated from other numbers by a semicolon, a line break, or a comma and a space", () => {
    expect(parseList("101000; 107000,5\n 110 000, 7")).toEqual(["101000", "107000,5", "110 000", "7"])
  })
})

describe("The list of positions", () => {
  it("replaces, adds and removes positions, and clears outdated values", () => {
    const before = positions(position(), position({ id: 2, coin: "ETH" }))
    const changedState = withPosition(before, position({ stop: 61_000 }))
    expect(changedState.positions).toMatchObject([{ id: 1, stop: 61_000, mark: 63_000, unrealised_usd: null }, {
      id: 2
    }])
    const added = withPosition(before, position({ id: 3, coin: "SOL" }))
    expect(added.positions.map(({ id, mark }) => [id, mark])).toEqual([[1, 63_000], [2, 63_000], [3, null]])
    expect(withoutPosition(before, 1).positions.map(({ id }) => id)).toEqual([2])
  })

  it("adds up positions with a price, and counts those without a price or a stop", () => {
    const short = position({ id: 2, side: "short", stop: null, value_usd: 400, unrealised_usd: -20 })
    const unknown = position({ id: 3, value_usd: null, unrealised_usd: null })
    expect(computeTotals([position(), short, unknown]))
      .toEqual({ profit: 30, long: 1050, short: 400, withoutStop: 1, withoutPrice: 1 })
  })

  it("computes the profit at a price, and no loss at a stop on the winning side", () => {
    expect(computeProfit({ side: "long", size: 1000, entry: 60_000, exit: 63_000, fees: 1 })).toBeCloseTo(49)
    expect(computeProfit({ side: "short", size: 1000, entry: 60_000, exit: 63_000 })).toBeCloseTo(-50)
    expect(computeLossAtStop({ side: "long", size: 1000, entry: 60_000, stop: 57_000 })).toBeCloseTo(50)
    expect(computeLossAtStop({ side: "short", size: 1000, entry: 60_000, stop: 57_000 })).toBe(0)
  })
})

describe("A position's form", () => {
  it("returns the fields that are filled in, and a fault for each invalid field", () => {
    const typed = { ...emptyPosition, coin: " btc ", size_usd: "1,000", targets: "66000; 70000" }
    expect(parseNewPosition(typed, "en"))
      .toEqual({ args: { coin: "BTC", side: "long", size_usd: 1000, takes: [66_000, 70_000] }, faults: {} })
    expect(parseNewPosition({ ...emptyPosition, entry: "high", targets: "1; x" }, "en").faults)
      .toEqual({ coin: "missing", entry: "no number", targets: "no number" })
  })

  it("returns only changed fields, and clears only targets and notes", () => {
    const before = position({ notes: "retest" })
    expect(parseChangedPosition(toPositionDraft(before), "ru", before)).toEqual({ args: undefined, faults: {} })
    const typed = { ...toPositionDraft(before), stop: "61000", targets: "", notes: "" }
    expect(parseChangedPosition(typed, "en", before).args).toEqual({ id: 1, stop: 61_000, takes: [], notes: "" })
    expect(parseChangedPosition({ ...typed, entry: " " }, "en", before).faults).toEqual({ entry: "cannot remove" })
  })

  it("closes the whole position at the newest price by default, or a share", () => {
    expect(parseCloseDraft(initialCloseDraft(position()), "en", 1)).toEqual({
      args: { id: 1, exit: 63_000, fraction: 1 },
      faults: {}
    })
    const part = { share: "other", percent: "12.5", exit: "64,000", fees: "1.2", notes: " first " } as const
    expect(parseCloseDraft(part, "en", 1).args).toEqual({
      id: 1,
      exit: 64_000,
      fraction: 0.125,
      fees_usd: 1.2,
      notes: "first"
    })
    expect(parseCloseDraft({ ...part, percent: "", exit: "", fees: "x" }, "en", 1))
      .toEqual({ args: undefined, faults: { percent: "missing", exit: "missing", fees: "no number" } })
  })
})

describe("Risk", () => {
  it("sends only the changed fields of a profile, and does not clear stored ones", () => {
    const { risk_profile } = positions()
    const typed = toProfileDraft(risk_profile)
    expect(parseProfileDraft({ ...typed, risk_pct: "0.5" }, risk_profile, "en")).toEqual({
      changes: { risk_pct: 0.5 },
      faults: {}
    })
    expect(parseProfileDraft({ ...typed, account_usd: "" }, risk_profile, "en").faults).toEqual({
      account_usd: "cannot remove"
    })
  })

  it("requires an entry and a stop for a position size, and accepts optional targets", () => {
    expect(parseSizingDraft(emptySizing, "en")).toEqual({
      args: undefined,
      faults: { entry: "missing", stop: "missing" }
    })
    expect(parseSizingDraft({ ...emptySizing, entry: "100", stop: "95", targets: "110" }, "en").args)
      .toEqual({ entry: 100, stop: 95, targets: [110] })
    expect(parseSizingDraft({ ...emptySizing, entry: "100", stop: "95", targets: "110; up" }, "en").faults)
      .toEqual({ targets: "no number" })
  })
})

describe("The trade history", () => {
  const trade = (id: number, closed_at: string, pnl_usd: number | null): Trade => ({
    id,
    position_id: id,
    coin: "BTC",
    side: "long",
    fraction: 1,
    size_usd: 1000,
    entry: 1,
    exit: 1,
    initial_stop: null,
    r: null,
    fees_usd: 0,
    pnl_usd,
    opened_at: closed_at,
    closed_at,
    notes: null
  })

  it("adds up profits in the order of closing, without trades of unknown profit", () => {
    const trades = [
      trade(3, "2026-11-03T00:00:00Z", -5),
      trade(2, "2026-11-02T00:00:00Z", null),
      trade(1, "2026-11-01T00:00:00Z", 12)
    ]
    expect(cumulativeProfit(trades).map(({ value }) => value)).toEqual([12, 7])
    expect(cumulativeProfit([])).toEqual([])
  })

  it("lists each note once, newest first, and keeps the known prices of watched coins", () => {
    const note = (id: number) => ({ id, text: "x", trade_id: null, coin: null, time: "2026-11-01T00:00:00Z" })
    const history: History = { days: 90, coin: null, trades: [], total: 0, journal_notes: [note(1)], notes: [] }
    expect(withNote(withNote(history, note(2)), note(2)).journal_notes.map(({ id }) => id)).toEqual([2, 1])
    const list = { coins: [{ coin: "BTC", price: 1, change_24h_pct: 2 }], notes: [], as_of: "", source: "x" }
    expect(withCoins(list, ["ETH", "BTC"]).coins).toEqual([
      { coin: "ETH", price: null, change_24h_pct: null },
      list.coins[0]
    ])
  })
})

describe("The idempotency key of a call that writes", () => {
  const begin = () => {
    const letters = "abcdefgh".split("").values()
    const clock = { ms: 0 }
    return { clock, ...makeIdempotencyKeys(() => letters.next().value ?? "none", () => clock.ms) }
  }

  it("stays the same until the call succeeds, whatever other calls are made", () => {
    const { markSucceeded, keyFor } = begin()
    const call = ["set_position", { coin: "BTC" }] as const
    expect(keyFor(...call)).toBe("a")
    expect([keyFor("set_position", { coin: "ETH" }), keyFor("add_journal_note", { coin: "BTC" })]).toEqual(["b", "c"])
    markSucceeded("set_position", { coin: "ETH" })
    expect([keyFor(...call), keyFor("set_position", { coin: "ETH" })]).toEqual(["a", "d"])
    markSucceeded(...call)
    expect(keyFor(...call)).toBe("e")
  })

  it("changes after ten minutes without the call", () => {
    const { clock, keyFor } = begin()
    expect(keyFor("set_position", 1)).toBe("a")
    clock.ms = 600_000
    expect(keyFor("set_position", 1)).toBe("a")
    clock.ms = 1_200_000
    expect(keyFor("set_position", 1)).toBe("a")
    clock.ms = 1_800_001
    expect(keyFor("set_position", 1)).toBe("b")
  })

  it("changes after the opposite call has succeeded", () => {
    const { markSucceeded, keyFor } = begin()
    const [add, remove] = [{ add: ["BTC"] }, { remove: ["BTC"] }]
    expect([keyFor("update_watchlist", add), keyFor("update_watchlist", remove)]).toEqual(["a", "b"])
    markSucceeded("update_watchlist", remove)
    expect(keyFor("update_watchlist", add)).toBe("c")
  })
})
