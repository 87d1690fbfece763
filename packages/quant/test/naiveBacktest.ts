/**
 * A second implementation of the backtest, written only from the documented rules. This implementation has no leverage,
 * no ruin, and no bars that both enter and exit.
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
  readonly index: number
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
  const slippage = slippageBps / 10_000
  const trades: Array<NaiveTrade> = []

  const findExit = (side: 1 | -1, from: number, stop: number | null, take: number | null): Exit => {
    const isBeyond = (price: number, level: number | null, direction: 1 | -1): boolean =>
      level !== null && (direction * side > 0 ? price >= level : price <= level)
    for (let j = from; j < n; j++) {
      if (isBeyond(open[j]!, stop, -1)) return { index: j, price: open[j]!, reason: "stop" }
      if (j > from && isBeyond(open[j]!, take, 1)) return { index: j, price: open[j]!, reason: "take" }
      if (isBeyond(side > 0 ? low[j]! : high[j]!, stop, -1)) return { index: j, price: stop!, reason: "stop" }
      if (isBeyond(side > 0 ? high[j]! : low[j]!, take, 1)) return { index: j, price: take!, reason: "take" }
      if (j === n - 1) return { index: j, price: close[j]!, reason: "end" }
      if (exit[j] !== 0) return { index: j + 1, price: open[j + 1]!, reason: "signal" }
      if (enter[j] !== 0 && Math.sign(enter[j]!) !== side) {
        return { index: j + 1, price: open[j + 1]!, reason: "reverse" }
      }
      if (j - from + 1 >= maxBars) return { index: j + 1, price: open[j + 1]!, reason: "max_bars" }
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
    const entry = open[from]! * (1 + side * slippage)
    const toLevel = (distance: number, direction: number): number | null =>
      distance > 0 ? entry + direction * distance : null
    const positionExit = findExit(
      side,
      from,
      toLevel(stopDistance[signal]!, -side),
      toLevel(takeDistance[signal]!, side)
    )
    const price = positionExit.price * (1 - side * slippage)
    let fundingPaid = 0
    // Funding is charged at each close at which the position is open. The exit bar is excluded, unless the position
    // ends with the data.
    const lastFundedBar = positionExit.reason === "end" ? positionExit.index : positionExit.index - 1
    for (let j = from; j <= lastFundedBar; j++) fundingPaid += (side * (funding?.[j] ?? 0) * close[j]!) / entry
    trades.push({
      side,
      entryIndex: from,
      exitIndex: positionExit.index,
      entry,
      exit: price,
      reason: positionExit.reason,
      return: (side * (price - entry)) / entry - fee * (1 + price / entry) - fundingPaid
    })
    // The signal that caused a reversal is at the close before the exit bar. After any other exit, the next signal can
    // be at the close of the exit bar.
    signal = positionExit.reason === "reverse" ? positionExit.index - 1 : positionExit.index
  }
  return trades
}
