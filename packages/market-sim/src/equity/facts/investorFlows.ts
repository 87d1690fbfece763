/** Simulates net purchases of Korean stocks by kind of investor, which add up to zero. */
import {
  dayMs,
  hourMs,
  type InvestorFlow,
  lastSession,
  previousSession,
  type TradingSession
} from "@tapeline/core/market"
import { stationaryNoise } from "../../kernel/noise.ts"
import type { World } from "../../world.ts"
import type { StockWithMarket } from "../stockWithMarket.ts"

type CompleteFlow = { readonly [K in Exclude<keyof InvestorFlow, "provisional">]: number } & InvestorFlow

/** The time from the close of a session until the exchange no longer corrects investor flows, at 18:00 in Seoul. */
const correctionPeriodMs = 2.5 * hourMs

const computeStockFlow = (
  world: World,
  { spec, market }: StockWithMarket,
  session: TradingSession,
  now: number
): CompleteFlow => {
  const [candle] = market.getLastCandles("1d", 1, session.closeAt, false)
  const turnover = candle?.quoteVolume ?? 0
  const previousClose = market.getPreviousClose(session.closeAt)
  const changePct = previousClose === null ? 0 : 100 * (market.price(session.closeAt) / previousClose - 1)
  const foreignKrw = Math.round(
    world.equities.getForeignNetPurchases({ symbol: spec.symbol, time: session.closeAt, turnover, changePct })
  )
  const retailDemand = stationaryNoise(world.getKey(`retail flow ${spec.symbol}`), session.closeAt, dayMs, 16 * dayMs)
  const retailKrw = Math.round(-0.72 * foreignKrw - 0.05 * turnover * Math.tanh(changePct / 3 + 0.8 * retailDemand))
  const otherDemand = stationaryNoise(world.getKey(`other flow ${spec.symbol}`), session.closeAt, dayMs, 16 * dayMs)
  return makeFlow(session, foreignKrw, retailKrw, Math.round(0.006 * turnover * otherDemand), now)
}

/** Creates the investor flow of a session. Institutions buy the amount that all other investors sell. */
const makeFlow = (
  session: TradingSession,
  foreignKrw: number,
  retailKrw: number,
  otherKrw: number,
  now: number
): CompleteFlow => ({
  time: session.openAt,
  foreignKrw,
  institutionKrw: -(foreignKrw + retailKrw + otherKrw),
  retailKrw,
  otherKrw,
  provisional: now < session.closeAt + correctionPeriodMs
})

/** Returns the investor flows of the last `days` closed sessions, summed over the stocks, oldest first. */
export const getInvestorFlows = (
  world: World,
  stocks: ReadonlyArray<StockWithMarket>,
  days: number,
  now: number
): ReadonlyArray<CompleteFlow> => {
  const flows: Array<CompleteFlow> = []
  let session = lastSession("KR", now)
  if (session.closeAt > now) session = previousSession("KR", session.day)
  while (flows.length < days) {
    let foreignKrw = 0
    let retailKrw = 0
    let otherKrw = 0
    const { openAt } = session
    const tradedStocks = stocks.filter(({ market }) => market.isTradedAt(openAt))
    if (tradedStocks.length === 0) break
    for (const listed of tradedStocks) {
      const flow = computeStockFlow(world, listed, session, now)
      foreignKrw += flow.foreignKrw
      retailKrw += flow.retailKrw
      otherKrw += flow.otherKrw
    }
    flows.push(makeFlow(session, foreignKrw, retailKrw, otherKrw, now))
    session = previousSession("KR", session.day)
  }
  return flows.toReversed()
}
