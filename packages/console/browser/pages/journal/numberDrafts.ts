import type { Language } from "@tapeline/core/specifications"
import { parseList, parseNumber } from "../../i18n/parseNumber.ts"
import { type Fault, numberText } from "./positionDraft.ts"
import type { Profile } from "./queries.ts"

type Numbers<Name extends string> = Readonly<Partial<Record<Name, number>>>
type Faults<Name extends string> = Readonly<Partial<Record<Name, Fault>>>

/** Parses the numbers in form fields, and returns the numbers and the errors by field name, without empty fields. */
export const parseNumbers = <Name extends string>(
  draft: Readonly<Record<Name, string>>,
  names: ReadonlyArray<Name>,
  language: Language,
  required: ReadonlyArray<Name> = []
): { readonly numbers: Numbers<Name>; readonly faults: Faults<Name> } => {
  const numbers: { [Key in Name]?: number } = {}
  const faults: { [Key in Name]?: Fault } = {}
  for (const name of names) {
    const value = parseNumber(draft[name], language)
    if (value !== undefined) numbers[name] = value
    else if (draft[name].trim() !== "") faults[name] = "no number"
    else if (required.includes(name)) faults[name] = "missing"
  }
  return { numbers, faults }
}

export const profileFields = ["account_usd", "risk_pct", "max_leverage", "max_open_risk_pct"] as const
export type ProfileField = typeof profileFields[number]
export type ProfileDraft = Readonly<Record<ProfileField, string>>

export const toProfileDraft = (profile: Profile): ProfileDraft => ({
  account_usd: numberText(profile.account_usd),
  risk_pct: numberText(profile.risk_pct),
  max_leverage: numberText(profile.max_leverage),
  max_open_risk_pct: numberText(profile.max_open_risk_pct)
})

/**
 * Returns the changed values of a risk profile. Reports an error for an emptied field, because stored values cannot be
 * removed.
 */
export const parseProfileDraft = (
  draft: ProfileDraft,
  before: Profile,
  language: Language
): { readonly changes: Numbers<ProfileField>; readonly faults: Faults<ProfileField> } => {
  const { faults, numbers } = parseNumbers(draft, profileFields, language)
  const emptiedFields = profileFields.filter((name) => draft[name].trim() === "" && before[name] !== null)
  return {
    changes: Object.fromEntries(
      Object.entries(numbers).filter(([name, value]) =>
        profileFields.some((field) => field === name && before[field] !== value)
      )
    ),
    faults: { ...faults, ...Object.fromEntries(emptiedFields.map((name) => [name, "cannot remove"] as const)) }
  }
}

export const sizingFields = ["entry", "stop", "account_usd", "risk_pct", "leverage"] as const
export type SizingField = typeof sizingFields[number]
export type SizingDraft = Readonly<Record<SizingField | "targets", string>>

export const emptySizing: SizingDraft = {
  entry: "",
  stop: "",
  account_usd: "",
  risk_pct: "",
  leverage: "",
  targets: ""
}

export interface SizingArguments extends Numbers<SizingField> {
  readonly entry: number
  readonly stop: number
  readonly targets?: ReadonlyArray<number>
}

/** Parses the fields of the position size calculator, and returns undefined arguments if any field has an error. */
export const parseSizingDraft = (
  draft: SizingDraft,
  language: Language
): { readonly args: SizingArguments | undefined; readonly faults: Faults<SizingField | "targets"> } => {
  const { faults, numbers } = parseNumbers<SizingField>(draft, sizingFields, language, ["entry", "stop"])
  const targets = parseList(draft.targets).map((text) => parseNumber(text, language))
  const validTargets = targets.filter((target) => target !== undefined)
  const allFaults: Faults<SizingField | "targets"> = validTargets.length < targets.length
    ? { ...faults, targets: "no number" }
    : faults
  const { entry, stop } = numbers
  if (entry === undefined || stop === undefined || Object.keys(allFaults).length > 0) {
    return { args: undefined, faults: allFaults }
  }
  return {
    args: { ...numbers, entry, stop, ...(validTargets.length === 0 ? {} : { targets: validTargets }) },
    faults: allFaults
  }
}
