import type { Types } from "effect"

type KeysOf<T> = T extends unknown ? keyof T : never

type ValueAt<T, Key> = T extends unknown ? Key extends keyof T ? T[Key] : never : never

type Item<T> = T extends ReadonlyArray<infer One> ? One : never

type Scalar = string | number | bigint | boolean | symbol | null | undefined

/** The names of the fields in `A`, at any depth, that `T` does not have; `never` if `A` has no extra fields. */
type Excess<A, T> = Types.Equals<A, T> extends true ? never
  : unknown extends T ? never
  : A extends Scalar ? never
  : A extends ReadonlyArray<infer One> ? Excess<One, Item<T>>
  : A extends object ?
    Exclude<keyof A, KeysOf<T>> | { [Key in keyof A & KeysOf<T>]: Excess<A[Key], ValueAt<T, Key>> }[keyof A & KeysOf<T>]
  : never

/** Rejects an argument of type `A` that has a field which `T` lacks, such as a misspelt optional field. */
export type Exactly<A, T> = [Excess<A, T>] extends [never] ? unknown
  : { readonly "fields that the result does not have": Excess<A, T> }
