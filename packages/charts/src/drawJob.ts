import type * as Resvg from "@resvg/resvg-js"
import { Chart } from "@tapeline/core/charts"
import type { Job } from "@tapeline/core/engine"
import type * as ECharts from "echarts"
import { Schema } from "effect"
import { createRequire } from "node:module"
import { makeChartOptions } from "./chartOptions.ts"
import { fontFiles, measureTextWidth } from "./fonts.ts"
import { getPalette } from "./palette.ts"

let loaded: { readonly echarts: typeof ECharts; readonly resvg: typeof Resvg } | undefined

/** Loads ECharts and resvg on first use, because loading both libraries takes about 0.1 s in each thread. */
const loadLibraries = () => {
  if (loaded !== undefined) return loaded
  const require = createRequire(import.meta.url)
  // The casts are safe, because the types of the two packages describe these modules.
  loaded = { echarts: require("echarts") as typeof ECharts, resvg: require("@resvg/resvg-js") as typeof Resvg }
  loaded.echarts.setPlatformAPI({
    measureText: (text: string, font = "") => ({
      width: measureTextWidth(text, Number(/(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? 12))
    })
  })
  return loaded
}

const interactiveAttributes = / (?:class="[^"]*"|ecmeta_\w+="[^"]*"|pointer-events="visible")/g
const counterIds = /((?:id="|url\(#)zr)\d+(-)/g

/** Removes styles, interactive attributes and counters from an SVG, so that equal charts have equal SVGs. */
const makeStatic = (svg: string): string =>
  svg.replace(/<style\s*>[^]*?<\/style>\n?/g, "")
    .replace(/<[^>]*>/g, (tag) => tag.replace(interactiveAttributes, "").replace(counterIds, "$1$2"))

export const renderSvg = (chart: Chart): string => {
  const instance = loadLibraries().echarts.init(null, null, {
    renderer: "svg",
    ssr: true,
    width: chart.width,
    height: chart.height
  })
  try {
    instance.setOption(makeChartOptions(chart))
    return makeStatic(instance.renderToSVGString())
  } finally {
    instance.dispose()
  }
}

export const renderPng = (svg: string, theme: Chart["theme"]): Uint8Array => {
  const { Resvg } = loadLibraries().resvg
  return new Resvg(svg, {
    background: getPalette(theme).background,
    font: { fontFiles: [...fontFiles], loadSystemFonts: false, defaultFontFamily: "Tapeline Sans" },
    logLevel: "off"
  }).render().asPng()
}

const RenderedImages = Schema.Struct({ svg: Schema.String, png: Schema.Uint8Array })

export const drawJob: Job<Chart, typeof RenderedImages.Type> = {
  name: "draw_chart",
  input: Chart,
  output: RenderedImages,
  run: (chart) => {
    const svg = renderSvg(chart)
    // The bytes are copied, because the buffer of the library cannot be transferred to another thread.
    return { svg, png: Uint8Array.from(renderPng(svg, chart.theme)) }
  }
}
