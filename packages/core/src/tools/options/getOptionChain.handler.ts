import { Effect } from "effect"
import { getStrikes, makeChainRows } from "../../analysis/options/chainRows.ts"
import { formatExpiryDate, getDaysUntil, readExpiry } from "../../analysis/options/expiry.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import type { OptionExpiry } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOptionChain } from "./getOptionChain.ts"

/** Returns the open interest of an expiry, or null if no source reports the open interest. */
const sumOpenInterest = ({ quotes }: OptionExpiry): number | null => {
  const knownInterests = quotes.flatMap(({ openInterest }) => openInterest === null ? [] : [openInterest])
  return knownInterests.length === 0 ? null : knownInterests.reduce((sum, openInterest) => sum + openInterest, 0)
}

export const handler = handlerOf(
  getOptionChain,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    return Effect.fnUntraced(function*({ coin, expiry: date, strikes_around }) {
      const { expiry, read } = yield* readExpiry(venue, coin, date)
      const { expiries, spot, time } = read.value
      const listed = getStrikes(expiry).length
      const rows = makeChainRows(expiry, time, expiry.forward ?? spot, strikes_around)
      const notes: Array<string> = []
      if (rows.length < listed) {
        notes.push(`${rows.length} of ${listed} strikes are listed; raise \`strikes_around\` for more.`)
      }
      if (expiry.forward === null) {
        notes.push("No source reports the forward, so greeks are null, and strikes are nearest to the spot.")
      } else if (rows.some(({ call, put }) => call?.delta === null || put?.delta === null)) {
        notes.push("Greeks are null if no volatility reproduces the mark.")
      }
      return {
        coin,
        expiry: formatExpiryDate(expiry.expiryAt),
        expires_at: formatInstant(expiry.expiryAt),
        days: getDaysUntil(expiry.expiryAt, time),
        spot,
        forward: expiry.forward,
        expiries: expiries.map((one) => ({
          expiry: formatExpiryDate(one.expiryAt),
          days: getDaysUntil(one.expiryAt, time),
          oi: sumOpenInterest(one)
        })),
        rows,
        strikes_listed: listed,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
