import type * as Resvg from "@resvg/resvg-js"
import type { Chart } from "@tapeline/core/charts"
import type * as ECharts from "echarts"
import { createRequire } from "node:module"
import { fontFiles, textWidth } from "./fonts.ts"
import { paletteOf } from "./palette.ts"
import { pictureOf } from "./picture.ts"

let loaded: { readonly echarts: typeof ECharts; readonly resvg: typeof Resvg } | undefined

/** Loads the libraries. Loading takes a tenth of a second, and only in threads that draw. */
const load = () => {
  if (loaded !== undefined) return loaded
  const require = createRequire(import.meta.url)
  // The packages' types describe these values.
  loaded = { echarts: require("echarts") as typeof ECharts, resvg: require("@resvg/resvg-js") as typeof Resvg }
  loaded.echarts.setPlatformAPI({
    measureText: (text: string, font = "") => ({
      width: textWidth(text, Number(/(\d+(?:\.\d+)?)px/.exec(font)?.[1] ?? 12))
    })
  })
  return loaded
}

/** Attributes that the library adds for interactive pages, and names with a counter that grows with each picture. */
const leavings = / (?:class="[^"]*"|ecmeta_\w+="[^"]*"|pointer-events="visible")/g
const counted = /((?:id="|url\(#)zr)\d+(-)/g

/** Makes an SVG static, and the same for the same chart. Texts stay unchanged. */
const still = (svg: string): string =>
  svg.replace(/<style\s*>[^]*?<\/style>\n?/g, "")
    .replace(/<[^>]*>/g, (tag) => tag.replace(leavings, "").replace(counted, "$1$2"))

/** Draws a chart as SVG. */
export const svgOf = (chart: Chart): string => {
  const picture = load().echarts.init(null, null, {
    renderer: "svg",
    ssr: true,
    width: chart.width,
    height: chart.height
  })
  try {
    picture.setOption(pictureOf(chart))
    return still(picture.renderToSVGString())
  } finally {
    picture.dispose()
  }
}

/** Converts the SVG of a chart to PNG. */
export const pngOf = (svg: string, theme: Chart["theme"]): Uint8Array => {
  const { Resvg } = load().resvg
  return new Resvg(svg, {
    background: paletteOf(theme).background,
    font: { fontFiles: [...fontFiles], loadSystemFonts: false, defaultFontFamily: "Tapeline Sans" },
    logLevel: "off"
  }).render().asPng()
}
