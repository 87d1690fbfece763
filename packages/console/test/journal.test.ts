import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeOnce } from "../browser/asking/once.ts"
import type { History, Position, Positions, Trade } from "../browser/pages/journal/asks.ts"
import {
  earnedOver,
  lossAt,
  profitAt,
  totalsOf,
  withCoins,
  withNote,
  without,
  withRecorded
} from "../browser/pages/journal/journal.ts"
import { beginClosing, closingOf } from "../browser/pages/journal/typedClosing.ts"
import { changedProfile, emptySizing, sizingOf, typedProfile } from "../browser/pages/journal/typedNumbers.ts"
import { changedPosition, emptyPosition, newPosition, typedOf } from "../browser/pages/journal/typedPosition.ts"
import { listIn, numberIn } from "../browser/words/typed.ts"

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

describe("A number that is typed", () => {
  it("is read as its language writes it", () => {
    expect(["61,250.5", "61250.5", "$61 250", " .5 ", "1e-7", "-2"].map((text) => numberIn(text, "en")))
      .toEqual([61_250.5, 61_250.5, 61_250, 0.5, 1e-7, -2])
    expect(["61 250,5", "61\u00a0250.5", "0,5", "0,125", "61250,25"].map((text) => numberIn(text, "ru")))
      .toEqual([61_250.5, 61_250.5, 0.5, 0.125, 61_250.25])
  })

  it("is none where it might be two, or is no number at all", () => {
    expect(numberIn("61,250", "ru")).toBeUndefined()
    for (const text of ["", "1,5", "1,50,000", "12 34", "1e999", "0x10", "NaN", "Infinity", "1.2.3", "5k"]) {
      expect(numberIn(text, "en"), text).toBeUndefined()
    }
  })

  it("is read again as what it was written from, in every language", () => {
    fc.assert(fc.property(fc.double({ min: 1e-15, max: 1e15, noNaN: true }), (value) => {
      for (const language of ["en", "ko", "ru"] as const) expect(numberIn(String(value), language)).toBe(value)
    }))
  })

  it("may be one of several", () => {
    expect(listIn("101000; 107000,5\n 110 000, 7")).toEqual(["101000", "107000,5", "110 000", "7"])
  })
})

describe("The list of positions", () => {
  it("has what was recorded in its place, without values that are no longer so", () => {
    const before = positions(position(), position({ id: 2, coin: "ETH" }))
    const changed = withRecorded(before, position({ stop: 61_000 }))
    expect(changed.positions).toMatchObject([{ id: 1, stop: 61_000, mark: 63_000, unrealised_usd: null }, { id: 2 }])
    const added = withRecorded(before, position({ id: 3, coin: "SOL" }))
    expect(added.positions.map(({ id, mark }) => [id, mark])).toEqual([[1, 63_000], [2, 63_000], [3, null]])
    expect(without(before, 1).positions.map(({ id }) => id)).toEqual([2])
  })

  it("comes to sums of what has a price, and says what has none", () => {
    const short = position({ id: 2, side: "short", stop: null, value_usd: 400, unrealised_usd: -20 })
    const unknown = position({ id: 3, value_usd: null, unrealised_usd: null })
    expect(totalsOf([position(), short, unknown]))
      .toEqual({ profit: 30, long: 1050, short: 400, unprotected: 1, unvalued: 1 })
  })

  it("makes at a price what the journal says it makes, and loses nothing at a stop on the winning side", () => {
    expect(profitAt({ side: "long", size: 1000, entry: 60_000, exit: 63_000, fees: 1 })).toBeCloseTo(49)
    expect(profitAt({ side: "short", size: 1000, entry: 60_000, exit: 63_000 })).toBeCloseTo(-50)
    expect(lossAt({ side: "long", size: 1000, entry: 60_000, stop: 57_000 })).toBeCloseTo(50)
    expect(lossAt({ side: "short", size: 1000, entry: 60_000, stop: 57_000 })).toBe(0)
  })
})

describe("A position's form", () => {
  it("gives what is filled in, and nothing for what is not", () => {
    const typed = { ...emptyPosition, coin: " btc ", size_usd: "1,000", takes: "66000; 70000" }
    expect(newPosition(typed, "en"))
      .toEqual({ args: { coin: "BTC", side: "long", size_usd: 1000, takes: [66_000, 70_000] }, faults: {} })
    expect(newPosition({ ...emptyPosition, entry: "high", takes: "1; x" }, "en").faults)
      .toEqual({ coin: "missing", entry: "no number", takes: "no number" })
  })

  it("changes what differs alone; what was recorded is not taken back, but targets and notes are", () => {
    const before = position({ notes: "retest" })
    expect(changedPosition(typedOf(before), "ru", before)).toEqual({ args: undefined, faults: {} })
    const typed = { ...typedOf(before), stop: "61000", takes: "", notes: "" }
    expect(changedPosition(typed, "en", before).args).toEqual({ id: 1, stop: 61_000, takes: [], notes: "" })
    expect(changedPosition({ ...typed, entry: " " }, "en", before).faults).toEqual({ entry: "stays" })
  })

  it("closes all at the newest price to begin with, or a share", () => {
    expect(closingOf(beginClosing(position()), "en", 1)).toEqual({
      args: { id: 1, exit: 63_000, fraction: 1 },
      faults: {}
    })
    const part = { share: "other", percent: "12.5", exit: "64,000", fees: "1.2", notes: " first " } as const
    expect(closingOf(part, "en", 1).args).toEqual({
      id: 1,
      exit: 64_000,
      fraction: 0.125,
      fees_usd: 1.2,
      notes: "first"
    })
    expect(closingOf({ ...part, percent: "", exit: "", fees: "x" }, "en", 1))
      .toEqual({ args: undefined, faults: { percent: "missing", exit: "missing", fees: "no number" } })
  })
})

describe("Risk", () => {
  it("a profile's change names what differs; what was kept is not taken back", () => {
    const { risk_profile } = positions()
    const typed = typedProfile(risk_profile)
    expect(changedProfile({ ...typed, risk_pct: "0.5" }, risk_profile, "en")).toEqual({
      changes: { risk_pct: 0.5 },
      faults: {}
    })
    expect(changedProfile({ ...typed, account_usd: "" }, risk_profile, "en").faults).toEqual({ account_usd: "stays" })
  })

  it("a size wants an entry and a stop, and takes the rest as it is filled in", () => {
    expect(sizingOf(emptySizing, "en")).toEqual({ args: undefined, faults: { entry: "missing", stop: "missing" } })
    expect(sizingOf({ ...emptySizing, entry: "100", stop: "95", targets: "110" }, "en").args)
      .toEqual({ entry: 100, stop: 95, targets: [110] })
    expect(sizingOf({ ...emptySizing, entry: "100", stop: "95", targets: "110; up" }, "en").faults)
      .toEqual({ targets: "no number" })
  })
})

describe("What was traded", () => {
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

  it("adds up in the order in which it closed, without what nobody knows", () => {
    const trades = [
      trade(3, "2026-11-03T00:00:00Z", -5),
      trade(2, "2026-11-02T00:00:00Z", null),
      trade(1, "2026-11-01T00:00:00Z", 12)
    ]
    expect(earnedOver(trades).map(({ value }) => value)).toEqual([12, 7])
    expect(earnedOver([])).toEqual([])
  })

  it("has a note once, the newest first, and a watched coin its price as far as that is known", () => {
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

describe("A call that writes", () => {
  const begin = () => {
    const drawn = "abcdefgh".split("").values()
    const clock = { ms: 0 }
    return { clock, ...makeOnce(() => drawn.next().value ?? "none", () => clock.ms) }
  }

  it("is the same one until it has gone well, whatever is called meanwhile", () => {
    const { done, keyOf } = begin()
    const call = ["set_position", { coin: "BTC" }] as const
    expect(keyOf(...call)).toBe("a")
    expect([keyOf("set_position", { coin: "ETH" }), keyOf("add_journal_note", { coin: "BTC" })]).toEqual(["b", "c"])
    done("set_position", { coin: "ETH" })
    expect([keyOf(...call), keyOf("set_position", { coin: "ETH" })]).toEqual(["a", "d"])
    done(...call)
    expect(keyOf(...call)).toBe("e")
  })

  it("is another one once it was not made for ten minutes", () => {
    const { clock, keyOf } = begin()
    expect(keyOf("set_position", 1)).toBe("a")
    clock.ms = 600_000
    expect(keyOf("set_position", 1)).toBe("a")
    clock.ms = 1_200_000
    expect(keyOf("set_position", 1)).toBe("a")
    clock.ms = 1_800_001
    expect(keyOf("set_position", 1)).toBe("b")
  })

  it("that sets something back is another one than what set it first", () => {
    const { done, keyOf } = begin()
    const [add, remove] = [{ add: ["BTC"] }, { remove: ["BTC"] }]
    expect([keyOf("update_watchlist", add), keyOf("update_watchlist", remove)]).toEqual(["a", "b"])
    done("update_watchlist", remove)
    expect(keyOf("update_watchlist", add)).toBe("c")
  })
})
