/** The reason why a venue lacks a test case. */
export interface Waiver {
  readonly waived: string
}

export const waive = (reason: string): Waiver => ({ waived: reason })

/**
 * A case that a contract suite tests, such as an outage. A venue that lacks the case waives the tests explicitly. If
 * waivers were implicit, an adapter that hides a case would pass the suite.
 */
export type CaseOrWaiver<A> = A | Waiver
