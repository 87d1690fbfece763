import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/**
 * Whole numbers as an array. Written as a literal without a type, which the statement's own type then reads: cheaper
 * than a bigint of JavaScript for each.
 */
export const bigints = (values: ReadonlyArray<number | null>): string =>
  `{${values.map((value) => value ?? "null").join(",")}}`

/** A whole number, or null. */
export const int8 = (value: number | null): PgTypes.Parameter => PgTypes.int8(value === null ? null : BigInt(value))

/** Texts as an array, or null. */
export const texts = (values: ReadonlyArray<string | null> | null): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

/** Numbers as an array. */
export const float8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.float8))

/** True and false as an array, as a literal. */
export const booleans = (values: ReadonlyArray<boolean>): string => `{${values.join(",")}}`
