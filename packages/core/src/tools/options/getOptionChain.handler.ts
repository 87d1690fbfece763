import { Effect } from "effect"
import { chainRows, strikesOf } from "../../analysis/options/chainRows.ts"
import { daysUntil, expiryDate, readExpiry } from "../../analysis/options/expiry.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import type { OptionExpiry } from "../../market/option.ts"
import { OptionsVenue } from "../../market/OptionsVenue.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { getOptionChain } from "./getOptionChain.ts"

/** Returns the open interest of an expiry; null if no source reports it. */
const heldOf = ({ quotes }: OptionExpiry): number | null => {
  const told = quotes.flatMap(({ openInterest }) => openInterest === null ? [] : [openInterest])
  return told.length === 0 ? null : told.reduce((sum, held) => sum + held, 0)
}

export const handler = handlerOf(
  getOptionChain,
  Effect.gen(function*() {
    const venue = yield* OptionsVenue
    return Effect.fnUntraced(function*({ coin, expiry: date, strikes_around }) {
      const { expiry, read } = yield* readExpiry(venue, coin, date)
      const { expiries, spot, time } = read.value
      const listed = strikesOf(expiry).length
      const rows = chainRows(expiry, time, expiry.forward ?? spot, strikes_around)
      const notes: Array<string> = []
      if (rows.length < listed) {
        notes.push(`${rows.length} of ${listed} strikes are shown; raise \`strikes_around\` for more.`)
      }
      if (expiry.forward === null) {
        notes.push("No source tells the forward: greeks are null, and strikes are those nearest to the spot.")
      } else if (rows.some(({ call, put }) => call?.delta === null || put?.delta === null)) {
        notes.push("Greeks are null where no volatility gives the mark.")
      }
      return {
        coin,
        expiry: expiryDate(expiry.expiryAt),
        expires_at: instant(expiry.expiryAt),
        days: daysUntil(expiry.expiryAt, time),
        spot,
        forward: expiry.forward,
        expiries: expiries.map((one) => ({
          expiry: expiryDate(one.expiryAt),
          days: daysUntil(one.expiryAt, time),
          oi: heldOf(one)
        })),
        rows,
        strikes_listed: listed,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)
