/** The compute job that sums the premiums and greeks of option trades. */
import { black76 } from "@tapeline/quant/options"
import { Schema } from "effect"
import { Column, type Job } from "../../engine/compute/job.ts"
import type { OptionTrade } from "../../market/option.ts"
import { yearMs } from "./expiry.ts"

const TradeColumns = Schema.Struct({
  years: Column,
  strike: Column,
  /** The implied volatility of each trade, where 1.00 is 100% a year. */
  sigma: Column,
  spot: Column,
  /** The trade sizes in units of the underlying, positive if the taker bought. */
  signedSize: Column,
  premiumUsd: Column,
  /** The option types: 1 for a call, 0 for a put. */
  isCall: Column
})

export const FlowSide = Schema.Struct({ boughtUsd: Schema.Finite, soldUsd: Schema.Finite, trades: Schema.Int })

const FlowSums = Schema.Struct({
  calls: FlowSide,
  puts: FlowSide,
  netDeltaUsd: Schema.Finite,
  /** The net vega in USD per volatility point. */
  netVegaUsd: Schema.Finite
})

export const toTradeColumns = (trades: ReadonlyArray<OptionTrade>): typeof TradeColumns.Type => {
  const column = (select: (trade: OptionTrade) => number) => Float64Array.from(trades, select)
  return {
    years: column(({ expiryAt, time }) => (expiryAt - time) / yearMs),
    strike: column(({ strike }) => strike),
    sigma: column(({ ivPct }) => ivPct / 100),
    spot: column(({ spot }) => spot),
    signedSize: column(({ side, size }) => side === "buy" ? size : -size),
    premiumUsd: column(({ premiumUsd }) => premiumUsd),
    isCall: column(({ type }) => type === "call" ? 1 : 0)
  }
}

/**
 * Sums the premiums and greeks of option trades. The greeks describe the taker's position and are computed with
 * Black-76 from the index price, because a trade has no forward.
 */
export const optionFlowJob: Job<typeof TradeColumns.Type, typeof FlowSums.Type> = {
  name: "add up option flow",
  input: TradeColumns,
  output: FlowSums,
  run: ({ isCall, premiumUsd, sigma, signedSize, spot, strike, years }) => {
    const calls = { boughtUsd: 0, soldUsd: 0, trades: 0 }
    const puts = { boughtUsd: 0, soldUsd: 0, trades: 0 }
    let netDeltaUsd = 0
    let netVegaUsd = 0
    for (let i = 0; i < years.length; i++) {
      const isCallTrade = isCall[i] === 1
      const size = signedSize[i]!
      const sums = isCallTrade ? calls : puts
      sums.trades++
      if (size > 0) sums.boughtUsd += premiumUsd[i]!
      else sums.soldUsd += premiumUsd[i]!
      const { delta, vega } = black76({
        forward: spot[i]!,
        strike: strike[i]!,
        years: years[i]!,
        sigma: sigma[i]!,
        type: isCallTrade ? "call" : "put"
      })
      netDeltaUsd += size * delta * spot[i]!
      netVegaUsd += (size * vega) / 100
    }
    return { calls, puts, netDeltaUsd, netVegaUsd }
  }
}
