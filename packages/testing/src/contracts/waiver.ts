/** A statement that a venue lacks a case, with the reason. */
export interface Waiver {
  readonly waived: string
}

export const waive = (reason: string): Waiver => ({ waived: reason })

/**
 * A case that a contract suite checks, such as an outage, or an explicit waiver of the tests. Without explicit waivers,
 * an adapter that hides a case would pass.
 */
export type CaseOrWaiver<A> = A | Waiver
