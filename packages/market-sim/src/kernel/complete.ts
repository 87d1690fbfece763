/**
 * The type `A` without null or undefined in its fields. Simulated data includes all fields that a real source may omit.
 */
export type Complete<A> = { readonly [K in keyof A]: NonNullable<A[K]> }
