/** The cache key of the month's usage. Every charged call invalidates the cached usage. */
export const usageKey = ["usage"] as const
