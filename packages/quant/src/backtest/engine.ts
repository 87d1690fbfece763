import {
  checkFinite,
  checkFiniteSeries,
  checkInteger,
  checkNotNegative,
  checkPositiveSeries,
  checkSameLength,
  checkWithin,
  type Series,
  type Side
} from "../check.ts"

/** The price bars of a backtest, oldest first. */
export interface BacktestBars {
  readonly open: Series
  readonly high: Series
  readonly low: Series
  readonly close: Series
}

/**
 * The entry and exit signals of a strategy. Each signal is known at the close of a bar and executed at the next open.
 */
export interface BacktestSignals {
  /**
   * The entry signal: a positive value opens a long position, and a negative value opens a short position. An opposite
   * signal reverses the position.
   */
  readonly enter: Series
  /** The exit signal: any value other than 0 closes the position, and suppresses an entry signal of the same bar. */
  readonly exit?: Series | undefined
  /** The distance from the fill to the stop-loss in price units, read at the signal bar; 0 or NaN means none. */
  readonly stopDistance?: Series | undefined
  /** The distance in price units from the fill to the take-profit; 0 or NaN means no take-profit. */
  readonly takeDistance?: Series | undefined
}

export interface BacktestOptions {
  /** The fee per side in basis points of the notional; 5 by default. */
  readonly feeBps?: number | undefined
  /** The slippage per side in basis points of the price; 2 by default. */
  readonly slippageBps?: number | undefined
  /** The funding rate at the close of each bar, which longs pay if the rate is positive; see {@link fundingPerBar}. */
  readonly funding?: Series | undefined
  /** The number of bars after which a position is closed at the next open; no limit by default. */
  readonly maxBars?: number | undefined
  /** The notional of a position as a multiple of the equity at entry; 1 by default. */
  readonly leverage?: number | undefined
}

export type ExitReason = "signal" | "reverse" | "stop" | "take" | "max_bars" | "end" | "ruin"

/** A closed trade of a backtest. */
export interface BacktestTrade {
  readonly side: Side
  /** The index of the bar in which the entry was filled, one bar after the signal. */
  readonly entryIndex: number
  readonly exitIndex: number
  /** The fill price of the entry, including slippage. */
  readonly entry: number
  readonly exit: number
  readonly reason: ExitReason
  /** The relative change of equity over the trade after fees, slippage and funding; at least -1. */
  readonly return: number
  /** The funding cost as a fraction of the equity at entry, which is negative if the trade received funding. */
  readonly funding: number
  readonly bars: number
}

/** The result of {@link backtest}. */
export interface BacktestResult {
  /** The equity at the close of each bar, marked to market, where the initial equity is 1. */
  readonly equity: Float64Array
  readonly trades: ReadonlyArray<BacktestTrade>
  /** The share of bars in which a position was open, from 0 to 1. */
  readonly exposure: number
}

function checkInput(bars: BacktestBars, signals: BacktestSignals, options: BacktestOptions): void {
  const { open, high, low, close } = bars
  const where = "backtest"
  const length = close.length
  checkSameLength(where, "open, high, low, close and signals", length, open, high, low, signals.enter)
  for (const [name, x] of Object.entries({ open, high, low, close })) checkPositiveSeries(where, name, x)
  for (let i = 0; i < length; i++) {
    if (high[i]! < Math.max(open[i]!, close[i]!) || low[i]! > Math.min(open[i]!, close[i]!)) {
      throw new RangeError(
        `${where}: bar ${i} is not a valid bar: open ${open[i]}, high ${high[i]}, low ${low[i]}, close ${close[i]}`
      )
    }
  }
  checkFiniteSeries(where, "enter", signals.enter)
  if (signals.exit !== undefined) {
    checkSameLength(where, "close and exit", length, signals.exit)
    checkFiniteSeries(where, "exit", signals.exit)
  }
  for (const [name, x] of Object.entries({ stopDistance: signals.stopDistance, takeDistance: signals.takeDistance })) {
    if (x === undefined) continue
    checkSameLength(where, `close and ${name}`, length, x)
    for (let i = 0; i < length; i++) {
      if (x[i]! < 0) throw new RangeError(`${where}: ${name}[${i}] is ${x[i]}; a distance is not negative`)
    }
  }
  if (options.funding !== undefined) {
    checkSameLength(where, "close and funding", length, options.funding)
    checkFiniteSeries(where, "funding", options.funding)
  }
  if (options.maxBars !== undefined) checkInteger(where, "maxBars", options.maxBars, 1)
  checkWithin(where, "feeBps", options.feeBps ?? 0, 0, 5000)
  checkWithin(where, "slippageBps", options.slippageBps ?? 0, 0, 5000)
  checkNotNegative(where, "leverage", options.leverage ?? 1)
}

/**
 * Runs an event-driven backtest of one strategy on one instrument.
 *
 * Conventions: a signal at a close is filled at the next open. Each trade uses the whole equity (times leverage), so
 * results compound. Slippage worsens every fill, and the fee is charged on the notional at entry and at exit. A stop or
 * take-profit is measured from the entry fill and active from the entry bar on. If a bar opens beyond a stop or
 * take-profit, the exit is filled at the open. If a bar touches the stop and the take-profit, the exit is filled at the
 * stop. A position is ruined at the price at which its losses, entry fee and funding add up to its whole equity. The
 * backtest has no maintenance margin. A long position is ruined if the low of a bar reaches the ruin price before a
 * stop. A short position is ruined if the high of a bar reaches the ruin price before a stop. If a bar reaches the ruin
 * price and a take-profit in unknown order, the position is ruined. Trading ends after a position is ruined. Within a
 * bar, fills at the open come first, then fills at the stop, at the ruin price, and at the take-profit. Funding is
 * charged at the close of each bar, before the signal of the bar. A funding charge can also ruin the position. A
 * position that remains open at the end is closed at the last close. The final equity is the product of `1 + return`
 * over the trades. Unit: equity as a multiple of the initial equity; prices in the unit of `bars`.
 * Source: the conventions of this package, similar to Halls-Moore, Successful Algorithmic Trading (event-driven
 * backtesting).
 *
 * @throws RangeError when lengths differ, a price is not above 0, a bar's range does not contain its open and close, a
 * distance is negative, or a cost is out of bounds.
 * @example
 * import { backtest } from "@tapeline/quant"
 * const bars = { open: [10, 10, 11, 12], high: [10, 11, 12, 12], low: [10, 10, 11, 12], close: [10, 11, 12, 12] }
 * const result = backtest(bars, { enter: [1, 0, 0, 0], exit: [0, 0, 1, 0] }, { feeBps: 0, slippageBps: 0 })
 * result.equity // => [1, 1.1, 1.2, 1.2]
 * result.trades[0].reason // => "signal"
 */
export function backtest(bars: BacktestBars, signals: BacktestSignals, options: BacktestOptions = {}): BacktestResult {
  checkInput(bars, signals, options)
  const { open, close } = bars
  const { enter, exit, stopDistance, takeDistance } = signals
  const { maxBars = Infinity } = options
  const length = close.length
  const equity = new Float64Array(length)
  const position = new PositionBook(bars, options)
  let nextDirection = 0
  let exitReason: ExitReason | null = null
  let exposedBars = 0
  for (let i = 0; i < length; i++) {
    if (exitReason !== null && position.side !== 0) position.close(i, open[i]!, exitReason)
    exitReason = null
    if (nextDirection !== 0 && position.side === 0 && position.equity > 0) {
      position.open(
        i,
        nextDirection,
        stopDistance === undefined ? NaN : stopDistance[i - 1]!,
        takeDistance === undefined ? NaN : takeDistance[i - 1]!
      )
    }
    nextDirection = 0
    if (position.side !== 0) {
      exposedBars++
      position.applyBar(i)
    }
    if (position.side !== 0) position.markToClose(i, i === length - 1)
    equity[i] = position.equity
    const direction = Math.sign(enter[i]!)
    const isExitSignal = exit !== undefined && exit[i] !== 0
    if (position.side === 0) nextDirection = isExitSignal ? 0 : direction
    else if (isExitSignal) exitReason = "signal"
    else if (direction === -position.side) {
      exitReason = "reverse"
      nextDirection = direction
    } else if (i - position.entryIndex + 1 >= maxBars) exitReason = "max_bars"
  }
  return { equity, trades: position.trades, exposure: length === 0 ? 0 : exposedBars / length }
}

class PositionBook {
  readonly trades: Array<BacktestTrade> = []
  equity = 1
  /** The side of the position: 1 for long, -1 for short, 0 for no position. */
  side = 0
  entryIndex = 0
  private entry = 0
  private quantity = 0
  /** The equity at the entry of the position. */
  private equityAtEntry = 1
  // The equity that remains after the entry fee and funding.
  private cash = 1
  private fundingPaid = 0
  private stop = NaN
  private take = NaN
  private readonly bars: BacktestBars
  private readonly funding: Series | undefined
  private readonly fee: number
  private readonly slip: number
  private readonly leverage: number

  constructor(bars: BacktestBars, { feeBps = 5, funding, leverage = 1, slippageBps = 2 }: BacktestOptions) {
    this.bars = bars
    this.funding = funding
    this.fee = feeBps / 10000
    this.slip = slippageBps / 10000
    this.leverage = leverage
  }

  /** Opens a position at the open of bar `i`. A distance of 0 or NaN sets no stop or take-profit. */
  open(i: number, side: number, stopDistance: number, takeDistance: number): void {
    this.side = side
    this.entry = this.bars.open[i]! * (1 + side * this.slip)
    this.entryIndex = i
    this.equityAtEntry = this.equity
    this.quantity = (this.equityAtEntry * this.leverage) / this.entry
    this.cash = this.equityAtEntry - this.fee * this.quantity * this.entry
    this.fundingPaid = 0
    this.stop = stopDistance > 0 ? this.entry - side * stopDistance : NaN
    this.take = takeDistance > 0 ? this.entry + side * takeDistance : NaN
  }

  close(i: number, price: number, reason: ExitReason): void {
    const { cash, entry, entryIndex, fee, fundingPaid, quantity, side, slip, equityAtEntry } = this
    const fill = price * (1 - side * slip)
    const remainingEquity = cash + side * quantity * (fill - entry) - fee * quantity * fill
    const finalEquity = reason === "ruin" ? 0 : Math.max(0, remainingEquity)
    this.trades.push({
      side: side > 0 ? "long" : "short",
      entryIndex,
      exitIndex: i,
      entry,
      exit: fill,
      reason: finalEquity > 0 ? reason : "ruin",
      return: finalEquity / equityAtEntry - 1,
      funding: fundingPaid / equityAtEntry,
      // If the position is closed at the open of the exit bar, this bar does not count as held.
      bars: i - entryIndex + (reason === "signal" || reason === "reverse" || reason === "max_bars" ? 0 : 1)
    })
    this.equity = finalEquity
    this.side = 0
  }

  applyBar(i: number): void {
    const { close, high, low, open } = this.bars
    const { cash, quantity, side, stop, take } = this
    const openPrice = open[i]!
    const worst = side > 0 ? low[i]! : high[i]!
    const best = side > 0 ? high[i]! : low[i]!
    const ruinPrice = quantity > 0 ? this.entry - (side * cash) / quantity : NaN
    const isAfterEntryBar = i > this.entryIndex
    // A gap beyond a stop or take-profit is filled at the open; on the entry bar, only slippage can cause such a gap.
    if ((openPrice - ruinPrice) * side <= 0) this.close(i, openPrice, "ruin")
    else if ((openPrice - stop) * side <= 0) this.close(i, openPrice, "stop")
    else if (isAfterEntryBar && (openPrice - take) * side >= 0) this.close(i, openPrice, "take")
    else if ((worst - stop) * side <= 0 && !((stop - ruinPrice) * side < 0)) this.close(i, stop, "stop")
    else if ((worst - ruinPrice) * side <= 0) this.close(i, ruinPrice, "ruin")
    else if ((best - take) * side >= 0) this.close(i, take, "take")
    else if (this.funding !== undefined) {
      const cost = side * this.funding[i]! * quantity * close[i]!
      this.cash -= cost
      this.fundingPaid += cost
    }
  }

  /**
   * Values the position at the close of a bar. Closes the position if its equity is not above 0, or if the bar is the
   * last bar.
   */
  markToClose(i: number, isLast: boolean): void {
    const price = this.bars.close[i]!
    const markedEquity = this.cash + this.side * this.quantity * (price - this.entry)
    if (markedEquity <= 0) this.close(i, price, "ruin")
    else if (isLast) this.close(i, price, "end")
    else this.equity = markedEquity
  }
}

/**
 * Returns the sum of the funding rates that are charged at the close of each bar.
 *
 * Formula: `out[i] = sum of the rates with time[i] < t <= time[i + 1]`, where `time[i]` is the opening time of bar i. A
 * funding payment at the open of a bar belongs to the previous bar. The last bar is assumed to be as long as the
 * previous bar.
 * Unit: the unit of the rates.
 * Source: the conventions of {@link backtest}.
 *
 * @throws RangeError when times do not ascend, lengths differ, or a value is not finite.
 * @example
 * import { fundingPerBar } from "@tapeline/quant"
 * fundingPerBar([0, 60, 120], [60, 90, 120, 500], [1, 2, 4, 8]) // => [1, 6, 0]
 */
export function fundingPerBar(barTimes: Series, fundingTimes: Series, rates: Series): Float64Array {
  checkSameLength("fundingPerBar", "fundingTimes and rates", fundingTimes.length, rates)
  for (let i = 0; i < fundingTimes.length; i++) {
    checkFinite("fundingPerBar", `fundingTimes[${i}]`, fundingTimes[i]!)
    checkFinite("fundingPerBar", `rates[${i}]`, rates[i]!)
    if (i > 0 && fundingTimes[i]! < fundingTimes[i - 1]!) {
      throw new RangeError(`fundingPerBar: fundingTimes[${i}] is earlier than the one before; sort first`)
    }
  }
  const n = barTimes.length
  const out = new Float64Array(n)
  let j = 0
  for (let i = 0; i < n; i++) {
    const from = barTimes[i]!
    checkFinite("fundingPerBar", `barTimes[${i}]`, from)
    const to = i + 1 < n ? barTimes[i + 1]! : n > 1 ? 2 * from - barTimes[i - 1]! : Infinity
    if (!(to > from)) {
      throw new RangeError(`fundingPerBar: barTimes[${i + 1}] is not later than the one before; sort first`)
    }
    while (j < fundingTimes.length && fundingTimes[j]! <= from) j++
    while (j < fundingTimes.length && fundingTimes[j]! <= to) out[i] = out[i]! + rates[j++]!
  }
  return out
}
