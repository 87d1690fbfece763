import { Schema } from "effect"
import { chartBars, chartOverlays, chartPanels, chartThemes } from "../../analysis/charts/chart.ts"
import { at, integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { maybe, notes, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument, SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { timeframes } from "../../market/timeframe.ts"

/** The timeframes of stock charts. Charts of coins support all timeframes. */
export const stockTimeframes = ["15m", "1h", "1d"] as const
const ofCoins: ReadonlySet<string> = new Set(["vwap", "liquidations", "funding", "oi", "score"])

interface Asked {
  readonly coin?: string
  readonly symbol?: string
  readonly tf?: string
  readonly overlays: ReadonlyArray<string>
  readonly panels: ReadonlyArray<string>
}

const oneOfBoth = Schema.makeFilter<Asked>(
  ({ coin, symbol }) => (coin === undefined) !== (symbol === undefined),
  { expected: "either coin or symbol", expectedMessage: { key: "expected_coin_or_symbol" } }
)

const whatStocksHave = Schema.makeFilter<Asked>(
  ({ overlays, panels, symbol, tf }) =>
    symbol === undefined || (
      (tf === undefined || stockTimeframes.some((one) => one === tf)) &&
      ![...overlays, ...panels].some((one) => ofCoins.has(one))
    ),
  {
    expected: "for a stock tf 15m, 1h or 1d, without vwap, liquidations, funding, oi and score",
    expectedMessage: { key: "expected_stock_chart" }
  }
)

/** The description of a chart, without its address. */
export const aboutChart = {
  coin: Schema.NullOr(Schema.String).annotate({ description: "Its ticker, of a coin" }),
  symbol: Schema.NullOr(Schema.String).annotate({ description: "Its ticker, of a stock" }),
  tf: Schema.Literals(timeframes),
  bars: Schema.Int.annotate({ description: "Candles drawn, the running one too" }),
  width: Schema.Int.annotate({ description: "Pixels" }),
  height: Schema.Int.annotate({ description: "Pixels" }),
  title: Schema.String,
  alt: Schema.String.annotate({ description: "What the chart shows, in words and numbers, for who cannot see it" }),
  close: quantity("Newest price drawn, in the instrument's currency"),
  change_pct: maybe("From the first candle's open to it, percent", percent),
  notes,
  ...provenance
}

export const makeChart = specify({
  name: "make_chart",
  area: "chart",
  scope: "read:market",
  credits: 1,
  summary: "Draws a chart of a coin or a stock. Its candles: get_price_history.",
  parameters: Schema.Struct({
    coin: optional(CoinArgument),
    symbol: optional(SymbolArgument),
    tf: optional(Schema.Literals(timeframes).annotate({ description: "1h; stocks 1d" })),
    bars: withDefault(integerBetween(chartBars.least, chartBars.most), 120),
    overlays: withDefault(Schema.Array(Schema.Literals(chartOverlays)), ["ema20", "ema50"]),
    panels: withDefault(Schema.Array(Schema.Literals(chartPanels)), ["volume"]),
    theme: withDefault(Schema.Literals(chartThemes), "dark"),
    at
  }).check(oneOfBoth, whatStocksHave),
  result: Schema.Struct({
    url: Schema.String.annotate({
      description:
        "Answers the image to any key of the account: PNG, or SVG to `accept: image/svg+xml`; for 7 days, or until 200 newer ones are kept"
    }),
    ...aboutChart
  }),
  example: { coin: "BTC", overlays: ["ema20", "ema50", "levels"], panels: ["volume", "rsi"] }
})
