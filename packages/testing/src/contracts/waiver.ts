/** The reason why a venue lacks the data that a test needs. */
export interface Waiver {
  readonly waived: string
}

export const waive = (reason: string): Waiver => ({ waived: reason })

/**
 * A case that a contract suite tests, such as an outage. If a venue lacks the case, the venue must explicitly waive the
 * tests. A case that could be omitted without a waiver would let an adapter hide missing data.
 */
export type CaseOrWaiver<A> = A | Waiver
