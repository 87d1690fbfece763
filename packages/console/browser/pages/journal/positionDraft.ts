import type { Language } from "@tapeline/core/specifications"
import { parseList, parseNumber } from "../../i18n/parseNumber.ts"
import type { RecordedPosition } from "./queries.ts"

export interface PositionDraft {
  readonly coin: string
  readonly side: "long" | "short"
  readonly size_usd: string
  readonly entry: string
  readonly stop: string
  readonly leverage: string
  readonly targets: string
  readonly notes: string
}

export const numberFields = ["size_usd", "entry", "stop", "leverage"] as const

export type Fault = "missing" | "no number" | "cannot remove"

export const emptyPosition: PositionDraft = {
  coin: "",
  side: "long",
  size_usd: "",
  entry: "",
  stop: "",
  leverage: "",
  targets: "",
  notes: ""
}

export const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : String(value)

export const toPositionDraft = (position: RecordedPosition): PositionDraft => ({
  coin: position.coin,
  side: position.side,
  size_usd: numberText(position.size_usd),
  entry: numberText(position.entry),
  stop: numberText(position.stop),
  leverage: numberText(position.leverage),
  targets: position.takes.map(String).join("; "),
  notes: position.notes ?? ""
})

interface PositionValues {
  readonly size_usd?: number
  readonly entry?: number
  readonly stop?: number
  readonly leverage?: number
  readonly takes?: ReadonlyArray<number>
  readonly notes?: string
}

export interface PositionArguments extends PositionValues {
  readonly coin: string
  readonly side: "long" | "short"
}

type Faults = Readonly<Partial<Record<keyof PositionDraft, Fault>>>

/** Converts changed form fields to tool arguments. Omits the fields that equal the recorded position `before`. */
const changedFields = (draft: PositionDraft, language: Language, before: PositionDraft) => {
  const fields: { -readonly [Name in keyof PositionValues]: PositionValues[Name] } = {}
  const faults: { -readonly [Name in keyof Faults]: Faults[Name] } = {}
  for (const name of numberFields) {
    const text = draft[name].trim()
    if (text === before[name].trim()) continue
    const value = parseNumber(text, language)
    if (text === "") faults[name] = "cannot remove"
    else if (value === undefined) faults[name] = "no number"
    else fields[name] = value
  }
  if (draft.targets.trim() !== before.targets.trim()) {
    const targets = parseList(draft.targets).map((text) => parseNumber(text, language))
    if (targets.includes(undefined)) faults.targets = "no number"
    else fields.takes = targets.filter((target) => target !== undefined)
  }
  if (draft.notes.trim() !== before.notes.trim()) fields.notes = draft.notes.trim()
  return { fields, faults }
}

/** Returns the arguments of a new position, and the errors by field. */
export const parseNewPosition = (
  draft: PositionDraft,
  language: Language
): { readonly args: PositionArguments; readonly faults: Faults } => {
  const { faults, fields } = changedFields(draft, language, emptyPosition)
  const coin = draft.coin.trim().toUpperCase()
  return {
    args: { coin, side: draft.side, ...fields },
    faults: coin === "" ? { ...faults, coin: "missing" } : faults
  }
}

/** Returns the arguments of a changed position, undefined if nothing changed, and the errors by field. */
export const parseChangedPosition = (
  draft: PositionDraft,
  language: Language,
  before: RecordedPosition
): { readonly args: PositionValues & { readonly id: number } | undefined; readonly faults: Faults } => {
  const { faults, fields } = changedFields(draft, language, toPositionDraft(before))
  return { args: Object.keys(fields).length === 0 ? undefined : { id: before.id, ...fields }, faults }
}
