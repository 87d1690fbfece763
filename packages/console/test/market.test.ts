import { describe, expect, it } from "vitest"
import { areOpen, costOf, hourly } from "../browser/asking/cost.ts"
import {
  candlesAsk,
  type EndedSignals,
  fundingAsk,
  levelsAsk,
  positioningAsk,
  priceAsk
} from "../browser/pages/market/asks.ts"
import {
  changeOf,
  endedMarks,
  levelLines,
  moved,
  runningMarks,
  runningOf,
  shiftOf,
  signalLines,
  summaryOf
} from "../browser/pages/market/candles.ts"
import { seeThrough } from "../browser/pages/market/colours.ts"
import { coinsFor, tickerOf } from "../browser/pages/market/find.ts"
import { parts } from "../browser/pages/market/opened.ts"
import { asksOf } from "../browser/pages/market/parts.ts"
import { barScale, placeIn, pointsOf, rate8h, signedBars } from "../browser/pages/market/series.ts"
import { timeframeOf } from "../browser/pages/market/timeframe.ts"
import { formatsOf } from "../browser/words/formats.ts"

const prices = new Map([
  ["get_price", 1],
  ["get_price_history", 1],
  ["get_levels", 1],
  ["get_funding_comparison", 1],
  ["get_derivatives", 1],
  ["get_positioning_history", 1],
  ["get_signal_outcomes", 20]
])

const hour = 3_600_000
const begun = Date.parse("2026-11-20T00:00:00Z")
const candle = (i: number, open = 100, close = 101) => ({
  time: new Date(begun + i * hour).toISOString(),
  open,
  high: Math.max(open, close) + 1,
  low: Math.min(open, close) - 2,
  close,
  volume: 5
})

describe("What a view costs", () => {
  it("is each call once, however many parts show it", () => {
    const both = [...asksOf("funding", "BTC"), ...asksOf("positioning", "BTC")]
    expect(both).toHaveLength(4)
    expect(costOf(both, prices)).toBe(3)
    expect(costOf([positioningAsk("BTC"), positioningAsk("ETH")], prices)).toBe(2)
  })

  it("leaves out what is kept and still new", () => {
    const asks = [priceAsk("BTC"), candlesAsk("BTC", "1h"), candlesAsk("BTC", "4h")]
    expect(costOf(asks, prices, ({ args }) => args["tf"] === "1h")).toBe(2)
    expect(costOf([], prices)).toBe(0)
  })

  it("is told by the hour for what is asked again by itself", () => {
    expect(hourly(2, 30_000)).toBe(240)
    expect(hourly(2, 300_000)).toBe(24)
  })

  it("is offered for tools alone that may be called", () => {
    expect(areOpen([fundingAsk("BTC")], prices)).toBe(true)
    expect(areOpen(asksOf("score", "BTC"), prices)).toBe(false)
    expect(parts.filter((part) => areOpen(asksOf(part, "BTC"), prices))).toEqual(["funding", "positioning"])
  })
})

describe("Candles in words", () => {
  it("have their ends, extremes and change", () => {
    expect(summaryOf([])).toBeUndefined()
    expect(summaryOf([candle(0, 100, 90), candle(1, 90, 110)])).toMatchObject({
      from: begun,
      to: begun + hour,
      count: 2,
      high: 111,
      low: 88,
      last: 110
    })
    expect(changeOf(candle(0, 200, 150))).toBe(-25)
    expect(changeOf(candle(0, 0, 1))).toBe(0)
  })

  it("are gone through by keys, and never left", () => {
    expect(moved("ArrowLeft", undefined, 10)).toBe(8)
    expect(moved("ArrowRight", 9, 10)).toBe(9)
    expect(moved("PageUp", 5, 10)).toBe(0)
    expect(moved("Home", 7, 10)).toBe(0)
    expect(moved("End", 0, 10)).toBe(9)
    expect(moved("a", 0, 10)).toBeUndefined()
    expect(moved("End", undefined, 0)).toBeUndefined()
  })

  it("of a day are those of UTC; others stand at the reader's own hours", () => {
    expect(shiftOf("1d", begun)).toBe(0)
    expect(shiftOf("1h", begun)).toBe(-new Date(begun).getTimezoneOffset() * 60_000)
  })
})

describe("What is drawn over the candles", () => {
  const level = (price: number, strength: number) => ({ price, touches: 2, strength, distance_pct: price - 100 })

  it("is the strongest levels of each side that are near", () => {
    const levels = {
      close: 100,
      atr: 1,
      supports: [level(99, 10), level(98, 50), level(97, 40), level(96, 30), level(95, 20), level(60, 99)],
      resistances: [level(101, 5)]
    }
    const lines = levelLines(levels)
    expect(lines.filter(({ kind }) => kind === "support").map(({ price }) => price)).toEqual([98, 97, 96, 95])
    expect(lines.filter(({ kind }) => kind === "resistance").map(({ price }) => price)).toEqual([101])
  })

  it("are levels of no candle that levels are not told of", () => {
    expect(levelsAsk("BTC", "5m").args["tf"]).toBe("15m")
    expect(levelsAsk("BTC", "1d").args["tf"]).toBe("1d")
  })

  const signal = {
    coin: "BTC",
    side: "long" as const,
    score: 45,
    entry: 100,
    take: 106,
    stop: 96,
    opened_at: new Date(begun + 2 * hour).toISOString(),
    expires_at: new Date(begun + 26 * hour).toISOString(),
    price: 101,
    unrealised_pct: 1,
    regime: null
  }
  const said = { rule: "", rule_versions: [], notes: [], as_of: new Date(begun).toISOString(), source: "simulated" }

  it("is the coin's own signals, at the candle that they opened in", () => {
    const running = runningOf({ ...said, signals: [signal, { ...signal, coin: "ETH" }] }, "BTC")
    expect(running).toEqual([signal])
    expect(signalLines(running).map(({ kind, price }) => [kind, price])).toEqual([
      ["entry", 100],
      ["take", 106],
      ["stop", 96]
    ])
    const hours = [0, 1, 2, 3].map((i) => candle(i))
    expect(runningMarks(running, hours, "1h")).toEqual([{ at: begun + 2 * hour, kind: "long", price: 100 }])
    expect(runningMarks(running, [candle(0)], "4h").map(({ at }) => at)).toEqual([begun])
    expect(runningMarks(running, hours.slice(3), "1h")).toEqual([])
    expect(runningMarks(running, [], "1h")).toEqual([])
  })

  it("is where ended signals began, and the hour in which they ended, in the order of time", () => {
    const outcome = {
      coin: "BTC",
      side: "short" as const,
      score: -45,
      opened_at: new Date(begun + hour).toISOString(),
      closed_at: new Date(begun + 3 * hour).toISOString(),
      outcome: "take" as const,
      entry: 100,
      exit: 97,
      percent: 3,
      regime: null
    }
    const summary = { n: 1, take: 1, stop: 0, timeout: 0, running: 0 }
    const none = { win_rate: null, wilson_low: null, wilson_high: null, mean_percent: null }
    const ended: EndedSignals = {
      ...said,
      outcomes: [outcome, { ...outcome, coin: "ETH" }],
      summary: { ...summary, ...none }
    }
    const hours = [0, 1, 2, 3].map((i) => candle(i))
    expect(endedMarks(ended, "BTC", hours, "1h")).toEqual([
      { at: begun + hour, kind: "short", price: 100 },
      { at: begun + 2 * hour, kind: "take", price: 97, percent: 3 }
    ])
  })
})

describe("Series", () => {
  const at = new Date(begun).toISOString()
  const known = { time: at, open_interest: 1, open_interest_usd: 10, taker_buy_ratio: 0.5, long_short_ratio: 1 }

  it("leave out hours of which a value is not known, and bring rates to 8 hours", () => {
    const hours = [
      { ...known, funding_rate_pct: 0.01, funding_interval_hours: 4 },
      { ...known, funding_rate_pct: null, funding_interval_hours: 8 },
      { ...known, funding_rate_pct: -0.01, funding_interval_hours: 8 }
    ]
    const points = pointsOf(hours, rate8h)
    expect(points.map(({ value }) => value)).toEqual([0.02, -0.01])
    expect(signedBars(points).map(({ down, up }) => [up, down])).toEqual([[0.02, 0], [0, 0.01]])
  })

  it("are on one scale up and down, also where there is nothing", () => {
    const { size, zero } = barScale([{ at: 0, up: 30, down: 0 }, { at: 1, up: 0, down: 10 }], 160)
    expect([zero, size(30), size(10)]).toEqual([120, 120, 40])
    expect(barScale([{ at: 0, up: 0, down: 0 }], 160).size(0)).toBe(0)
  })

  it("stand within their range", () => {
    expect([placeIn(5, 0, 10), placeIn(-1, 0, 10), placeIn(11, 0, 10), placeIn(1, 1, 1)]).toEqual([0.5, 0, 1, 0.5])
  })
})

describe("What is typed", () => {
  it("is a ticker, or none", () => {
    expect(tickerOf(" btc ")).toBe("BTC")
    expect(tickerOf("1000PEPE")).toBe("1000PEPE")
    expect(tickerOf("a b")).toBeUndefined()
    expect(tickerOf("../keys")).toBeUndefined()
    expect(tickerOf("")).toBeUndefined()
  })

  it("finds coins, those first that begin with it", () => {
    const coins = ["WBTC", "ETH", "BTCX", "BTC"].map((coin) => ({ coin }))
    expect(coinsFor(coins, "btc").map(({ coin }) => coin)).toEqual(["BTC", "BTCX", "WBTC"])
    expect(coinsFor(coins, " ")).toBe(coins)
    expect(coinsFor(coins, "doge")).toEqual([])
  })

  it("of an address is a timeframe that there is", () => {
    expect(["4h", "2h", null].map(timeframeOf)).toEqual(["4h", "1h", "1h"])
  })
})

it("numbers are short, with their signs, in the reader's language", () => {
  expect(formatsOf("en").compactUsd(16_586_964_522)).toBe("$16.59B")
  expect(formatsOf("ko").compact(2574)).toBe("2,574")
  expect(formatsOf("ko").compactUsd(11_962_893_582)).toContain("억")
  expect([formatsOf("en"), formatsOf("ru")].map(({ signed }) => signed(-1.234))).toEqual(["-1.23%", "-1,23%"])
  expect(formatsOf("en").signed(0.5)).toBe("+0.50%")
  expect(formatsOf("en").utcDay(begun)).toBe("Nov 20, 2026")
})

it("a colour lets through what stands behind it", () => {
  expect(seeThrough("rgb(1, 2, 3)", 0.5)).toBe("rgba(1, 2, 3, 0.5)")
  expect(seeThrough("red", 0.5)).toBe("red")
})
