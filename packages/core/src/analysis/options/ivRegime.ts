/** The terciles of a year's implied volatility. */
export const ivRegimes = ["low", "mid", "high"] as const
export type IvRegime = (typeof ivRegimes)[number]
