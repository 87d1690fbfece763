/** The CSS class of a bias, for its colour. */
export const biasClasses = { bullish: "up", bearish: "down", neutral: "soft" } as const
