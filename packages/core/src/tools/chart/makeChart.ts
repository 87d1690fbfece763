import { Schema } from "effect"
import { chartBarLimits, chartOverlays, chartPanels, chartThemes } from "../../analysis/charts/chart.ts"
import { asOfArgument, integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { notes, nullableQuantity, quantity } from "../../engine/tool/result.ts"
import { percent } from "../../engine/tool/rounding.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument, SymbolArgument } from "../../market/arguments.ts"
import { provenance } from "../../market/provenance.ts"
import { timeframes } from "../../market/timeframe.ts"

/** The timeframes of stock charts. Coin charts support more timeframes. */
export const stockTimeframes = ["15m", "1h", "1d"] as const
const coinOnlyParts: ReadonlySet<string> = new Set(["vwap", "liquidations", "funding", "oi", "score"])

interface ChartRequest {
  readonly coin?: string
  readonly symbol?: string
  readonly tf?: string
  readonly overlays: ReadonlyArray<string>
  readonly panels: ReadonlyArray<string>
}

const isCoinOrStock = Schema.makeFilter<ChartRequest>(
  ({ coin, symbol }) => (coin === undefined) !== (symbol === undefined),
  { expected: "either coin or symbol", expectedMessage: { key: "expected_coin_or_symbol" } }
)

const isSupportedForStock = Schema.makeFilter<ChartRequest>(
  ({ overlays, panels, symbol, tf }) =>
    symbol === undefined || (
      (tf === undefined || stockTimeframes.some((timeframe) => timeframe === tf)) &&
      ![...overlays, ...panels].some((part) => coinOnlyParts.has(part))
    ),
  {
    expected: "for a stock tf 15m, 1h or 1d, without vwap, liquidations, funding, oi and score",
    expectedMessage: { key: "expected_stock_chart" }
  }
)

export const chartDescriptionFields = {
  coin: Schema.NullOr(Schema.String).annotate({ description: "The ticker of a coin" }),
  symbol: Schema.NullOr(Schema.String).annotate({ description: "The ticker of a stock" }),
  tf: Schema.Literals(timeframes),
  bars: Schema.Int.annotate({ description: "Number of candles drawn, including the open candle" }),
  width: Schema.Int.annotate({ description: "Pixels" }),
  height: Schema.Int.annotate({ description: "Pixels" }),
  title: Schema.String,
  alt: Schema.String.annotate({ description: "A text alternative of the chart, with its numbers" }),
  close: quantity("Latest price in the chart, in the instrument's currency"),
  change_pct: nullableQuantity("From the first candle's open to `close`, percent", percent),
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
    bars: withDefault(integerBetween(chartBarLimits.min, chartBarLimits.max), 120),
    overlays: withDefault(Schema.Array(Schema.Literals(chartOverlays)), ["ema20", "ema50"]),
    panels: withDefault(Schema.Array(Schema.Literals(chartPanels)), ["volume"]),
    theme: withDefault(Schema.Literals(chartThemes), "dark"),
    at: asOfArgument
  }).check(isCoinOrStock, isSupportedForStock),
  result: Schema.Struct({
    url: Schema.String.annotate({
      description:
        "URL of the image for any key of the account: PNG, or SVG with `accept: image/svg+xml`. Available for 7 days, or until 200 newer charts are stored"
    }),
    ...chartDescriptionFields
  }),
  example: { coin: "BTC", overlays: ["ema20", "ema50", "levels"], panels: ["volume", "rsi"] }
})
