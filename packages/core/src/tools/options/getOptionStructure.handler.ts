import { Effect } from "effect"
import { greekFieldsOf } from "../../analysis/options/chainRows.ts"
import { expiryDate, readExpiry } from "../../analysis/options/expiry.ts"
import { fitSmile } from "../../analysis/options/fittedSmile.ts"
import { dealStructure, type DealtLeg } from "../../analysis/options/structure.ts"
import { Compute } from "../../engine/compute/Compute.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOptionStructure } from "./getOptionStructure.ts"

const legRow = ({ greeks, price, priceSource, quote, request }: DealtLeg) => ({
  instrument: quote.instrument,
  type: request.type,
  side: request.side,
  qty: request.qty,
  requested_strike: request.strike,
  strike: quote.strike,
  price_usd: price,
  price_source: priceSource,
  iv_pct: quote.ivPct,
  ...greekFieldsOf(greeks)
})

export const handler = handlerOf(
  getOptionStructure,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    const compute = yield* Compute
    return Effect.fnUntraced(function*({ coin, expiry: date, legs }) {
      const { expiry, read } = yield* readExpiry(venue, coin, date)
      const dealt = yield* dealStructure(
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
        expiry: expiryDate(expiry.expiryAt),
        expires_at: instant(expiry.expiryAt),
        days: dealt.days,
        spot: read.value.spot,
        forward: expiry.forward,
        legs: dealt.legs.map(legRow),
        debit_usd: dealt.debitUsd,
        mid_debit_usd: dealt.midDebitUsd,
        max_profit_usd: dealt.maxProfitUsd,
        max_loss_usd: dealt.maxLossUsd,
        break_evens: dealt.breakEvens,
        probability_of_profit: dealt.probabilityOfProfit,
        atm_iv_pct: dealt.atmIvPct,
        ...greekFieldsOf(dealt.greeks),
        payoff: dealt.payoff.map(({ pnlUsd, price }) => ({ price, pnl_usd: pnlUsd })),
        notes: dealt.notes,
        ...provenanceOf(read)
      }
    })
  })
)
