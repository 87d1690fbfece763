import { Effect } from "effect"
import { toGreekFields } from "../../analysis/options/chainRows.ts"
import { formatExpiryDate, readExpiry } from "../../analysis/options/expiry.ts"
import { fitSmile } from "../../analysis/options/fittedSmile.ts"
import { type PricedOptionLeg, priceStructure } from "../../analysis/options/pricedStructure.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOptionStructure } from "./getOptionStructure.ts"

const toLegRow = ({ greeks, price, priceSource, quote, request }: PricedOptionLeg) => ({
  instrument: quote.instrument,
  type: request.type,
  side: request.side,
  qty: request.qty,
  requested_strike: request.strike,
  strike: quote.strike,
  price_usd: price,
  price_source: priceSource,
  iv_pct: quote.ivPct,
  ...toGreekFields(greeks)
})

export const handler = handlerOf(
  getOptionStructure,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ coin, expiry: date, legs }) {
      const { expiry, read } = yield* readExpiry(venue, coin, date)
      const pricedStructure = yield* priceStructure(
        read.value,
        expiry,
        yield* fitSmile(compute, expiry, read.value.time),
        legs.map(({ qty, side, strike, type }) => ({
          type,
          strike,
          side: side === "buy" || side === "long" ? "buy" : "sell",
          qty
        }))
      )
      return {
        coin,
        expiry: formatExpiryDate(expiry.expiryAt),
        expires_at: formatInstant(expiry.expiryAt),
        days: pricedStructure.days,
        spot: read.value.spot,
        forward: expiry.forward,
        legs: pricedStructure.legs.map(toLegRow),
        debit_usd: pricedStructure.debitUsd,
        mid_debit_usd: pricedStructure.midDebitUsd,
        max_profit_usd: pricedStructure.maxProfitUsd,
        max_loss_usd: pricedStructure.maxLossUsd,
        break_evens: pricedStructure.breakEvens,
        probability_of_profit: pricedStructure.probabilityOfProfit,
        atm_iv_pct: pricedStructure.atmIvPct,
        ...toGreekFields(pricedStructure.greeks),
        payoff: pricedStructure.payoff.map(({ pnlUsd, price }) => ({ price, pnl_usd: pnlUsd })),
        notes: pricedStructure.notes,
        ...provenanceOf(read)
      }
    })
  })
)
