/**
 * The adjustments of prices before a split or a dividend. Specifications import this file, so it has no dependencies.
 *
 * - `splits`: in present shares, dividends included, as exchanges and charts show prices.
 * - `all`: also minus dividends, so that changes are total returns.
 * - `none`: as traded.
 */
export const adjustments = ["splits", "all", "none"] as const
export type Adjustment = (typeof adjustments)[number]
