import { BigDecimal, Schema } from "effect"

/** An exact decimal number for the money, prices and shares of positions. */
export type Decimal = BigDecimal.BigDecimal

/** An exact decimal that is stored as a string. */
export const Decimal = Schema.BigDecimalFromString

/** Converts a number to the shortest decimal that represents the number. */
export const decimal = (value: number): Decimal => BigDecimal.normalize(BigDecimal.fromNumberUnsafe(value))

export const zero: Decimal = decimal(0)

/** Converts a decimal to the nearest number, for results, ratios, multiples and risk statistics. */
export const toNumber = (value: Decimal): number => BigDecimal.toNumberUnsafe(value)

export const numberOrNull = (value: Decimal | null): number | null => value === null ? null : toNumber(value)

/** Formats a decimal. Equal decimals have equal texts. */
export const formatOrNull = (value: Decimal | null): string | null =>
  value === null ? null : BigDecimal.format(BigDecimal.normalize(value))

const usdScale = 8

/** Rounds an amount to 8 decimal places of a dollar, halves away from 0. */
export const toUsd = (value: Decimal): Decimal =>
  BigDecimal.normalize(BigDecimal.round(value, { scale: usdScale, mode: "half-from-zero" }))
