/**
 * Draws the charts of `docs/charts.md` with a fixed seed and a fixed time, so that `npm run charts` is reproducible.
 */
import { Resvg } from "@resvg/resvg-js"
import { layerCharts } from "@tapeline/charts"
import {
  allScopes,
  type ArgumentsOf,
  DerivedStore,
  layerEngine,
  makeChart,
  pickTools,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { ArtifactStore } from "@tapeline/core/analysis"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { mkdirSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { fontFiles } from "../src/fonts.ts"
import { encodeSmallPng } from "./smallPng.ts"

const folder = fileURLToPath(new URL("../../../docs/pictures/charts/", import.meta.url))
const now = Date.parse("2026-11-20T15:33:22.517Z")

interface Picture {
  readonly name: string
  readonly language?: "en" | "ko" | "ru"
  readonly args: ArgumentsOf<typeof makeChart>
}

const pictures: ReadonlyArray<Picture> = [
  {
    name: "btc-1h",
    args: { coin: "BTC", overlays: ["ema20", "ema50", "vwap", "levels"], panels: ["volume", "rsi"] }
  },
  { name: "btc-liquidations", args: { coin: "BTC", tf: "15m", bars: 160, overlays: ["liquidations"], panels: ["oi"] } },
  {
    name: "eth-bollinger",
    args: { coin: "ETH", tf: "4h", bars: 160, overlays: ["bollinger", "ema200"], panels: ["macd"], theme: "light" }
  },
  { name: "sol-funding", args: { coin: "SOL", overlays: ["ema20"], panels: ["funding", "oi", "score"] } },
  { name: "btc-1d", args: { coin: "BTC", tf: "1d", bars: 365, overlays: ["ema50", "ema200"], theme: "light" } },
  { name: "pepe-5m", args: { coin: "PEPE", tf: "5m", bars: 288, overlays: ["vwap"] } },
  {
    name: "samsung-ko",
    language: "ko",
    args: { symbol: "삼성전자", overlays: ["ema20", "ema50", "levels"], panels: ["volume", "rsi"], theme: "light" }
  },
  { name: "aapl-1h", args: { symbol: "AAPL", tf: "1h", bars: 100, overlays: ["ema20", "bollinger"] } },
  {
    name: "eth-ru",
    language: "ru",
    args: { coin: "ETH", overlays: ["ema20", "liquidations"], panels: ["volume", "funding", "oi", "score"] }
  },
  { name: "doge-20", args: { coin: "DOGE", tf: "4h", bars: 20, overlays: ["levels"], theme: "light" } }
]

const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 7 })))
const engine = layerEngine({ toolbox: Toolbox.layer(pickTools(tools, ["make_chart"])) }).pipe(
  Layer.provideMerge(Layer.mergeAll(MemoryStores, market, layerCharts)),
  Layer.provide(Layer.effectDiscard(TestClock.setTime(now))),
  Layer.provideMerge(TestClock.layer())
)

const program = Effect.gen(function*() {
  const caller = yield* ToolCaller
  const store = yield* ArtifactStore
  const { principal } = yield* createKeyedAccount({ scopes: allScopes })
  mkdirSync(folder, { recursive: true })
  for (const { args, language = "en", name } of pictures) {
    const { data } = yield* caller.call(makeChart, { principal, arguments: args, language })
    const id = data.url.split("/").at(-1)!
    const svg = yield* store.readImage({ account: principal.account, id, format: "svg" })
    const drawn = new Resvg(Buffer.from(svg!), {
      font: { fontFiles: [...fontFiles], loadSystemFonts: false, defaultFontFamily: "Tapeline Sans" }
    }).render()
    const png = encodeSmallPng({ width: drawn.width, height: drawn.height, rgba: drawn.pixels })
    writeFileSync(`${folder}${name}.png`, png)
    process.stdout.write(`${name}.png: ${(png.length / 1000).toFixed(1)} kB\n`)
  }
})

await Effect.runPromise(Effect.provide(program, engine))
