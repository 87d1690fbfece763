/** The type of a message in any language, derived from the English message. */
export type Widen<A> = A extends string ? string : A extends (p: infer P) => string ? (p: P) => string : never
