import { assert, describe, it } from "@effect/vitest"
import { layerCharts } from "@tapeline/charts"
import { type Chart, ChartRenderer, formatGrouped, getPriceDecimals, maxRenderedBytes } from "@tapeline/core/analysis"
import { Effect } from "effect"
import { inflateSync } from "node:zlib"
import { renderPng } from "../src/drawJob.ts"
import { fontFamily } from "../src/fonts.ts"
import { spreadApart } from "../src/layout.ts"
import { makeTestChart, makeTestPanels } from "./testChart.ts"

const draw = (chart: Chart) => Effect.provide(Effect.flatMap(ChartRenderer, ({ render }) => render(chart)), layerCharts)

/** Returns the size of a PNG, and its decompressed pixel data with the filter bytes. */
const read = (png: Uint8Array) => {
  const bytes = Buffer.from(png)
  assert.strictEqual(bytes.toString("latin1", 1, 4), "PNG")
  const parts: Array<Buffer> = []
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), data: inflateSync(Buffer.concat(parts)) }
}

const textsOf = (svg: string): string =>
  [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text).join("\n")

const renderText = (text: string): string =>
  Buffer.from(
    renderPng(
      `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="40"><text x="8" y="28" font-size="24" font-family="${
        fontFamily.replaceAll("\"", "'")
      }">${text}</text></svg>`,
      "light"
    )
  ).toString("base64")

it("formats prices with 5 significant digits, at least 2 decimals below 10,000, and 0 decimals for KRW", () => {
  const prices = [0.99999, 0.12345678, 0.00000795752, 1.00012, 31.4159, 3_141.592, 31_415.92, 314_159.2]
  assert.deepStrictEqual(
    prices.map((price) => formatGrouped(price, getPriceDecimals(price, "USD"))),
    ["0.99999", "0.12346", "0.0000079575", "1.0001", "31.416", "3,141.59", "31,415.9", "314,159"]
  )
  assert.strictEqual(formatGrouped(71_300, getPriceDecimals(71_300, "KRW")), "71,300")
})

describe("a rendered chart", () => {
  it.effect("has the reported size, is not blank, and is identical each time", () =>
    Effect.gen(function*() {
      for (const theme of ["dark", "light"] as const) {
        const chart = makeTestChart({ theme, panels: makeTestPanels(60, (bar) => Math.sin(bar) * 50), height: 1280 })
        const drawing = yield* draw(chart)
        const { data, height, width } = read(drawing.png)
        assert.deepStrictEqual([width, height], [chart.width, chart.height])
        assert.deepStrictEqual([drawing.width, drawing.height], [chart.width, chart.height])
        assert.isAbove(new Set(data).size, 50)
        assert.match(drawing.svg, new RegExp(`^<svg width="${width}" height="${height}"`))
        const secondDrawing = yield* draw(chart)
        assert.strictEqual(secondDrawing.svg, drawing.svg)
        assert.deepStrictEqual(secondDrawing.png, drawing.png)
      }
    }))

  it("has a distinct glyph for each sampled syllable and letter, and the missing-glyph box for others", () => {
    const missingGlyph = renderText("\u{2ffff}")
    const imagesByText = new Map<string, string>()
    const letters = new Set(
      Array.from("가나다라마바사아자차카타파하삼성전자현대뷁힣БГДЖЗИЙЛПФЦЧШЩЪЫЬЭЮЯбгдёжзийлпфцчшщъыьэюя₩€−–…")
    )
    for (const letter of letters) {
      const picture = renderText(letter)
      assert.notStrictEqual(picture, missingGlyph, `${letter} has no glyph`)
      assert.isUndefined(imagesByText.get(picture), `${letter} looks like ${imagesByText.get(picture)}`)
      imagesByText.set(picture, letter)
    }
    assert.deepStrictEqual([renderText("漢"), renderText("字")], [missingGlyph, missingGlyph])
  })

  it.effect("shows names in any script as escaped text, never as markup", () =>
    Effect.gen(function*() {
      const name = `Samsung 삼성전자 Объём </text><script>alert(1)</script>"'&amp;\u0000\u202e\ud800`
      const { svg } = yield* draw(makeTestChart({ name, instrument: "005930", source: "<b onload=x>" }))
      assert.include(textsOf(svg), "Samsung 삼성전자 Объём &lt;/text&gt;")
      assert.notMatch(svg, /[^\P{Cc}\n]|\u202e|\ufffd/u)
      const markup = svg.replace(/>[^<]*</g, "><")
      assert.notMatch(markup, /\son\w+=|\shref|:href|url\((?!#)|@import/)
      for (const [, tag] of svg.matchAll(/<\/?(\w+)/g)) {
        assert.include(["svg", "rect", "path", "text", "g", "defs", "clipPath", "style", "circle"], tag)
      }
      for (const [text] of svg.matchAll(/<text[^>]*>/g)) assert.match(text, /font-family:[^;]*sans-serif/)
    }))

  it.effect("uses the words and month names of Korean and Russian", () =>
    Effect.gen(function*() {
      const { words } = makeTestChart()
      for (const [language, volume, month] of [["ko", "거래량", "11월"], ["ru", "Объём", "нояб."]] as const) {
        const { svg } = yield* draw(
          makeTestChart({ language, words: { ...words, volume }, panels: makeTestPanels(60, () => 1) })
        )
        assert.include(textsOf(svg), volume)
        assert.include(textsOf(svg), month)
      }
    }))

  const charts: Readonly<Record<string, Chart>> = {
    "of one bar": makeTestChart({ bars: 1, panels: makeTestPanels(1, () => 5) }),
    "of 20 bars": makeTestChart({ bars: 20, panels: makeTestPanels(20, (bar) => bar) }),
    "of 500 bars": makeTestChart({ bars: 500, panels: makeTestPanels(500, (bar) => Math.cos(bar)) }),
    "of a tiny price": makeTestChart({ price: 0.00000123, panels: makeTestPanels(60, (bar) => bar * 1e-12) }),
    "of won": makeTestChart({ price: 71_300, currency: "KRW" }),
    "of a huge price": makeTestChart({ price: 1e15, panels: makeTestPanels(60, (bar) => bar * 1e18) }),
    "of equal prices": {
      ...makeTestChart({ panels: makeTestPanels(60, () => 0) }),
      ...Object.fromEntries(["open", "high", "low", "close"].map((name) => [name, new Float64Array(60).fill(71_300)]))
    },
    "of zeros only": {
      ...makeTestChart(),
      ...Object.fromEntries(["open", "high", "low", "close"].map((name) => [name, new Float64Array(60)]))
    },
    "of one sign": makeTestChart({ panels: makeTestPanels(60, (bar) => -1 - bar) }),
    "of holes": makeTestChart({ panels: makeTestPanels(60, (bar) => bar % 3 === 0 ? NaN : bar) }),
    "of missing series": makeTestChart({
      panels: makeTestPanels(60, () => NaN),
      lines: [{ name: "ema20", values: new Float64Array(60).fill(NaN), restartBars: [] }],
      bands: {
        upper: new Float64Array(60).fill(NaN),
        middle: new Float64Array(60).fill(NaN),
        lower: new Float64Array(60).fill(NaN)
      }
    }),
    "of distant levels and liquidations": makeTestChart({
      levels: [100, 100, 100.001, 1e9, 0].map((price) => ({ price, kind: "support", touches: 3 })),
      liquidations: [{ bar: 0, price: 1e9, side: "long", sizeUsd: 1e12 }, {
        bar: 59,
        price: 100,
        side: "short",
        sizeUsd: 1
      }]
    })
  }
  for (const [name, chart] of Object.entries(charts)) {
    it.effect(`draws a chart ${name} completely`, () =>
      Effect.gen(function*() {
        const { png, svg } = yield* draw({ ...chart, height: 560 + 120 * chart.panels.length })
        assert.notMatch(svg, /NaN|Infinity|undefined|null/)
        assert.isAbove(new Set(read(png).data).size, 20)
        assert.isBelow(Math.max(png.length, Buffer.byteLength(svg)), maxRenderedBytes)
        const empty = chart.panels.filter((panel) =>
          Number.isNaN("values" in panel ? panel.values[1] ?? 0 : panel.line[1] ?? 0)
        )
        if (empty.length === chart.panels.length && empty.length > 0) {
          assert.strictEqual(textsOf(svg).split("not recorded").length - 1, empty.length)
        }
        // The newest price is at the right edge of the chart.
        const newest = chart.close.at(-1)!
        const prices = [...textsOf(svg).matchAll(/^([\d.,]+)(?: USD| KRW)?$/gm)].map(([, text]) =>
          Number(text!.replaceAll(",", ""))
        )
        assert.isTrue(prices.some((price) => Math.abs(price - newest) <= newest * 1e-3), textsOf(svg))
      }))
  }

  it("places labels without overlap, in order, within the available height", () => {
    assert.deepStrictEqual(spreadApart([50, 50, 50], 10, [0, 100]), [50, 60, 70])
    assert.deepStrictEqual(spreadApart([99, 98, 97], 10, [0, 100]), [100, 90, 80])
    assert.deepStrictEqual(spreadApart([-5, -6], 10, [0, 100]), [10, 0])
    assert.deepStrictEqual(spreadApart([], 10, [0, 100]), [])
  })
})
