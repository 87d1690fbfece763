/** The number of earlier sessions among which the volatility index VIX is ranked. */
export const rankedVixSessions = 60
