/** The cache key of the month's usage, which every charged call invalidates. */
export const usageKey = ["usage"] as const
