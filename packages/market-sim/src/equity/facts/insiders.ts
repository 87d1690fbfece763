/** Trades of officers and directors, which are filed within two business days. */
import {
  dayMs,
  hourMs,
  type InsiderTrade,
  type InsiderTradeKind,
  nextSession,
  previousSession,
  sessionOf
} from "@tapeline/core/market"
import { derive, integer, normal, uniform } from "../../kernel/random.ts"
import type { World } from "../../world.ts"
import type { Listed } from "../listed.ts"
import { personName } from "./people.ts"

const roles = [
  "Chief Executive Officer",
  "Chief Financial Officer",
  "Chief Operating Officer",
  "General Counsel",
  "Director",
  "Director",
  "10% Owner"
]
/** The length of a period, in days. In each period, an insider makes one trade with probability `tradeChance`. */
const slotDays = 40
const tradeChance = 0.3
/** The maximum time between a trade and its filing. */
const longestFilingMs = 12 * dayMs

/** The kind of a trade. Most trades are purchases or sales; some are grants, exercises of options, or gifts. */
const kindOf = (draw: number, buys: boolean): InsiderTradeKind =>
  draw < 0.12 ? "grant" : draw < 0.2 ? "exercise" : draw < 0.24 ? "gift" : buys ? "buy" : "sell"

/** Rounds the exercise price of an option to cents. */
const round = (price: number): number => Math.round(100 * price) / 100

const tradeOf = (world: World, { spec, market }: Listed, insider: number, slot: number): InsiderTrade | undefined => {
  const person = derive(world.key(`insiders ${spec.symbol}`), insider, 0)
  const key = derive(person, slot, 1)
  if (uniform(key, 0) >= tradeChance) return undefined
  const day = slot * slotDays + integer(key, 1, slotDays)
  const session = sessionOf(spec.country, day) ?? nextSession(spec.country, day)
  if (!market.tradesAt(session.openAt)) return undefined
  const time = Math.floor(session.openAt + (session.closeAt - session.openAt) * uniform(key, 2))
  let filing = session
  for (let later = 1 + integer(key, 3, 2); later > 0; later--) filing = nextSession(spec.country, filing.day)
  const price = market.price(time)
  // Insiders buy more often after falls, but mostly sell granted shares.
  const month = Math.log(price / market.price(previousSession(spec.country, session.day - 30).closeAt))
  const buying = Math.min(0.6, Math.max(0.04, 0.16 - 2.2 * month))
  const value = (spec.currency === "USD" ? 400_000 : 3e8) * Math.exp(1.2 * normal(key, 4))
  const kind = kindOf(uniform(key, 7), uniform(key, 6) < buying)
  return {
    time,
    filedAt: filing.closeAt + Math.floor(2 * hourMs * uniform(key, 5)),
    name: personName(spec.country, person, 10),
    role: roles[insider]!,
    kind,
    shares: Math.max(1, Math.round(value / price / 10) * 10),
    price: kind === "grant" || kind === "gift"
      ? null
      : kind === "exercise"
      ? round(price * (0.3 + 0.5 * uniform(key, 8)))
      : price
  }
}

/** The trades of a stock with `from < filedAt <= to`, by the time of their filing. */
export const insiderTradesOf = (
  world: World,
  listed: Listed,
  from: number,
  to: number
): ReadonlyArray<InsiderTrade> => {
  const found: Array<InsiderTrade> = []
  const first = Math.floor((from - longestFilingMs) / dayMs / slotDays) - 1
  for (let slot = first; slot * slotDays * dayMs <= to; slot++) {
    for (let insider = 0; insider < roles.length; insider++) {
      const trade = tradeOf(world, listed, insider, slot)
      if (trade !== undefined && trade.filedAt > from && trade.filedAt <= to) found.push(trade)
    }
  }
  return found.sort((a, b) => a.filedAt - b.filedAt || a.name.localeCompare(b.name))
}
