/** An object whose fields are all present, because simulated data includes fields that a real source may omit. */
export type Complete<A> = { readonly [K in keyof A]: NonNullable<A[K]> }
