import { PgTypes } from "@effect/sql-pg"
import { Result } from "effect"

/** Converts integers to an untyped array literal, which is cheaper than a JavaScript bigint for each integer. */
export const bigints = (values: ReadonlyArray<number | null>): string =>
  `{${values.map((value) => value ?? "null").join(",")}}`

export const int8 = (value: number | null): PgTypes.Parameter => PgTypes.int8(value === null ? null : BigInt(value))

export const texts = (values: ReadonlyArray<string | null> | null): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.text))

export const float8s = (values: ReadonlyArray<number | null>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, PgTypes.OID.float8))

export const booleans = (values: ReadonlyArray<boolean>): string => `{${values.join(",")}}`
