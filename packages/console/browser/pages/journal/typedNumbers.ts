import type { Language } from "@tapeline/core/specifications"
import { listIn, numberIn } from "../../words/typed.ts"
import type { Profile } from "./asks.ts"
import { type Fault, typedNumber } from "./typedPosition.ts"

type Numbers<Name extends string> = Readonly<Partial<Record<Name, number>>>
type Faults<Name extends string> = Readonly<Partial<Record<Name, Fault>>>

/** The numbers in the fields by name, and the faults. Empty fields are left out. */
export const numbersIn = <Name extends string>(
  typed: Readonly<Record<Name, string>>,
  names: ReadonlyArray<Name>,
  language: Language,
  required: ReadonlyArray<Name> = []
): { readonly numbers: Numbers<Name>; readonly faults: Faults<Name> } => {
  const numbers: { [Key in Name]?: number } = {}
  const faults: { [Key in Name]?: Fault } = {}
  for (const name of names) {
    const value = numberIn(typed[name], language)
    if (value !== undefined) numbers[name] = value
    else if (typed[name].trim() !== "") faults[name] = "no number"
    else if (required.includes(name)) faults[name] = "missing"
  }
  return { numbers, faults }
}

export const profileFields = ["account_usd", "risk_pct", "max_leverage", "max_open_risk_pct"] as const
export type ProfileField = typeof profileFields[number]
export type TypedProfile = Readonly<Record<ProfileField, string>>

export const typedProfile = (profile: Profile): TypedProfile => ({
  account_usd: typedNumber(profile.account_usd),
  risk_pct: typedNumber(profile.risk_pct),
  max_leverage: typedNumber(profile.max_leverage),
  max_open_risk_pct: typedNumber(profile.max_open_risk_pct)
})

/** The changed values of a risk profile. A stored value can be changed but not removed. */
export const changedProfile = (
  typed: TypedProfile,
  before: Profile,
  language: Language
): { readonly changes: Numbers<ProfileField>; readonly faults: Faults<ProfileField> } => {
  const { faults, numbers } = numbersIn(typed, profileFields, language)
  const emptied = profileFields.filter((name) => typed[name].trim() === "" && before[name] !== null)
  return {
    changes: Object.fromEntries(
      Object.entries(numbers).filter(([name, value]) =>
        profileFields.some((field) => field === name && before[field] !== value)
      )
    ),
    faults: { ...faults, ...Object.fromEntries(emptied.map((name) => [name, "stays"] as const)) }
  }
}

export const sizingFields = ["entry", "stop", "account_usd", "risk_pct", "leverage"] as const
export type SizingField = typeof sizingFields[number]
export type TypedSizing = Readonly<Record<SizingField | "targets", string>>

export const emptySizing: TypedSizing = {
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

/** The arguments for computing a size; undefined if a field has a fault. */
export const sizingOf = (
  typed: TypedSizing,
  language: Language
): { readonly args: SizingArguments | undefined; readonly faults: Faults<SizingField | "targets"> } => {
  const { faults, numbers } = numbersIn<SizingField>(typed, sizingFields, language, ["entry", "stop"])
  const targets = listIn(typed.targets).map((text) => numberIn(text, language))
  const known = targets.filter((target) => target !== undefined)
  const all: Faults<SizingField | "targets"> = known.length < targets.length
    ? { ...faults, targets: "no number" }
    : faults
  const { entry, stop } = numbers
  if (entry === undefined || stop === undefined || Object.keys(all).length > 0) return { args: undefined, faults: all }
  return { args: { ...numbers, entry, stop, ...(known.length === 0 ? {} : { targets: known }) }, faults: all }
}
