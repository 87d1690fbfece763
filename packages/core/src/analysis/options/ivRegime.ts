/** The lowest, middle and highest third of a year's implied volatilities. */
export const ivRegimes = ["low", "mid", "high"] as const
export type IvRegime = (typeof ivRegimes)[number]
