/** Parses trades of officers, directors and large owners, each reported in one XML document (form 4). */
import type { InsiderTrade, InsiderTradeKind } from "@tapeline/core/market"
import { Schema, SchemaTransformation } from "effect"
import { makeXmlParser, Name } from "../source/index.ts"
import { startOfNewYorkDay } from "./filingTimes.ts"

/** A decimal number whose digits before or after the point may be missing. */
const Amount = Schema.String.check(
  Schema.isPattern(/^(\d{1,20}(\.\d{0,20})?|\.\d{1,20})$/u, { expected: "an amount" })
).pipe(Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString))

/** Returns the schema of an element with an optional value. An element without a value may contain a footnote. */
const optionalValue = <A extends Schema.Top>(value: A) =>
  Schema.Union([Schema.Literal(""), Schema.Struct({ value: Schema.optionalKey(value) })])

const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text.slice(0, 10)))
/** The date of a trade, to which some forms add a time zone. */
const TradeDate = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d\d-\d\d(Z|[+-]\d\d:\d\d)?$/u, { expected: "a date" }),
  Schema.makeFilter(isDate, { expected: "a date" })
)

const Flag = Schema.optionalKey(Schema.Literals(["0", "1", "true", "false", ""]))
const Words = Schema.optionalKey(Schema.Union([Schema.Literal(""), Name]))

const Owner = Schema.Struct({
  reportingOwnerId: Schema.Struct({ rptOwnerName: Name }),
  reportingOwnerRelationship: Schema.optionalKey(Schema.Union([
    Schema.Literal(""),
    Schema.Struct({ isDirector: Flag, isOfficer: Flag, isTenPercentOwner: Flag, officerTitle: Words, otherText: Words })
  ]))
})

const Transaction = Schema.Struct({
  transactionDate: Schema.Struct({ value: TradeDate }),
  transactionCoding: Schema.Struct({
    transactionCode: Schema.String.check(Schema.isPattern(/^[A-Z]$/u, { expected: "a letter" }))
  }),
  transactionAmounts: Schema.Struct({
    transactionShares: optionalValue(Amount),
    transactionPricePerShare: Schema.optionalKey(optionalValue(Amount))
  })
})
type Transaction = typeof Transaction.Type

export const Form4 = Schema.Struct({
  ownershipDocument: Schema.Struct({
    documentType: Schema.Literals(["4", "4/A"]),
    issuer: Schema.Struct({
      issuerCik: Schema.String.check(Schema.isPattern(/^\d{1,10}$/u, { expected: "a number of a company" }))
    }),
    reportingOwner: Schema.NonEmptyArray(Owner),
    /** The insiders' trades in shares, including shares from exercised derivatives. */
    nonDerivativeTable: Schema.optionalKey(Schema.Union([
      Schema.Literal(""),
      Schema.Struct({ nonDerivativeTransaction: Schema.optionalKey(Schema.Array(Transaction)) })
    ]))
  })
})
type Form4 = typeof Form4.Type

export const parseForm4 = makeXmlParser(["reportingOwner", "nonDerivativeTransaction"])

const kinds: Readonly<Record<string, InsiderTradeKind>> = {
  P: "buy",
  S: "sell",
  A: "grant",
  M: "exercise",
  O: "exercise",
  X: "exercise",
  G: "gift"
}

const isYes = (flag: string | undefined): boolean => flag === "1" || flag === "true"

const roleOf = ({ reportingOwnerRelationship: relationship }: typeof Owner.Type): string => {
  if (relationship === undefined || relationship === "") return "Insider"
  const { isDirector, isOfficer, isTenPercentOwner, officerTitle, otherText } = relationship
  const title = officerTitle === undefined || officerTitle === "" ? "Officer" : officerTitle
  const roles = [
    ...(isYes(isOfficer) ? [title] : []),
    ...(isYes(isDirector) ? ["Director"] : []),
    ...(isYes(isTenPercentOwner) ? ["10% Owner"] : [])
  ]
  return roles.length > 0 ? roles.join(", ") : otherText === undefined || otherText === "" ? "Insider" : otherText
}

const valueOf = (amount: Transaction["transactionAmounts"]["transactionPricePerShare"]): number | null =>
  amount === undefined || amount === "" ? null : amount.value ?? null

/** Returns the trades of one form, without rows that lack a number of shares, and with null for a price of 0. */
const tradesOfForm = ({ ownershipDocument: form }: Form4, filedAt: number): ReadonlyArray<InsiderTrade> => {
  // Owners who report together, such as a fund and its manager, report the same trades.
  const [owner] = form.reportingOwner
  const { nonDerivativeTable: table } = form
  const rows = table === undefined || table === "" ? [] : table.nonDerivativeTransaction ?? []
  return rows.flatMap(({ transactionAmounts, transactionCoding, transactionDate }) => {
    const shares = valueOf(transactionAmounts.transactionShares)
    if (shares === null || shares === 0) return []
    const price = valueOf(transactionAmounts.transactionPricePerShare)
    return [{
      time: Math.min(startOfNewYorkDay(Date.parse(transactionDate.value.slice(0, 10))), filedAt),
      filedAt,
      name: owner.reportingOwnerId.rptOwnerName,
      role: roleOf(owner),
      kind: kinds[transactionCoding.transactionCode] ?? "other",
      shares,
      price: price === 0 ? null : price
    }]
  })
}

export interface FiledForm4 {
  readonly form: Form4
  readonly filedAt: number
}

/**
 * Returns whether a trade of an amended form replaces an earlier trade. The two trades must have the same person, day
 * and kind, and the same number of shares or price.
 */
const isAmended = (before: InsiderTrade, amended: InsiderTrade): boolean =>
  before.filedAt < amended.filedAt && before.name === amended.name && before.time === amended.time &&
  before.kind === amended.kind && (before.shares === amended.shares || before.price === amended.price)

/**
 * Returns the insider trades in the company's shares by filing time, where amended trades replace the original trades.
 */
export const toInsiderTrades = (forms: ReadonlyArray<FiledForm4>, cik: number): ReadonlyArray<InsiderTrade> => {
  // A company's filings also contain its own trades in other companies.
  const own = forms.filter(({ form }) => Number(form.ownershipDocument.issuer.issuerCik) === cik)
  const amendments = own.filter(({ form }) => form.ownershipDocument.documentType === "4/A")
    .flatMap(({ filedAt, form }) => tradesOfForm(form, filedAt))
  return own
    .flatMap(({ filedAt, form }) => tradesOfForm(form, filedAt))
    .filter((trade) => !amendments.some((amended) => isAmended(trade, amended)))
    .toSorted((a, b) => a.filedAt - b.filedAt || a.name.localeCompare(b.name))
}
