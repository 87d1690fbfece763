/** Change from one price to another, percent. */
export const changePct = (then: number, now: number): number => (now / then - 1) * 100
