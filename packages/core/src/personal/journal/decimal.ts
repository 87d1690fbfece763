import { BigDecimal, Schema } from "effect"

/** A decimal number, exact: what is money, a price or a part of a position. */
export type Decimal = BigDecimal.BigDecimal

/** A decimal as records have it: written in digits, so that no binary fraction comes between. */
export const Decimal = Schema.BigDecimalFromString

/** A number as its caller wrote it: the shortest decimal that is this number. */
export const decimal = (value: number): Decimal => BigDecimal.normalize(BigDecimal.fromNumberUnsafe(value))

export const zero: Decimal = decimal(0)

/** The nearest number, for results and for what is no money: ratios, multiples, risk over a market's history. */
export const toNumber = (value: Decimal): number => BigDecimal.toNumberUnsafe(value)

export const numberOrNull = (value: Decimal | null): number | null => value === null ? null : toNumber(value)

/** Decimals of a US dollar that amounts are kept to, where they are computed. */
const usdScale = 8

/** An amount to the hundred-millionth of a dollar, halves away from 0. */
export const toUsd = (value: Decimal): Decimal =>
  BigDecimal.normalize(BigDecimal.round(value, { scale: usdScale, mode: "half-from-zero" }))
