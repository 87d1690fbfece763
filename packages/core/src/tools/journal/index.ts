import type { HandlersFrom } from "../../engine/tool/implement.ts"
import { addJournalNote } from "./addJournalNote.ts"
import { closePosition } from "./closePosition.ts"
import { deletePosition } from "./deletePosition.ts"
import { getJournalStats } from "./getJournalStats.ts"
import { getPortfolioRisk } from "./getPortfolioRisk.ts"
import { getPositions } from "./getPositions.ts"
import { getRiskProfile } from "./getRiskProfile.ts"
import { getRiskSizing } from "./getRiskSizing.ts"
import { getTradeHistory } from "./getTradeHistory.ts"
import { getWatchlist } from "./getWatchlist.ts"
import { setPosition } from "./setPosition.ts"
import { setRiskProfile } from "./setRiskProfile.ts"
import { updatePosition } from "./updatePosition.ts"
import { updateWatchlist } from "./updateWatchlist.ts"

export {
  addJournalNote,
  closePosition,
  deletePosition,
  getJournalStats,
  getPortfolioRisk,
  getPositions,
  getRiskProfile,
  getRiskSizing,
  getTradeHistory,
  getWatchlist,
  setPosition,
  setRiskProfile,
  updatePosition,
  updateWatchlist
}

export const journalSpecifications = [
  getPositions,
  getRiskSizing,
  getRiskProfile,
  getPortfolioRisk,
  getTradeHistory,
  getJournalStats,
  getWatchlist,
  setPosition,
  updatePosition,
  closePosition,
  deletePosition,
  addJournalNote,
  setRiskProfile,
  updateWatchlist
] as const

/** Functions that import the handlers of the journal tools, by tool name. */
export default {
  get_positions: () => import("./getPositions.handler.ts"),
  get_risk_sizing: () => import("./getRiskSizing.handler.ts"),
  get_risk_profile: () => import("./getRiskProfile.handler.ts"),
  get_portfolio_risk: () => import("./getPortfolioRisk.handler.ts"),
  get_trade_history: () => import("./getTradeHistory.handler.ts"),
  get_journal_stats: () => import("./getJournalStats.handler.ts"),
  get_watchlist: () => import("./getWatchlist.handler.ts"),
  set_position: () => import("./setPosition.handler.ts"),
  update_position: () => import("./updatePosition.handler.ts"),
  close_position: () => import("./closePosition.handler.ts"),
  delete_position: () => import("./deletePosition.handler.ts"),
  add_journal_note: () => import("./addJournalNote.handler.ts"),
  set_risk_profile: () => import("./setRiskProfile.handler.ts"),
  update_watchlist: () => import("./updateWatchlist.handler.ts")
} satisfies HandlersFrom<typeof journalSpecifications>
