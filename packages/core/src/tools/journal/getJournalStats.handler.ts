import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { dayMs } from "../../market/timeframe.ts"
import { numberOrNull, toNumber } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import {
  computeStatistics,
  computeTally,
  groupOutcomes,
  type PositionOutcome,
  type Tally
} from "../../personal/journal/statistics.ts"
import { getJournalStats } from "./getJournalStats.ts"

const maxCoins = 20

const toGroupFields = ({ expectancyR, n, pnlUsd, winRate, wins }: Tally) => ({
  n,
  wins,
  win_rate: winRate,
  expectancy_r: expectancyR,
  pnl_usd: toNumber(pnlUsd)
})

const toOutcomeRow = (position: PositionOutcome | null) =>
  position === null ? null : {
    position_id: position.positionId,
    coin: position.coin,
    side: position.side,
    pnl_usd: numberOrNull(position.pnlUsd),
    r: position.r,
    closed_at: formatInstant(position.closedAt)
  }

const groupByCoin = (outcomes: ReadonlyArray<PositionOutcome>) =>
  [...new Set(outcomes.map(({ coin }) => coin))]
    .map((coin) => ({ coin, ...toGroupFields(computeTally(outcomes.filter((position) => position.coin === coin))) }))
    .sort((a, b) => b.n - a.n || (a.coin < b.coin ? -1 : 1))

export const handler = handlerOf(
  getJournalStats,
  Effect.map(Effect.service(JournalStore), (journal) =>
    Effect.fnUntraced(function*({ days }, { principal }) {
      const outcomes = groupOutcomes(yield* journal.listClosedTrades(principal.account, days * dayMs))
      const all = computeStatistics(outcomes)
      const coins = groupByCoin(outcomes)
      const unknownCount = all.n - all.knownResults
      return {
        days,
        ...toGroupFields(all),
        wilson_low: all.wilson?.[0] ?? null,
        wilson_high: all.wilson?.[1] ?? null,
        n_judged: all.knownResults,
        n_without_r: all.withoutRCount,
        profit_factor: all.profitFactor,
        average_win_r: all.averageWinR,
        average_loss_r: all.averageLossR,
        fees_usd: toNumber(all.feesUsd),
        best: toOutcomeRow(all.best),
        worst: toOutcomeRow(all.worst),
        by_coin: coins.slice(0, maxCoins),
        by_side: (["long", "short"] as const).map((side) => ({
          side,
          ...toGroupFields(computeTally(outcomes.filter((one) => one.side === side)))
        })),
        streaks: {
          longest_win: all.streaks.longestWin,
          longest_loss: all.streaks.longestLoss,
          current: all.streaks.current
        },
        notes: [
          ...(all.n === 0 ? ["No position was fully closed in this period."] : []),
          ...(unknownCount > 0
            ? [`${unknownCount} closed positions have neither profit nor R, and are not part of any rate.`]
            : []),
          ...(coins.length > maxCoins ? [`by_coin: ${coins.length - maxCoins} more coins.`] : [])
        ]
      }
    }))
)
