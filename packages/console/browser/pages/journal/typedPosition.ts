import type { Language } from "@tapeline/core/specifications"
import { listIn, numberIn } from "../../words/typed.ts"
import type { Recorded } from "./asks.ts"

/** The text in the fields of a position. */
export interface TypedPosition {
  readonly coin: string
  readonly side: "long" | "short"
  readonly size_usd: string
  readonly entry: string
  readonly stop: string
  readonly leverage: string
  readonly takes: string
  readonly notes: string
}

export const numberFields = ["size_usd", "entry", "stop", "leverage"] as const

/** A fault of a field: it is empty, it is not a number, or a recorded value cannot be removed. */
export type Fault = "missing" | "no number" | "stays"

export const emptyPosition: TypedPosition = {
  coin: "",
  side: "long",
  size_usd: "",
  entry: "",
  stop: "",
  leverage: "",
  takes: "",
  notes: ""
}

/** A number as the text of a field, which is read again as the same number. */
export const typedNumber = (value: number | null | undefined): string =>
  value === null || value === undefined ? "" : String(value)

/** The fields of a recorded position. */
export const typedOf = (position: Recorded): TypedPosition => ({
  coin: position.coin,
  side: position.side,
  size_usd: typedNumber(position.size_usd),
  entry: typedNumber(position.entry),
  stop: typedNumber(position.stop),
  leverage: typedNumber(position.leverage),
  takes: position.takes.map(String).join("; "),
  notes: position.notes ?? ""
})

interface Fields {
  readonly size_usd?: number
  readonly entry?: number
  readonly stop?: number
  readonly leverage?: number
  readonly takes?: ReadonlyArray<number>
  readonly notes?: string
}

export interface PositionArguments extends Fields {
  readonly coin: string
  readonly side: "long" | "short"
}

type Faults = Readonly<Partial<Record<keyof TypedPosition, Fault>>>

/** The fields as arguments. Only values that differ from `before`, the recorded position, are included. */
const fieldsOf = (typed: TypedPosition, language: Language, before: TypedPosition) => {
  const fields: { -readonly [Name in keyof Fields]: Fields[Name] } = {}
  const faults: { -readonly [Name in keyof Faults]: Faults[Name] } = {}
  for (const name of numberFields) {
    const text = typed[name].trim()
    if (text === before[name].trim()) continue
    const value = numberIn(text, language)
    if (text === "") faults[name] = "stays"
    else if (value === undefined) faults[name] = "no number"
    else fields[name] = value
  }
  if (typed.takes.trim() !== before.takes.trim()) {
    const takes = listIn(typed.takes).map((text) => numberIn(text, language))
    if (takes.includes(undefined)) faults.takes = "no number"
    else fields.takes = takes.filter((take) => take !== undefined)
  }
  if (typed.notes.trim() !== before.notes.trim()) fields.notes = typed.notes.trim()
  return { fields, faults }
}

/** The arguments of a new position, and the faults. With a fault, nothing must be sent. */
export const newPosition = (
  typed: TypedPosition,
  language: Language
): { readonly args: PositionArguments; readonly faults: Faults } => {
  const { faults, fields } = fieldsOf(typed, language, emptyPosition)
  const coin = typed.coin.trim().toUpperCase()
  return {
    args: { coin, side: typed.side, ...fields },
    faults: coin === "" ? { ...faults, coin: "missing" } : faults
  }
}

/** The arguments of a change, and the faults; undefined if nothing changed. */
export const changedPosition = (
  typed: TypedPosition,
  language: Language,
  before: Recorded
): { readonly args: Fields & { readonly id: number } | undefined; readonly faults: Faults } => {
  const { faults, fields } = fieldsOf(typed, language, typedOf(before))
  return { args: Object.keys(fields).length === 0 ? undefined : { id: before.id, ...fields }, faults }
}
