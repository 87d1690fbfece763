import { expect, it } from "vitest"
import { toResultShape } from "../browser/pages/tool/resultShape.ts"
import { findTools, type Tool } from "../browser/pages/tools/findTools.ts"
import { sortRows } from "../browser/widgets/DataTable.tsx"

it("splits a result into facts, tables and trees", () => {
  const shape = toResultShape({
    coin: "BTC",
    range: { low: 1, high: 2 },
    rule_versions: ["score/3"],
    notes: [],
    candles: [
      { time: "2026-11-22T15:00:00.000Z", close: 1, closed: null },
      { time: "2026-11-22T16:00:00.000Z", close: 2, closed: false }
    ],
    deep: { a: { b: { c: { d: 1 } } } }
  })
  expect(shape.facts).toEqual([
    { path: "coin", value: "BTC" },
    { path: "range.low", value: 1 },
    { path: "range.high", value: 2 },
    { path: "rule_versions", value: "score/3" }
  ])
  expect(shape.tables).toMatchObject([
    { path: "candles", columns: ["time", "close", "closed"], timeColumn: "time", numbers: ["close"] }
  ])
  expect(shape.trees).toEqual([{ path: "deep.a.b", value: { c: { d: 1 } } }])
})

it("flattens objects of a row into columns and lists into texts, except lists of objects", () => {
  const { tables } = toResultShape({
    tasks: [
      {
        id: 1,
        spec: { metric: "price", value: 5, deep: { a: { b: 1 } } },
        takes: [1, 2],
        last: null,
        legs: [{ k: 1 }]
      },
      { id: 2, spec: { at: "09:00" }, takes: [], last: { outcome: "done" }, legs: [] }
    ]
  })
  expect(tables[0]?.rows).toEqual([
    {
      id: 1,
      "spec.metric": "price",
      "spec.value": 5,
      "spec.deep.a": { b: 1 },
      takes: "1, 2",
      last: null,
      legs: [{ k: 1 }]
    },
    { id: 2, "spec.at": "09:00", takes: "", "last.outcome": "done", legs: "" }
  ])
  expect(tables[0]?.numbers).toEqual(["id", "spec.value"])
})

const series = (rows: ReadonlyArray<object>) => {
  const { plotColumns, timeColumn } = toResultShape({ rows }).tables[0]!
  return { time: timeColumn, plotted: plotColumns }
}

it("plots the numeric columns of one subject over time, except columns that count time", () => {
  const scores = ["up", "up", "down", "up"].map((bias, i) => ({ time: `2026-11-2${i}T15:00:00Z`, score: i * i, bias }))
  expect(series(scores)).toEqual({ time: "time", plotted: ["score"] })
  // A result of get_iv_metrics, with the nearest expiry first.
  const terms = [["2026-11-21", 0.69], ["2026-11-27", 6.69], ["2026-12-25", 34.69], ["2027-03-26", 125.69]] as const
  const surface = terms.map(([expiry, days], i) => ({
    expiry,
    days,
    atm_iv_pct: 30 + i * i,
    skew_25d: i === 0 ? null : i
  }))
  expect(series(surface)).toEqual({ time: "expiry", plotted: ["atm_iv_pct", "skew_25d"] })
  expect(series(surface.toReversed())).toEqual({ time: "expiry", plotted: ["atm_iv_pct", "skew_25d"] })
  const labels: ReadonlyArray<ReadonlyArray<string | null>> = [
    ["gap", null, null, null],
    ["gap", "late", "gap closed", null],
    ["up", "up", "down"],
    Array.from({ length: 14 }, (_, i) => `regime ${"ABCDEF"[i % 6]}`)
  ]
  for (const texts of labels) {
    const days = texts.map((label, i) => ({
      date: new Date(i * 86_400_000).toISOString().slice(0, 10),
      close: i * i,
      label
    }))
    expect(series(days), String(texts)).toEqual({ time: "date", plotted: ["close"] })
  }
  const prices = [1, 2, 3, 4].map((i) => ({ date: `2026-11-2${i}`, close: 100 + i, days_until: 20 - i, days: i }))
  expect(series(prices)).toEqual({ time: "date", plotted: ["close"] })
  const quarters = [1, 2, 3, 4].map((q) => ({ date: `2026-0${q}-15`, period: `2025Q${q}`, eps: q * q }))
  expect(series(quarters)).toEqual({ time: "date", plotted: ["eps"] })
})

it("does not plot rows of different subjects, at equal times, or with times that are properties", () => {
  const emptyPlot = { time: undefined, plotted: [] }
  const listings = ["AAA", "BBB", "CCC", "DDD"].map((coin, i) => ({
    coin,
    exchange: i % 2 === 0 ? "upbit" : "bithumb",
    listed_at: `2026-11-1${i}T03:00:00Z`,
    hours_since: 200 - 24 * i,
    krw_price: 10 ** i,
    premium_now_pct: i
  }))
  expect(series(listings)).toEqual(emptyPlot)
  expect(series(listings.map(({ listed_at: time, ...rest }) => ({ ...rest, time })))).toEqual(emptyPlot)
  const venues = [1, 2, 3, 4].map((i) => ({ time: "2026-11-20T16:00:00Z", rate_pct: i }))
  expect(series(venues)).toEqual(emptyPlot)
  expect(series([1, 2, 3].map((i) => ({ leg: { expiry: `2026-12-2${i}` }, cost: i * i })))).toEqual(emptyPlot)
  const ratings = Array.from(
    { length: 20 },
    (_, i) => ({ date: `2026-11-${10 + i}`, firm: `firm ${i % 9}x`, target: i * i })
  )
  expect(series(ratings)).toEqual(emptyPlot)
  const short = [1, 2].map((i) => ({ time: `2026-11-2${i}T15:00:00Z`, close: i * i }))
  expect(series(short)).toEqual({ time: "time", plotted: [] })
  const hours = [1, 5, 9].map((i) => ({ time: `2026-11-20T0${i}:00:00Z`, hours_since: i + 3, premium_pct: i * i }))
  expect(series(hours)).toEqual({ time: "time", plotted: ["premium_pct"] })
})

it("finds no tables in null, scalars and empty values", () => {
  for (const data of [null, 1, "x", [], {}]) expect(toResultShape(data).tables).toEqual([])
})

const tool = (name: string, area: Tool["area"], summary: string): Tool => ({
  name,
  area,
  summary,
  credits: 1,
  parameters: {}
})

it("finds the tools of an area that match every search word, with matches in names first", () => {
  const tools = [
    tool("get_score", "signals", "Composite score of a coin; its price too"),
    tool("get_price", "crypto", "What a coin costs"),
    tool("get_us_stock", "us", "Price of a stock")
  ]
  const findToolNames = (text: string, area?: string) => findTools(tools, { text, area }).map(({ name }) => name)
  expect(findToolNames("")).toEqual(["get_score", "get_price", "get_us_stock"])
  expect(findToolNames("price")).toEqual(["get_price", "get_score", "get_us_stock"])
  expect(findToolNames("price coin")).toEqual(["get_price", "get_score"])
  expect(findToolNames("get_price")).toEqual(["get_price"])
  expect(findToolNames("price", "us")).toEqual(["get_us_stock"])
  expect(findToolNames("nothing of that")).toEqual([])
})

it("sorts rows without a value last in both directions", () => {
  const rows = [{ v: 2 }, { v: null }, { v: 1 }]
  const values = (direction: "ascending" | "descending") => sortRows(rows, ({ v }) => v, direction).map(({ v }) => v)
  expect(values("ascending")).toEqual([1, 2, null])
  expect(values("descending")).toEqual([2, 1, null])
})
