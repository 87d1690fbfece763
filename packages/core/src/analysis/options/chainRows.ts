import type { OptionExpiry, OptionQuote } from "../../market/option.ts"
import { computeGreeks, type OptionGreeks } from "./greeks.ts"

export const toGreekFields = (greeks: OptionGreeks | null) => ({
  delta: greeks?.delta ?? null,
  gamma: greeks?.gamma ?? null,
  theta_usd_per_day: greeks?.thetaUsdPerDay ?? null,
  vega_usd_per_pt: greeks?.vegaUsdPerPt ?? null
})

const toOptionFields = (expiry: OptionExpiry, quote: OptionQuote | undefined, time: number) =>
  quote === undefined ? null : {
    bid: quote.bid,
    ask: quote.ask,
    mark: quote.mark,
    iv_pct: quote.ivPct,
    ...toGreekFields(computeGreeks(expiry, quote, time)),
    oi: quote.openInterest,
    volume_24h: quote.volume24h
  }

export const getStrikes = ({ quotes }: OptionExpiry): ReadonlyArray<number> => [
  ...new Set(quotes.map(({ strike }) => strike))
]

/** Returns the rows of the `count` strikes nearest to a price, ascending by strike. */
export const makeChainRows = (expiry: OptionExpiry, time: number, price: number, count: number) => {
  const byStrike = new Map<number, { call?: OptionQuote; put?: OptionQuote }>()
  for (const quote of expiry.quotes) {
    byStrike.set(quote.strike, { ...byStrike.get(quote.strike), [quote.type]: quote })
  }
  return [...byStrike]
    .sort(([a], [b]) => Math.abs(Math.log(a / price)) - Math.abs(Math.log(b / price)) || a - b)
    .slice(0, count)
    .sort(([a], [b]) => a - b)
    .map(([strike, { call, put }]) => ({
      strike,
      call: toOptionFields(expiry, call, time),
      put: toOptionFields(expiry, put, time)
    }))
}
