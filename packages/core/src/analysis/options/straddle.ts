import { black76 } from "@tapeline/quant/options"

/**
 * Returns the undiscounted price of the straddle at the forward, percent of the forward. It is the mean absolute move
 * of a price whose mean is the forward: `100 E|S_T / F - 1|`. `deviation` is the standard deviation of the log price
 * over the period. Source: F. Black, The pricing of commodity contracts (1976).
 */
export const straddlePct = (deviation: number): number =>
  200 * black76({ forward: 1, strike: 1, years: 1, sigma: deviation, type: "call" }).price
