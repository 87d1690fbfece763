/** A value without missing fields. A simulated source has all fields that a real source may lack. */
export type Complete<A> = { readonly [K in keyof A]: NonNullable<A[K]> }
