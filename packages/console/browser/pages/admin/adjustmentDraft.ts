import type { NewAdjustment } from "@tapeline/client/admin"

export type AdjustmentKind = NewAdjustment["kind"]

/** The texts of the form for an adjustment. */
export interface AdjustmentDraft {
  readonly kind: AdjustmentKind
  readonly amount: string
  readonly month: string
  readonly months: string
  readonly callId: string
  readonly reason: string
  readonly reference: string
  readonly allowsNegative: boolean
}

export type AdjustmentField = "amount" | "month" | "months" | "callId" | "reason"

export type DraftResult =
  | { readonly adjustment: NewAdjustment }
  | { readonly invalid: ReadonlySet<AdjustmentField> }

export const emptyDraft: AdjustmentDraft = {
  kind: "grant",
  amount: "",
  month: "",
  months: "",
  callId: "",
  reason: "",
  reference: "",
  allowsNegative: false
}

/**
 * Parses a whole number without group separators. A separator is ambiguous between languages, and a misread amount of
 * credits costs money.
 */
const parseWhole = (text: string): number | undefined => {
  const value = /^-?\d{1,16}$/.test(text.trim()) ? Number(text) : NaN
  return Number.isSafeInteger(value) ? value : undefined
}

const isMonth = (text: string): boolean => /^2\d{3}-(0[1-9]|1[0-2])$/.test(text)

const optional = <Name extends string, Value>(
  name: Name,
  value: Value | undefined
): { readonly [N in Name]?: Value } =>
  // The cast is safe because the object has the one property of its type, or none.
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: Value }

/** Returns the adjustment of a form, or the fields with invalid texts. */
export const readDraft = (draft: AdjustmentDraft): DraftResult => {
  const texts = { amount: draft.amount.trim(), month: draft.month.trim(), months: draft.months.trim() }
  const amount = parseWhole(texts.amount)
  const months = texts.months === "" ? undefined : parseWhole(texts.months)
  const callId = draft.callId.trim()
  const reason = draft.reason.trim()
  const isAmountValid = draft.kind === "refund" && texts.amount === "" ||
    amount !== undefined && (draft.kind === "correction" ? amount !== 0 : amount > 0)
  const isValid: Readonly<Record<AdjustmentField, boolean>> = {
    amount: isAmountValid,
    month: draft.kind === "refund" || texts.month === "" || isMonth(texts.month),
    months: draft.kind !== "grant" || texts.months === "" || months !== undefined && months >= 1 && months <= 120,
    callId: draft.kind !== "refund" || /^call_\d{6}_\d{1,15}$/.test(callId),
    reason: reason !== ""
  }
  // The cast is safe because `Object.keys` returns the names of the fields.
  const invalid = (Object.keys(isValid) as ReadonlyArray<AdjustmentField>).filter((field) => !isValid[field])
  if (invalid.length > 0) return { invalid: new Set(invalid) }
  const notes = { reason, ...optional("reference", draft.reference.trim() === "" ? undefined : draft.reference.trim()) }
  const month = optional("month", texts.month === "" ? undefined : texts.month)
  switch (draft.kind) {
    case "grant":
      return { adjustment: { kind: "grant", amount: amount!, ...month, ...optional("months", months), ...notes } }
    case "refund":
      return { adjustment: { kind: "refund", call_id: callId, ...optional("amount", amount), ...notes } }
    case "correction":
      return {
        adjustment: {
          kind: "correction",
          amount: amount!,
          ...month,
          ...optional("allow_negative", draft.allowsNegative ? true : undefined),
          ...notes
        }
      }
  }
}
