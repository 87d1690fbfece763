/**
 * The price adjustments for splits and dividends. Specifications import this file, so it has no dependencies.
 *
 * - `splits`: prices in present shares, not adjusted for dividends, as exchanges and charts show prices.
 * - `all`: prices in present shares, also adjusted for dividends, so that price changes are total returns.
 * - `none`: prices as traded.
 */
export const adjustments = ["splits", "all", "none"] as const
export type Adjustment = (typeof adjustments)[number]
