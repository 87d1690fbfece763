import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/**
 * Converts integers to an array literal without a type, which the statement casts. This is cheaper than a JavaScript
 * bigint for each number.
 */
export const bigints = (values: ReadonlyArray<number | null>): string =>
  `{${values.map((value) => value ?? "null").join(",")}}`

/** Converts an integer, or null. */
export const int8 = (value: number | null): PgTypes.Parameter => PgTypes.int8(value === null ? null : BigInt(value))

/** Converts texts to an array, or null. */
export const texts = (values: ReadonlyArray<string | null> | null): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

/** Converts numbers to an array. */
export const float8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.float8))

/** Converts booleans to an array literal. */
export const booleans = (values: ReadonlyArray<boolean>): string => `{${values.join(",")}}`
