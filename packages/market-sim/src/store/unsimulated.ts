/**
 * The parts of `MarketStore` and `EquityMarkets` that this market does not have.
 */
import { NoData } from "@tapeline/core/market/errors"
import { Effect } from "effect"

const none = (subject: string) => () => Effect.fail(new NoData({ subject, reason: "the simulated market has none" }))

export const unsimulatedStorePart = {
  socialPosts: none("social posts"),
  socialActivity: none("social posts"),
  news: none("news")
}

export const unsimulatedEquityPart = {
  fundamentals: none("fundamentals"),
  earnings: none("earnings"),
  ratings: none("analyst ratings"),
  insiderTrades: none("insider trades"),
  filings: none("filings"),
  investorFlows: none("investor flows"),
  options: none("stock options")
}
