/** The reason why a venue has no data for a test. */
export interface Waiver {
  readonly waived: string
}

export const waive = (reason: string): Waiver => ({ waived: reason })

/**
 * A case that a contract suite tests, such as an outage. If a venue lacks the case, the venue must explicitly waive the
 * tests. An implicit waiver would let an adapter hide a case.
 */
export type CaseOrWaiver<A> = A | Waiver
