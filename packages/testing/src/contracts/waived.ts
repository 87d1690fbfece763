/**
 * What a venue tells its contract suites of cases that it has, or has not.
 */

/** What a venue has no case of, and why. */
export interface Waived {
  readonly waived: string
}

export const waived = (why: string): Waived => ({ waived: why })

/**
 * A case that a suite looks at (an outage, a delisting, a coin of which little is told): a venue names one, or waives
 * the checks of it by name. Without it, an adapter that hides such cases would pass.
 */
export type Known<A> = A | Waived
