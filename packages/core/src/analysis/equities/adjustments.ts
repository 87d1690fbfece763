/**
 * How prices before a split or a dividend are told: `splits` in shares of now, dividends left in, as exchanges and
 * charts have them; `all` besides with dividends taken off, so that changes are total returns; `none` as traded.
 * Specifications read it, so it stands on nothing.
 */
export const adjustments = ["splits", "all", "none"] as const
export type Adjustment = (typeof adjustments)[number]
