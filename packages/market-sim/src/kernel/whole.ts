/** A datum of which nothing is missing: a simulated source tells all that a real one may not. */
export type Whole<A> = { readonly [K in keyof A]: NonNullable<A[K]> }
