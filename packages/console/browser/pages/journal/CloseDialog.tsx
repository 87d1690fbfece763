import { type SubmitEvent, useState } from "react"
import { usePriced } from "../../asking/usePriced.ts"
import type { Refused } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { Made } from "../../widgets/Made.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useLanguage } from "../../words/Languages.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import type { Position } from "./asks.ts"
import { NumberInput, useFault } from "./fields.tsx"
import { formWords } from "./formWords.ts"
import styles from "./Journal.module.css"
import { profitAt } from "./journal.ts"
import { beginClosing, closingOf, type TypedClosing } from "./typedClosing.ts"
import { type Closing, useClose } from "./useJournal.ts"

const Share = ({ change, fault, typed }: {
  readonly typed: TypedClosing
  readonly change: (part: Partial<TypedClosing>) => void
  readonly fault: string | undefined
}) => {
  const says = useWords(formWords)
  return (
    <>
      <div className={forms["group"]}>
        <span className={forms["label"]}>{says.share}</span>
        <Chips<TypedClosing["share"]>
          label={says.share}
          chosen={typed.share}
          onChange={(share) => change({ share })}
          options={[
            { value: "25", label: "25%" },
            { value: "50", label: "50%" },
            { value: "75", label: "75%" },
            { value: "100", label: says.all },
            { value: "other", label: says.other }
          ]}
        />
      </div>
      {typed.share === "other" && (
        <NumberInput
          label={says.percent}
          type={says.percentType}
          value={typed.percent}
          onChange={(percent) => change({ percent })}
          fault={fault}
        />
      )}
    </>
  )
}

const Prices = ({ change, faults, mark, refused, typed }: {
  readonly typed: TypedClosing
  readonly change: (part: Partial<TypedClosing>) => void
  readonly faults: ReturnType<typeof closingOf>["faults"]
  readonly refused: Refused
  readonly mark: number | null
}) => {
  const says = useWords(formWords)
  const { figure } = useNumbers()
  const faultOf = useFault()
  return (
    <div className={forms["pair"]}>
      <NumberInput
        label={says.exit}
        type="USD"
        value={typed.exit}
        onChange={(exit) => change({ exit })}
        hint={mark === null ? undefined : says.markHint(figure(mark))}
        fault={faultOf(faults.exit, refused["exit"])}
        isRequired
      />
      <NumberInput
        label={says.fees}
        type="USD"
        value={typed.fees}
        onChange={(fees) => change({ fees })}
        hint={says.feesHint}
        fault={faultOf(faults.fees, refused["fees_usd"])}
      />
    </div>
  )
}

/** The profit or loss of the close, if it can be computed. */
const Makes = ({ closing, position: { entry, side, size_usd: size } }: {
  readonly closing: Closing | undefined
  readonly position: Position
}) => {
  const says = useWords(formWords)
  if (closing === undefined || entry === null || size === null) return null
  const { exit, fees_usd: fees = 0, fraction } = closing
  return (
    <p className={styles["reckoned"]} role="status">
      <span>{says.makes}</span>
      <strong>
        <Made usd={profitAt({ side, size: size * fraction, entry, exit, fees })} />
      </strong>
    </p>
  )
}

/** Closes a position, or a part of it, as a trade. */
export const CloseDialog = ({ of: position, onClose }: { readonly of: Position; readonly onClose: () => void }) => {
  const says = useWords(formWords)
  const { language } = useLanguage()
  const priced = usePriced()
  const faultOf = useFault()
  const [typed, setTyped] = useState<TypedClosing>(() => beginClosing(position))
  const [isTried, setIsTried] = useState(false)
  const { forget, isRunning, refused, run, trouble } = useClose(({ position: left, trade }) => {
    toast(left === null ? says.closed(trade.coin) : says.closedPart(trade.coin))
    onClose()
  })
  const change = (part: Partial<TypedClosing>) => {
    setTyped({ ...typed, ...part })
    forget()
  }
  const { args, faults } = closingOf(typed, language, position.id)
  const shown = isTried ? faults : {}
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (args !== undefined) run(args)
  }
  const tools = typed.share === "100" ? ["close_position"] : ["close_position", "get_positions"]
  return (
    <Dialog title={says.closeTitle(position.coin)} isOpen onClose={onClose}>
      <form className={forms["form"]} onSubmit={submit} noValidate>
        <Share typed={typed} change={change} fault={faultOf(shown.percent, refused["fraction"])} />
        <Prices typed={typed} change={change} faults={shown} refused={refused} mark={position.mark} />
        <TextInput
          label={says.notes}
          lines={2}
          value={typed.notes}
          onChange={(notes) => change({ notes })}
          fault={refused["notes"]}
        />
        <Makes closing={args} position={position} />
        {trouble !== undefined && Object.keys(refused).length === 0 && <TroubleNote trouble={trouble} />}
        <DialogActions>
          <Button onPress={onClose}>{says.cancel}</Button>
          <Button type="submit" look="primary" isBusy={isRunning}>{priced(says.close, ...tools)}</Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
