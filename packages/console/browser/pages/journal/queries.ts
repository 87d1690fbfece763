import type { DataOf, ToolQuery } from "../../requests/toolQuery.ts"

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
/** A recorded position, without values that depend on the market price. */
export type RecordedPosition = DataOf<"set_position">["position"]
export type ClosedPosition = DataOf<"close_position">

const minute = 60_000

/**
 * The time in ms for which a tool result counts as fresh. Values at market prices become outdated sooner than data that
 * only the account changes.
 */
const freshMsOf = { marketValues: minute, accountData: 10 * minute } as const

export const positionsQuery: ToolQuery<Positions> = {
  tool: "get_positions",
  args: {},
  freshMs: freshMsOf.marketValues,
  run: (client, options) => client.tools.get_positions({}, options)
}

/** The maximum number of trades in a response. The price of a call does not depend on the number of trades. */
export const maxTrades = 300

export const historyQuery = (days: number): ToolQuery<History> => {
  const args = { days, top: maxTrades, full_notes: true }
  return {
    tool: "get_trade_history",
    args,
    freshMs: freshMsOf.accountData,
    run: (client, options) => client.tools.get_trade_history(args, options)
  }
}

export const statisticsQuery = (days: number): ToolQuery<Statistics> => ({
  tool: "get_journal_stats",
  args: { days },
  freshMs: freshMsOf.accountData,
  run: (client, options) => client.tools.get_journal_stats({ days }, options)
})

export const watchlistQuery: ToolQuery<Watchlist> = {
  tool: "get_watchlist",
  args: {},
  freshMs: freshMsOf.marketValues,
  run: (client, options) => client.tools.get_watchlist({}, options)
}

export const portfolioRiskQuery: ToolQuery<PortfolioRisk> = {
  tool: "get_portfolio_risk",
  args: {},
  freshMs: freshMsOf.marketValues,
  run: (client, options) => client.tools.get_portfolio_risk({}, options)
}
