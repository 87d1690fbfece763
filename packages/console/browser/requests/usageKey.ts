/** The cache key of the month's usage. Calls that cost credits invalidate it. */
export const usageKey = ["usage"] as const
