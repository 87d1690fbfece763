import type { Ask, DataOf } from "../../asking/ask.ts"

export type Positions = DataOf<"get_positions">
export type Position = Positions["positions"][number]
export type Profile = Positions["risk_profile"]
export type History = DataOf<"get_trade_history">
export type Trade = History["trades"][number]
export type JournalNote = History["journal_notes"][number]
export type Statistics = DataOf<"get_journal_stats">
export type PortfolioRisk = DataOf<"get_portfolio_risk">
export type Sizing = DataOf<"get_risk_sizing">
export type Watchlist = DataOf<"get_watchlist">
/** A position as it was recorded, without values that depend on the market price. */
export type Recorded = DataOf<"set_position">["position"]
export type Closed = DataOf<"close_position">

const minute = 60_000

/** How long results are fresh, in ms: less for values at market prices than for data that only this account changes. */
const fresh = { valued: minute, kept: 10 * minute } as const

export const positionsAsk: Ask<Positions> = {
  tool: "get_positions",
  args: {},
  freshMs: fresh.valued,
  run: (client, options) => client.tools.get_positions({}, options)
}

/** The maximum number of trades in a response. The price does not depend on the number. */
export const mostTrades = 300

export const historyAsk = (days: number): Ask<History> => {
  const args = { days, top: mostTrades, full_notes: true }
  return {
    tool: "get_trade_history",
    args,
    freshMs: fresh.kept,
    run: (client, options) => client.tools.get_trade_history(args, options)
  }
}

export const statisticsAsk = (days: number): Ask<Statistics> => ({
  tool: "get_journal_stats",
  args: { days },
  freshMs: fresh.kept,
  run: (client, options) => client.tools.get_journal_stats({ days }, options)
})

export const watchlistAsk: Ask<Watchlist> = {
  tool: "get_watchlist",
  args: {},
  freshMs: fresh.valued,
  run: (client, options) => client.tools.get_watchlist({}, options)
}

export const portfolioRiskAsk: Ask<PortfolioRisk> = {
  tool: "get_portfolio_risk",
  args: {},
  freshMs: fresh.valued,
  run: (client, options) => client.tools.get_portfolio_risk({}, options)
}
