/**
 * The price adjustments for splits and dividends.
 *
 * - `splits`: prices adjusted for splits but not for dividends, as exchanges and charts show prices.
 * - `all`: prices adjusted for splits and dividends, so that price changes are total returns.
 * - `none`: prices as traded.
 */
// Tool specifications import this file, so the file must not import anything.
export const adjustments = ["splits", "all", "none"] as const
export type Adjustment = (typeof adjustments)[number]
