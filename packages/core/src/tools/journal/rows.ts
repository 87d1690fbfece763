import { formatInstant } from "../../engine/tool/result.ts"
import { numberOrNull, toNumber } from "../../personal/journal/decimal.ts"
import { computeRMultiple } from "../../personal/journal/profit.ts"
import type { JournalNote, Position, RiskProfile, Trade } from "../../personal/journal/records.ts"

/* Converts the records of a journal to rows of results. */

export const toPositionRow = (position: Position) => ({
  id: position.id,
  coin: position.coin,
  side: position.side,
  leverage: numberOrNull(position.leverage),
  size_usd: numberOrNull(position.sizeUsd),
  entry: numberOrNull(position.entry),
  stop: numberOrNull(position.stop),
  initial_stop: numberOrNull(position.initialStop),
  takes: position.takes.map(toNumber),
  notes: position.notes,
  open_share: toNumber(position.share),
  opened_at: formatInstant(position.openedAt),
  updated_at: formatInstant(position.updatedAt)
})

export const toTradeRow = (trade: Trade) => ({
  id: trade.id,
  position_id: trade.positionId,
  coin: trade.coin,
  side: trade.side,
  fraction: toNumber(trade.fraction),
  size_usd: numberOrNull(trade.sizeUsd),
  entry: numberOrNull(trade.entry),
  exit: toNumber(trade.exit),
  initial_stop: numberOrNull(trade.initialStop),
  r: computeRMultiple(trade),
  fees_usd: toNumber(trade.feesUsd),
  pnl_usd: numberOrNull(trade.pnlUsd),
  opened_at: formatInstant(trade.openedAt),
  closed_at: formatInstant(trade.closedAt),
  notes: trade.notes
})

export const toNoteRow = ({ coin, id, text, tradeId, writtenAt }: JournalNote) => ({
  id,
  text,
  trade_id: tradeId,
  coin,
  time: formatInstant(writtenAt)
})

export const toProfileRow = ({ accountUsd, maxLeverage, maxOpenRiskPct, riskPct }: RiskProfile) => ({
  account_usd: numberOrNull(accountUsd),
  risk_pct: numberOrNull(riskPct),
  max_leverage: numberOrNull(maxLeverage),
  max_open_risk_pct: numberOrNull(maxOpenRiskPct),
  base_currency: "USD" as const
})
