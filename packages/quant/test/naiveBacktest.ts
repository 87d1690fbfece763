/**
 * A second backtest, written trade by trade only from the rules, for comparison with the engine. It has no leverage, no
 * ruin, and no bar that both enters and exits.
 */
import type { BacktestBars, BacktestOptions, Series } from "@tapeline/quant"

export interface NaiveTrade {
  readonly side: 1 | -1
  readonly entryIndex: number
  readonly exitIndex: number
  readonly entry: number
  readonly exit: number
  readonly reason: string
  readonly return: number
}

interface Exit {
  readonly at: number
  readonly price: number
  readonly reason: string
}

export function naiveBacktest(
  { close, high, low, open }: BacktestBars,
  { enter, exit, stopDistance, takeDistance }: Readonly<
    Record<"enter" | "exit" | "stopDistance" | "takeDistance", Series>
  >,
  { feeBps = 5, funding, maxBars = Infinity, slippageBps = 2 }: BacktestOptions
): ReadonlyArray<NaiveTrade> {
  const n = close.length
  const fee = feeBps / 10_000
  const slip = slippageBps / 10_000
  const trades: Array<NaiveTrade> = []

  /** Returns the exit of a position that was opened at the open of bar `from`. */
  const exitOf = (side: 1 | -1, from: number, stop: number | null, take: number | null): Exit => {
    const beyond = (price: number, level: number | null, of: 1 | -1): boolean =>
      level !== null && (of * side > 0 ? price >= level : price <= level)
    for (let j = from; j < n; j++) {
      if (beyond(open[j]!, stop, -1)) return { at: j, price: open[j]!, reason: "stop" }
      if (j > from && beyond(open[j]!, take, 1)) return { at: j, price: open[j]!, reason: "take" }
      if (beyond(side > 0 ? low[j]! : high[j]!, stop, -1)) return { at: j, price: stop!, reason: "stop" }
      if (beyond(side > 0 ? high[j]! : low[j]!, take, 1)) return { at: j, price: take!, reason: "take" }
      if (j === n - 1) return { at: j, price: close[j]!, reason: "end" }
      if (exit[j] !== 0) return { at: j + 1, price: open[j + 1]!, reason: "signal" }
      if (enter[j] !== 0 && Math.sign(enter[j]!) !== side) return { at: j + 1, price: open[j + 1]!, reason: "reverse" }
      if (j - from + 1 >= maxBars) return { at: j + 1, price: open[j + 1]!, reason: "max_bars" }
    }
    throw new Error("a position was opened after the last bar")
  }

  let signal = 0
  while (signal < n - 1) {
    if (enter[signal] === 0) {
      signal++
      continue
    }
    const side = enter[signal]! > 0 ? 1 : -1
    const from = signal + 1
    const entry = open[from]! * (1 + side * slip)
    const level = (distance: number, away: number): number | null => distance > 0 ? entry + away * distance : null
    const found = exitOf(side, from, level(stopDistance[signal]!, -side), level(takeDistance[signal]!, side))
    const price = found.price * (1 - side * slip)
    let paid = 0
    // A position pays funding at each close at which it is open, so not in its exit bar, unless the data ends.
    const held = found.reason === "end" ? found.at : found.at - 1
    for (let j = from; j <= held; j++) paid += (side * (funding?.[j] ?? 0) * close[j]!) / entry
    trades.push({
      side,
      entryIndex: from,
      exitIndex: found.at,
      entry,
      exit: price,
      reason: found.reason,
      return: (side * (price - entry)) / entry - fee * (1 + price / entry) - paid
    })
    // A reversal was signalled at the close before its exit bar. Otherwise, the next signal may be at the exit bar's
    // close.
    signal = found.reason === "reverse" ? found.at - 1 : found.at
  }
  return trades
}
