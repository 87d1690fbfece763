import type { Types } from "effect"

/** Every key that some member of a union has. */
type KeysOf<T> = T extends unknown ? keyof T : never

/** What a key holds in those members of a union that have it. */
type At<T, Key> = T extends unknown ? Key extends keyof T ? T[Key] : never : never

type Item<T> = T extends ReadonlyArray<infer One> ? One : never

type Scalar = string | number | bigint | boolean | symbol | null | undefined

/** The names of `A`, at any depth, that `T` does not have. Never, for a value that is no wider than its type. */
type Excess<A, T> = Types.Equals<A, T> extends true ? never
  : unknown extends T ? never
  : A extends Scalar ? never
  : A extends ReadonlyArray<infer One> ? Excess<One, Item<T>>
  : A extends object ?
    Exclude<keyof A, KeysOf<T>> | { [Key in keyof A & KeysOf<T>]: Excess<A[Key], At<T, Key>> }[keyof A & KeysOf<T>]
  : never

/**
 * What an argument of type `A` must be besides, to have no field that `T` does not have: TypeScript takes a value with
 * too many fields for one of a type, so that a misspelt optional field would compile.
 */
export type Exactly<A, T> = [Excess<A, T>] extends [never] ? unknown
  : { readonly "fields that the result does not have": Excess<A, T> }
