/** Facts about cases that a venue has or lacks. A venue declares the facts to the contract test suites. */

/** A statement that a venue lacks a case, with the reason. */
export interface Waiver {
  readonly waived: string
}

export const waive = (reason: string): Waiver => ({ waived: reason })

/**
 * A case that a contract suite checks, such as an outage, a delisting, or a coin with few facts. A venue either names
 * the case or waives its tests explicitly. Without explicit waivers, an adapter that hides a case would pass.
 */
export type CaseOrWaiver<A> = A | Waiver
