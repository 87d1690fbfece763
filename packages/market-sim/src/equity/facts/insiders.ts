/** Simulates trades of officers and directors, which are filed within two business days. */
import {
  dayMs,
  hourMs,
  type InsiderTrade,
  type InsiderTradeKind,
  nextSession,
  previousSession,
  sessionOf
} from "@tapeline/core/market"
import { deriveKey, drawInteger, drawNormal, drawUniform } from "../../kernel/random.ts"
import type { World } from "../../world.ts"
import type { StockWithMarket } from "../stockWithMarket.ts"
import { makePersonName } from "./personNames.ts"

const roles = [
  "Chief Executive Officer",
  "Chief Financial Officer",
  "Chief Operating Officer",
  "General Counsel",
  "Director",
  "Director",
  "10% Owner"
]
/** In each period of this number of days, an insider makes one trade with the probability `tradeProbability`. */
const periodDays = 40
const tradeProbability = 0.3
const maxFilingDelayMs = 12 * dayMs

const pickTradeKind = (randomNumber: number, isPurchase: boolean): InsiderTradeKind =>
  randomNumber < 0.12
    ? "grant"
    : randomNumber < 0.2
    ? "exercise"
    : randomNumber < 0.24
    ? "gift"
    : isPurchase
    ? "buy"
    : "sell"

const roundToCents = (price: number): number => Math.round(100 * price) / 100

const makeTrade = (
  world: World,
  { spec, market }: StockWithMarket,
  insider: number,
  period: number
): InsiderTrade | undefined => {
  const person = deriveKey(world.getKey(`insiders ${spec.symbol}`), insider, 0)
  const key = deriveKey(person, period, 1)
  if (drawUniform(key, 0) >= tradeProbability) return undefined
  const day = period * periodDays + drawInteger(key, 1, periodDays)
  const session = sessionOf(spec.country, day) ?? nextSession(spec.country, day)
  if (!market.isTradedAt(session.openAt)) return undefined
  const time = Math.floor(session.openAt + (session.closeAt - session.openAt) * drawUniform(key, 2))
  let filing = session
  for (let sessionsLater = 1 + drawInteger(key, 3, 2); sessionsLater > 0; sessionsLater--) {
    filing = nextSession(spec.country, filing.day)
  }
  const price = market.price(time)
  // Insiders mostly sell, but the probability of a purchase rises after a price fall.
  const monthReturn = Math.log(price / market.price(previousSession(spec.country, session.day - 30).closeAt))
  const purchaseProbability = Math.min(0.6, Math.max(0.04, 0.16 - 2.2 * monthReturn))
  const value = (spec.currency === "USD" ? 400_000 : 3e8) * Math.exp(1.2 * drawNormal(key, 4))
  const kind = pickTradeKind(drawUniform(key, 7), drawUniform(key, 6) < purchaseProbability)
  return {
    time,
    filedAt: filing.closeAt + Math.floor(2 * hourMs * drawUniform(key, 5)),
    name: makePersonName(spec.country, person, 10),
    role: roles[insider]!,
    kind,
    shares: Math.max(1, Math.round(value / price / 10) * 10),
    price: kind === "grant" || kind === "gift"
      ? null
      : kind === "exercise"
      ? roundToCents(price * (0.3 + 0.5 * drawUniform(key, 8)))
      : price
  }
}

/** Returns the insider trades of a stock with `from < filedAt <= to`, ordered by filing time. */
export const getInsiderTrades = (
  world: World,
  listed: StockWithMarket,
  from: number,
  to: number
): ReadonlyArray<InsiderTrade> => {
  const trades: Array<InsiderTrade> = []
  const first = Math.floor((from - maxFilingDelayMs) / dayMs / periodDays) - 1
  for (let period = first; period * periodDays * dayMs <= to; period++) {
    for (let insider = 0; insider < roles.length; insider++) {
      const trade = makeTrade(world, listed, insider, period)
      if (trade !== undefined && trade.filedAt > from && trade.filedAt <= to) trades.push(trade)
    }
  }
  return trades.sort((a, b) => a.filedAt - b.filedAt || a.name.localeCompare(b.name))
}
