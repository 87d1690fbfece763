import { describe, expect, it } from "vitest"
import { makeFormats } from "../browser/i18n/formats.ts"
import {
  candleChangePct,
  endedMarks,
  moveCursor,
  runningMarks,
  runningSignalsOf,
  signalLines,
  summarizeCandles,
  timeShiftMs,
  toLevelLines
} from "../browser/pages/market/candles.ts"
import { withOpacity } from "../browser/pages/market/colours.ts"
import { sections } from "../browser/pages/market/openSections.ts"
import {
  candlesQuery,
  type EndedSignals,
  fundingQuery,
  levelsQuery,
  positioningQuery,
  priceQuery
} from "../browser/pages/market/queries.ts"
import { parseTicker, searchCoins } from "../browser/pages/market/searchCoins.ts"
import { sectionQueries } from "../browser/pages/market/sectionQueries.ts"
import { barScale, rate8h, relativePosition, signedBars, toPoints } from "../browser/pages/market/series.ts"
import { parseTimeframe } from "../browser/pages/market/timeframe.ts"
import { canCallAll, creditsPerHour, totalCost } from "../browser/requests/toolQuery.ts"

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
const startTime = Date.parse("2026-11-20T00:00:00Z")
const candle = (i: number, open = 100, close = 101) => ({
  time: new Date(startTime + i * hour).toISOString(),
  open,
  high: Math.max(open, close) + 1,
  low: Math.min(open, close) - 2,
  close,
  volume: 5
})

describe("The cost of a view", () => {
  it("counts each call once, even if several sections show it", () => {
    const queries = [...sectionQueries("funding", "BTC"), ...sectionQueries("positioning", "BTC")]
    expect(queries).toHaveLength(4)
    expect(totalCost(queries, prices)).toBe(3)
    expect(totalCost([positioningQuery("BTC"), positioningQuery("ETH")], prices)).toBe(2)
  })

  it("excludes calls whose cached result is fresh", () => {
    const asks = [priceQuery("BTC"), candlesQuery("BTC", "1h"), candlesQuery("BTC", "4h")]
    expect(totalCost(asks, prices, ({ args }) => args["tf"] === "1h")).toBe(2)
    expect(totalCost([], prices)).toBe(0)
  })

  it("is computed per hour for calls that repeat automatically", () => {
    expect(creditsPerHour(2, 30_000)).toBe(240)
    expect(creditsPerHour(2, 300_000)).toBe(24)
  })

  it("is available only if all tools of the view can be called", () => {
    expect(canCallAll([fundingQuery("BTC")], prices)).toBe(true)
    expect(canCallAll(sectionQueries("score", "BTC"), prices)).toBe(false)
    expect(sections.filter((part) => canCallAll(sectionQueries(part, "BTC"), prices))).toEqual([
      "funding",
      "positioning"
    ])
  })
})

describe("Candles", () => {
  it("are summarised by their times, extremes and change", () => {
    expect(summarizeCandles([])).toBeUndefined()
    expect(summarizeCandles([candle(0, 100, 90), candle(1, 90, 110)])).toMatchObject({
      from: startTime,
      to: startTime + hour,
      count: 2,
      high: 111,
      low: 88,
      last: 110
    })
    expect(candleChangePct(candle(0, 200, 150))).toBe(-25)
    expect(candleChangePct(candle(0, 0, 1))).toBe(0)
  })

  it("are selected by keys, within their range", () => {
    expect(moveCursor("ArrowLeft", undefined, 10)).toBe(8)
    expect(moveCursor("ArrowRight", 9, 10)).toBe(9)
    expect(moveCursor("PageUp", 5, 10)).toBe(0)
    expect(moveCursor("Home", 7, 10)).toBe(0)
    expect(moveCursor("End", 0, 10)).toBe(9)
    expect(moveCursor("a", 0, 10)).toBeUndefined()
    expect(moveCursor("End", undefined, 0)).toBeUndefined()
  })

  it("are shown in UTC if they are daily, and in the reader's time zone otherwise", () => {
    expect(timeShiftMs("1d", startTime)).toBe(0)
    expect(timeShiftMs("1h", startTime)).toBe(-new Date(startTime).getTimezoneOffset() * 60_000)
  })
})

describe("Overlays of the chart", () => {
  const level = (price: number, strength: number) => ({ price, touches: 2, strength, distance_pct: price - 100 })

  it("show the strongest nearby levels of each side", () => {
    const levels = {
      close: 100,
      atr: 1,
      supports: [level(99, 10), level(98, 50), level(97, 40), level(96, 30), level(95, 20), level(60, 99)],
      resistances: [level(101, 5)]
    }
    const lines = toLevelLines(levels)
    expect(lines.filter(({ kind }) => kind === "support").map(({ price }) => price)).toEqual([98, 97, 96, 95])
    expect(lines.filter(({ kind }) => kind === "resistance").map(({ price }) => price)).toEqual([101])
  })

  it("show 15-minute levels for 5-minute candles, which have no levels", () => {
    expect(levelsQuery("BTC", "5m").args["tf"]).toBe("15m")
    expect(levelsQuery("BTC", "1d").args["tf"]).toBe("1d")
  })

  const signal = {
    coin: "BTC",
    side: "long" as const,
    score: 45,
    entry: 100,
    take: 106,
    stop: 96,
    opened_at: new Date(startTime + 2 * hour).toISOString(),
    expires_at: new Date(startTime + 26 * hour).toISOString(),
    price: 101,
    unrealised_pct: 1,
    regime: null
  }
  const resultFields = {
    rule: "",
    rule_versions: [],
    notes: [],
    as_of: new Date(startTime).toISOString(),
    source: "simulated"
  }

  it("show the coin's running signals at the candles in which they opened", () => {
    const running = runningSignalsOf({ ...resultFields, signals: [signal, { ...signal, coin: "ETH" }] }, "BTC")
    expect(running).toEqual([signal])
    expect(signalLines(running).map(({ kind, price }) => [kind, price])).toEqual([
      ["entry", 100],
      ["take", 106],
      ["stop", 96]
    ])
    const hours = [0, 1, 2, 3].map((i) => candle(i))
    expect(runningMarks(running, hours, "1h")).toEqual([{ at: startTime + 2 * hour, kind: "long", price: 100 }])
    expect(runningMarks(running, [candle(0)], "4h").map(({ at }) => at)).toEqual([startTime])
    expect(runningMarks(running, hours.slice(3), "1h")).toEqual([])
    expect(runningMarks(running, [], "1h")).toEqual([])
  })

  it("mark the start and the end of ended signals in the order of time", () => {
    const outcome = {
      coin: "BTC",
      side: "short" as const,
      score: -45,
      opened_at: new Date(startTime + hour).toISOString(),
      closed_at: new Date(startTime + 3 * hour).toISOString(),
      outcome: "take" as const,
      entry: 100,
      exit: 97,
      percent: 3,
      regime: null
    }
    const summary = { n: 1, take: 1, stop: 0, timeout: 0, running: 0 }
    const emptyRates = { win_rate: null, wilson_low: null, wilson_high: null, mean_percent: null }
    const ended: EndedSignals = {
      ...resultFields,
      outcomes: [outcome, { ...outcome, coin: "ETH" }],
      summary: { ...summary, ...emptyRates }
    }
    const hours = [0, 1, 2, 3].map((i) => candle(i))
    expect(endedMarks(ended, "BTC", hours, "1h")).toEqual([
      { at: startTime + hour, kind: "short", price: 100 },
      { at: startTime + 2 * hour, kind: "take", price: 97, percent: 3 }
    ])
  })
})

describe("Series", () => {
  const at = new Date(startTime).toISOString()
  const known = { time: at, open_interest: 1, open_interest_usd: 10, taker_buy_ratio: 0.5, long_short_ratio: 1 }

  it("omit hours without a value, and convert funding rates to 8 hours", () => {
    const hours = [
      { ...known, funding_rate_pct: 0.01, funding_interval_hours: 4 },
      { ...known, funding_rate_pct: null, funding_interval_hours: 8 },
      { ...known, funding_rate_pct: -0.01, funding_interval_hours: 8 }
    ]
    const points = toPoints(hours, rate8h)
    expect(points.map(({ value }) => value)).toEqual([0.02, -0.01])
    expect(signedBars(points).map(({ down, up }) => [up, down])).toEqual([[0.02, 0], [0, 0.01]])
  })

  it("have one scale for positive and negative bars, also if all bars are zero", () => {
    const { size, zero } = barScale([{ at: 0, up: 30, down: 0 }, { at: 1, up: 0, down: 10 }], 160)
    expect([zero, size(30), size(10)]).toEqual([120, 120, 40])
    expect(barScale([{ at: 0, up: 0, down: 0 }], 160).size(0)).toBe(0)
  })

  it("limit relative positions to the range from 0 to 1", () => {
    expect([
      relativePosition(5, 0, 10),
      relativePosition(-1, 0, 10),
      relativePosition(11, 0, 10),
      relativePosition(1, 1, 1)
    ]).toEqual([0.5, 0, 1, 0.5])
  })
})

describe("User input", () => {
  it("is normalised to a ticker, or rejected", () => {
    expect(parseTicker(" btc ")).toBe("BTC")
    expect(parseTicker("1000PEPE")).toBe("1000PEPE")
    expect(parseTicker("a b")).toBeUndefined()
    expect(parseTicker("../keys")).toBeUndefined()
    expect(parseTicker("")).toBeUndefined()
  })

  it("finds coins, with matches at the beginning first", () => {
    const coins = ["WBTC", "ETH", "BTCX", "BTC"].map((coin) => ({ coin }))
    expect(searchCoins(coins, "btc").map(({ coin }) => coin)).toEqual(["BTC", "BTCX", "WBTC"])
    expect(searchCoins(coins, " ")).toBe(coins)
    expect(searchCoins(coins, "doge")).toEqual([])
  })

  it("is replaced by 1h if an address contains an unknown timeframe", () => {
    expect(["4h", "2h", null].map(parseTimeframe)).toEqual(["4h", "1h", "1h"])
  })
})

it("formats numbers compactly, with their signs, in the reader's language", () => {
  expect(makeFormats("en").compactUsd(16_586_964_522)).toBe("$16.59B")
  expect(makeFormats("ko").compact(2574)).toBe("2,574")
  expect(makeFormats("ko").compactUsd(11_962_893_582)).toContain("억")
  expect(makeFormats("ko").compactUsd(12_345.67)).toBe("$12,346")
  expect([makeFormats("en"), makeFormats("ru")].map(({ signedPercent }) => signedPercent(-1.234))).toEqual([
    "-1.23%",
    "-1,23%"
  ])
  expect(makeFormats("en").signedPercent(0.5)).toBe("+0.50%")
  expect(makeFormats("en").utcDay(startTime)).toBe("Nov 20, 2026")
})

it("adds opacity to an rgb colour, and leaves other colours unchanged", () => {
  expect(withOpacity("rgb(1, 2, 3)", 0.5)).toBe("rgba(1, 2, 3, 0.5)")
  expect(withOpacity("red", 0.5)).toBe("red")
})
