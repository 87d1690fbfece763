/**
 * Perpetuals and futures of a coin: funding, open interest, taker flow, positioning, liquidations, basis.
 */

/** The perpetual market of one coin at one instant, all venues together. */
export interface DerivativesPoint {
  readonly time: number
  /** Funding of the running 8-hour interval as a fraction of notional: 0.0001 is 0.01 %. Above 0 longs pay. */
  readonly fundingRate: number
  /** Open interest in coins, and its value in USD at `markPrice` (the latter moves with price alone too). */
  readonly openInterest: number
  readonly openInterestUsd: number
  /** Taker volume of the five minutes that end at `time`, USD. */
  readonly takerBuyUsd: number
  readonly takerSellUsd: number
  /** Accounts that are long over accounts that are short; above 0. */
  readonly longShortRatio: number
  /** Mark price of the perpetual and the spot index that it follows, USD. */
  readonly markPrice: number
  readonly indexPrice: number
}

/** One settled funding payment. */
export interface FundingPrint {
  /** Settlement instant: 00:00, 08:00 or 16:00 UTC. */
  readonly time: number
  /** Fraction of notional for the interval that ended. */
  readonly fundingRate: number
}

/** Funding of the same perpetual on one venue. */
export interface VenueFunding {
  readonly venue: string
  /** Fraction of notional per interval of this venue. */
  readonly fundingRate: number
  readonly intervalHours: number
  readonly nextFundingAt: number
}

/** A dated future. */
export interface DatedFuture {
  readonly instrument: string
  readonly expiryAt: number
  /** Mark price and index price, USD; basis is their ratio less one. */
  readonly price: number
  readonly indexPrice: number
}

/** A position closed by force. `long` was liquidated by selling, `short` by buying. */
export interface Liquidation {
  readonly time: number
  readonly side: "long" | "short"
  /** Bankruptcy fill, USD per coin. */
  readonly price: number
  readonly sizeUsd: number
}

/** An interval without records that nothing can fill afterwards. */
export interface Gap {
  readonly from: number
  readonly to: number
}

/** Liquidations of a half-open interval, oldest first. */
export interface LiquidationTape {
  readonly events: ReadonlyArray<Liquidation>
  /** Sums over ALL matching liquidations of the interval, those cut from `events` included. */
  readonly longUsd: number
  readonly shortUsd: number
  readonly count: number
  /** True when `events` was cut to the limit; then the newest ones are kept. */
  readonly truncated: boolean
  readonly gaps: ReadonlyArray<Gap>
}
