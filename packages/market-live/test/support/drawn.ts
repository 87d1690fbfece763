import { seed } from "@tapeline/testing/seed"

/**
 * Returns one of several values, selected by the seed of the run and by `nth`. Successive values of `nth` select
 * different values.
 */
export const pickBySeed = <A>(nth: number, all: ReadonlyArray<A>): A => all[(seed + nth) % all.length]!
