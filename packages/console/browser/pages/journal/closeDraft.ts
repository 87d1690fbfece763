import type { Language } from "@tapeline/core/specifications"
import { parseNumber } from "../../i18n/parseNumber.ts"
import { type Fault, numberText } from "./positionDraft.ts"
import type { Position } from "./queries.ts"
import type { CloseArguments } from "./useJournal.ts"

export interface CloseDraft {
  /** The share of the open position to close, in percent. If `share` is `other`, `percent` contains the share. */
  readonly share: "25" | "50" | "75" | "100" | "other"
  readonly percent: string
  readonly exit: string
  readonly fees: string
  readonly notes: string
}

/** Returns the initial fields for closing the whole position at the newest price. */
export const initialCloseDraft = ({ mark }: Pick<Position, "mark">): CloseDraft => ({
  share: "100",
  percent: "",
  exit: numberText(mark),
  fees: "",
  notes: ""
})

type Faults = Readonly<Partial<Record<"percent" | "exit" | "fees", Fault>>>

const faultText = (text: string, value: number | undefined, isRequired: boolean): Fault | undefined =>
  text.trim() === "" ? isRequired ? "missing" : undefined : value === undefined ? "no number" : undefined

/** Parses the fields of a close dialog, and returns undefined arguments if any field has an error. */
export const parseCloseDraft = (
  draft: CloseDraft,
  language: Language,
  id: number
): { readonly args: CloseArguments | undefined; readonly faults: Faults } => {
  const share = draft.share === "other" ? draft.percent : draft.share
  const [percent, exit, fees] = [share, draft.exit, draft.fees].map((text) => parseNumber(text, language))
  const allFaults = {
    percent: faultText(share, percent, true),
    exit: faultText(draft.exit, exit, true),
    fees: faultText(draft.fees, fees, false)
  }
  const faults: Faults = Object.fromEntries(Object.entries(allFaults).filter(([, fault]) => fault !== undefined))
  if (percent === undefined || exit === undefined || Object.keys(faults).length > 0) return { args: undefined, faults }
  const notes = draft.notes.trim()
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
