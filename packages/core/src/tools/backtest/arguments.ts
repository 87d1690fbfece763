import { Schema } from "effect"
import { integerBetween, withDefault } from "../../engine/tool/argument.ts"
import { CoinArgument, timeframeArgument } from "../../market/arguments.ts"

export const backtestLengths = ["15m", "1h", "4h", "1d"] as const

const bps = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))

export const coin = CoinArgument

/** The arguments of all backtest tools: the candles to test on, and the trading costs. */
export const backtestArguments = {
  tf: timeframeArgument(backtestLengths, "1h"),
  bars: withDefault(integerBetween(200, 20_000), 2_000),
  fee_bps: withDefault(bps, 5),
  slippage_bps: withDefault(bps, 2)
}
