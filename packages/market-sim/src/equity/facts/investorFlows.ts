/**
 * Net purchases in Korea by kind of investor. Foreigners buy with the day's move, individuals buy against it, and
 * others trade a little independently. Institutions take the opposite side, so the four add up to zero.
 */
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
import type { Listed } from "../listed.ts"

/** A flow with known values for all kinds of investors. */
type WholeFlow = { readonly [K in Exclude<keyof InvestorFlow, "provisional">]: number } & InvestorFlow

/** The time after the close during which the exchange corrects figures: until 18:00 in Seoul. */
const correctedMs = 2.5 * hourMs

/** The flow of one stock in one session. */
const flowOn = (world: World, { spec, market }: Listed, session: TradingSession, now: number): WholeFlow => {
  const [candle] = market.lastCandles("1d", 1, session.closeAt, false)
  const turnover = candle?.quoteVolume ?? 0
  const before = market.previousClose(session.closeAt)
  const changePct = before === null ? 0 : 100 * (market.price(session.closeAt) / before - 1)
  const foreignKrw = Math.round(
    world.equities.foreignNet({ symbol: spec.symbol, time: session.closeAt, turnover, changePct })
  )
  const mind = stationaryNoise(world.key(`retail flow ${spec.symbol}`), session.closeAt, dayMs, 16 * dayMs)
  const retailKrw = Math.round(-0.72 * foreignKrw - 0.05 * turnover * Math.tanh(changePct / 3 + 0.8 * mind))
  const own = stationaryNoise(world.key(`other flow ${spec.symbol}`), session.closeAt, dayMs, 16 * dayMs)
  return flowOf(session, foreignKrw, retailKrw, Math.round(0.006 * turnover * own), now)
}

/** Creates a flow in which institutions buy the amount that the others sell. */
const flowOf = (
  session: TradingSession,
  foreignKrw: number,
  retailKrw: number,
  otherKrw: number,
  now: number
): WholeFlow => ({
  time: session.openAt,
  foreignKrw,
  institutionKrw: -(foreignKrw + retailKrw + otherKrw),
  retailKrw,
  otherKrw,
  provisional: now < session.closeAt + correctedMs
})

/** The flows of the last `days` sessions that have closed by `now`, summed over the stocks, oldest first. */
export const investorFlowsOf = (
  world: World,
  stocks: ReadonlyArray<Listed>,
  days: number,
  now: number
): ReadonlyArray<WholeFlow> => {
  const flows: Array<WholeFlow> = []
  let session = lastSession("KR", now)
  if (session.closeAt > now) session = previousSession("KR", session.day)
  while (flows.length < days) {
    let foreignKrw = 0
    let retailKrw = 0
    let otherKrw = 0
    const { openAt } = session
    const traded = stocks.filter(({ market }) => market.tradesAt(openAt))
    if (traded.length === 0) break
    for (const listed of traded) {
      const flow = flowOn(world, listed, session, now)
      foreignKrw += flow.foreignKrw
      retailKrw += flow.retailKrw
      otherKrw += flow.otherKrw
    }
    flows.push(flowOf(session, foreignKrw, retailKrw, otherKrw, now))
    session = previousSession("KR", session.day)
  }
  return flows.toReversed()
}
