/** Facts that a venue declares to the contract suites about cases that it has or lacks. */

/** The reason why a venue lacks a case. */
export interface Waiver {
  readonly waived: string
}

export const waive = (reason: string): Waiver => ({ waived: reason })

/**
 * A case that a suite checks, such as an outage, a delisting, or a coin with few facts. A venue either names the case
 * or waives its checks explicitly. Otherwise an adapter that hides such cases would pass.
 */
export type CaseOrWaiver<A> = A | Waiver
