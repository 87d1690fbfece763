import { dayMs, hourMs } from "@tapeline/core/market"
import { ivAtMaturity, ivAtStrike } from "@tapeline/quant/options"
import type { World } from "../../src/world.ts"
import { makeOptions } from "../options/support.ts"

/** Returns the at-the-money volatility in percent that an option chain gives for a maturity, and its tolerance. */
export const computeChainIv = (world: World, coin: string, now: number, maturityDays: number) => {
  const time = Math.floor(now / hourMs) * hourMs
  const term = makeOptions(world, coin).book.chain(time)!.expiries.map(({ expiryAt, forward, quotes }) => {
    const calls = quotes.filter(({ type }) => type === "call")
    const years = (expiryAt - time) / (365 * dayMs)
    const smile = { forward, years, strikes: calls.map((q) => q.strike), ivs: calls.map((q) => q.ivPct) }
    return { days: (expiryAt - time) / dayMs, iv: ivAtStrike(smile, forward)! }
  })
  const ivPct = ivAtMaturity({ days: term.map(({ days }) => days), ivs: term.map(({ iv }) => iv) }, maturityDays)!
  return { ivPct, tolerancePct: 0.02 * ivPct }
}
