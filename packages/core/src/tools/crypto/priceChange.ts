/** Returns the change from one price to another, in percent. */
export const changePct = (then: number, now: number): number => (now / then - 1) * 100
