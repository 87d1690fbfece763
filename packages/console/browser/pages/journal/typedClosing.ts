import type { Language } from "@tapeline/core/specifications"
import { numberIn } from "../../words/typed.ts"
import type { Position } from "./asks.ts"
import { type Fault, typedNumber } from "./typedPosition.ts"
import type { Closing } from "./useJournal.ts"

/** The text in the fields of a close. */
export interface TypedClosing {
  /** Percent of the open size; `other` refers to the field `percent`. */
  readonly share: "25" | "50" | "75" | "100" | "other"
  readonly percent: string
  readonly exit: string
  readonly fees: string
  readonly notes: string
}

/** A close of the whole position at the newest price. */
export const beginClosing = ({ mark }: Pick<Position, "mark">): TypedClosing => ({
  share: "100",
  percent: "",
  exit: typedNumber(mark),
  fees: "",
  notes: ""
})

type Faults = Readonly<Partial<Record<"percent" | "exit" | "fees", Fault>>>

const faultOf = (text: string, value: number | undefined, isRequired: boolean): Fault | undefined =>
  text.trim() === "" ? isRequired ? "missing" : undefined : value === undefined ? "no number" : undefined

/** The arguments of a close; undefined if a field has a fault. */
export const closingOf = (
  typed: TypedClosing,
  language: Language,
  id: number
): { readonly args: Closing | undefined; readonly faults: Faults } => {
  const share = typed.share === "other" ? typed.percent : typed.share
  const [percent, exit, fees] = [share, typed.exit, typed.fees].map((text) => numberIn(text, language))
  const found = {
    percent: faultOf(share, percent, true),
    exit: faultOf(typed.exit, exit, true),
    fees: faultOf(typed.fees, fees, false)
  }
  const faults: Faults = Object.fromEntries(Object.entries(found).filter(([, fault]) => fault !== undefined))
  if (percent === undefined || exit === undefined || Object.keys(faults).length > 0) return { args: undefined, faults }
  const notes = typed.notes.trim()
  return {
    args: {
      id,
      exit,
      fraction: percent / 100,
      ...(fees === undefined ? {} : { fees_usd: fees }),
      ...(notes === "" ? {} : { notes })
    },
    faults
  }
}
