import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { dayMs } from "../../market/timeframe.ts"
import { numberOrNull, toNumber } from "../../personal/journal/decimal.ts"
import { JournalStore } from "../../personal/journal/JournalStore.ts"
import { outcomesOf, type PositionOutcome } from "../../personal/journal/outcomes.ts"
import { statisticsOf, type Tally, tallyOf } from "../../personal/journal/statistics.ts"
import { getJournalStats } from "./getJournalStats.ts"

const coinsAtMost = 20

const group = ({ expectancyR, n, pnlUsd, winRate, wins }: Tally) => ({
  n,
  wins,
  win_rate: winRate,
  expectancy_r: expectancyR,
  pnl_usd: toNumber(pnlUsd)
})

const outcome = (one: PositionOutcome | null) =>
  one === null ? null : {
    position_id: one.positionId,
    coin: one.coin,
    side: one.side,
    pnl_usd: numberOrNull(one.pnlUsd),
    r: one.r,
    closed_at: instant(one.closedAt)
  }

const byCoin = (outcomes: ReadonlyArray<PositionOutcome>) =>
  [...new Set(outcomes.map(({ coin }) => coin))]
    .map((coin) => ({ coin, ...group(tallyOf(outcomes.filter((one) => one.coin === coin))) }))
    .sort((a, b) => b.n - a.n || (a.coin < b.coin ? -1 : 1))

export const handler = handlerOf(
  getJournalStats,
  Effect.map(Effect.service(JournalStore), (journal) =>
    Effect.fnUntraced(function*({ days }, { principal }) {
      const outcomes = outcomesOf(yield* journal.closed(principal.account, days * dayMs))
      const all = statisticsOf(outcomes)
      const coins = byCoin(outcomes)
      const unjudged = all.n - all.judged
      return {
        days,
        ...group(all),
        wilson_low: all.wilson?.[0] ?? null,
        wilson_high: all.wilson?.[1] ?? null,
        n_judged: all.judged,
        n_without_r: all.withoutR,
        profit_factor: all.profitFactor,
        average_win_r: all.averageWinR,
        average_loss_r: all.averageLossR,
        fees_usd: toNumber(all.feesUsd),
        best: outcome(all.best),
        worst: outcome(all.worst),
        by_coin: coins.slice(0, coinsAtMost),
        by_side: (["long", "short"] as const).map((side) => ({
          side,
          ...group(tallyOf(outcomes.filter((one) => one.side === side)))
        })),
        streaks: {
          longest_win: all.streaks.longestWin,
          longest_loss: all.streaks.longestLoss,
          current: all.streaks.current
        },
        notes: [
          ...(all.n === 0 ? ["No position was fully closed in these days."] : []),
          ...(unjudged > 0 ? [`Neither profit nor R is known of ${unjudged}, which no rate counts.`] : []),
          ...(coins.length > coinsAtMost ? [`by_coin: ${coins.length - coinsAtMost} more coins.`] : [])
        ]
      }
    }))
)
