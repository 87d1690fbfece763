/** By what the month's credits are asked for. What spends some says so by it. */
export const usageKey = ["usage"] as const
