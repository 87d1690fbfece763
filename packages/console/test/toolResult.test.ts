import { expect, it } from "vitest"
import { shapeOf } from "../browser/pages/tool/shape.ts"
import { findTools, type Tool } from "../browser/pages/tools/find.ts"
import { ordered } from "../browser/widgets/DataTable.tsx"

it("a result is laid out as what it says once, what it lists, and what is neither", () => {
  const shape = shapeOf({
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
    { path: "candles", columns: ["time", "close", "closed"], time: "time", numbers: ["close"] }
  ])
  expect(shape.rest).toEqual([{ path: "deep.a.b", value: { c: { d: 1 } } }])
})

it("shows objects and lists of a row as columns and texts, and leaves only lists of objects to be folded out", () => {
  const { tables } = shapeOf({
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
  const { tables: options } = shapeOf({ rows: [{ leg: { expiry: "2026-12-25" }, cost: 1 }] })
  expect(options[0]?.time).toBeUndefined()
})

it("what is no object has a shape too", () => {
  for (const data of [null, 1, "x", [], {}]) expect(shapeOf(data).tables).toEqual([])
})

const tool = (name: string, area: Tool["area"], summary: string): Tool => ({
  name,
  area,
  summary,
  credits: 1,
  parameters: {}
})

it("tools are found by every word of a search, names first, within an area", () => {
  const tools = [
    tool("get_score", "signals", "Composite score of a coin; its price too"),
    tool("get_price", "crypto", "What a coin costs"),
    tool("get_us_stock", "us", "Price of a stock")
  ]
  const found = (text: string, area?: string) => findTools(tools, { text, area }).map(({ name }) => name)
  expect(found("")).toEqual(["get_score", "get_price", "get_us_stock"])
  expect(found("price")).toEqual(["get_price", "get_score", "get_us_stock"])
  expect(found("price coin")).toEqual(["get_price", "get_score"])
  expect(found("get_price")).toEqual(["get_price"])
  expect(found("price", "us")).toEqual(["get_us_stock"])
  expect(found("nothing of that")).toEqual([])
})

it("rows without a value stand at the end, whichever way they are ordered", () => {
  const rows = [{ v: 2 }, { v: null }, { v: 1 }]
  const values = (direction: "ascending" | "descending") => ordered(rows, ({ v }) => v, direction).map(({ v }) => v)
  expect(values("ascending")).toEqual([1, 2, null])
  expect(values("descending")).toEqual([2, 1, null])
})
