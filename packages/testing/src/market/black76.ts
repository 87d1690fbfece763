/**
 * Black's formula for undiscounted options on a forward (Black, "The pricing of commodity contracts", 1976),
 * independent of the tested code. The normal distribution is Abramowitz and Stegun's 26.2.17, accurate to 7.5e-8.
 */
const normalDistribution = (x: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(x))
  const tail = Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)
    * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return x > 0 ? 1 - tail : tail
}

export interface BlackOption {
  readonly forward: number
  readonly strike: number
  readonly years: number
  /** Volatility per year as a fraction: 1 is 100 %. */
  readonly sigma: number
  readonly type: "call" | "put"
}

export const black76 = ({ forward, sigma, strike, type, years }: BlackOption): number => {
  const deviation = sigma * Math.sqrt(years)
  const d1 = Math.log(forward / strike) / deviation + deviation / 2
  const sign = type === "call" ? 1 : -1
  return sign * (forward * normalDistribution(sign * d1) - strike * normalDistribution(sign * (d1 - deviation)))
}
