import { type SubmitEvent, useState } from "react"
import { usePriced } from "../../asking/usePriced.ts"
import type { Writing } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import { TextInput } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { MeantRow } from "../../widgets/MeantRow.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useFormats } from "../../words/formats.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { numberIn } from "../../words/typed.ts"
import { useWords } from "../../words/words.ts"
import type { Profile, Recorded } from "./asks.ts"
import { NumberInput, useFault } from "./fields.tsx"
import { formWords } from "./formWords.ts"
import styles from "./Journal.module.css"
import { lossAt } from "./journal.ts"
import {
  changedPosition,
  emptyPosition,
  type Fault,
  newPosition,
  numberFields,
  typedOf,
  type TypedPosition
} from "./typedPosition.ts"
import { useChange, useRecord } from "./useJournal.ts"

/** The loss at the stop, if the fields contain enough to compute it. */
const AtStop = ({ profile, typed }: { readonly typed: TypedPosition; readonly profile: Profile | undefined }) => {
  const says = useWords(formWords)
  const { language } = useLanguage()
  const { amount, percent } = useFormats()
  const [size, entry, stop] = [typed.size_usd, typed.entry, typed.stop].map((text) => numberIn(text, language))
  if (size === undefined || entry === undefined || stop === undefined || !(entry > 0) || !(size > 0)) return null
  const loss = lossAt({ side: typed.side, size, entry, stop })
  const account = profile?.account_usd ?? null
  return (
    <p className={styles["reckoned"]} role="status">
      {loss === 0
        ? says.noRisk
        : (
          <>
            <strong>{says.atStop(amount(loss))}</strong>
            {account !== null && <span>{says.ofAccount(percent(loss / account * 100))}</span>}
          </>
        )}
    </p>
  )
}

const Fields = ({ change, faults, isNew, typed, writing }: {
  readonly typed: TypedPosition
  readonly change: (part: Partial<TypedPosition>) => void
  readonly faults: Readonly<Partial<Record<keyof TypedPosition, Fault>>>
  readonly isNew: boolean
  readonly writing: Pick<Writing<never>, "meant" | "refused" | "unknown">
}) => {
  const says = useWords(formWords)
  const faultOf = useFault()
  const { meant, refused, unknown } = writing
  const names = { size_usd: says.size, entry: says.entry, stop: says.stop, leverage: says.leverage }
  const types = { size_usd: says.sizeType, entry: "USD", stop: "USD", leverage: says.leverageType }
  // The path of an issue in a list is that of the rejected item.
  const refusedTakes = Object.entries(refused).find(([path]) => path.startsWith("takes"))?.[1]
  return (
    <>
      {isNew && (
        <div className={forms["pair"]}>
          <TextInput
            label={says.coin}
            value={typed.coin}
            onChange={(coin) => change({ coin })}
            fault={faultOf(faults.coin, refused["coin"] ?? unknown)}
            placeholder="BTC"
            isCode
            isRequired
          />
          <div className={forms["group"]}>
            <span className={forms["label"]}>{says.side}</span>
            <Chips
              label={says.side}
              chosen={typed.side}
              onChange={(side) => change({ side })}
              options={[{ value: "long", label: says.long }, { value: "short", label: says.short }]}
            />
          </div>
        </div>
      )}
      <MeantRow meant={meant} onTake={(coin) => change({ coin })} />
      <div className={forms["pair"]}>
        {numberFields.map((name) => (
          <NumberInput
            key={name}
            label={names[name]}
            type={types[name]}
            value={typed[name]}
            onChange={(text) => change({ [name]: text })}
            fault={faultOf(faults[name], refused[name])}
          />
        ))}
      </div>
      <NumberInput
        label={says.takes}
        type="USD"
        hint={says.takesHint}
        value={typed.takes}
        onChange={(takes) => change({ takes })}
        fault={faultOf(faults.takes, refusedTakes)}
      />
      <TextInput
        label={says.notes}
        lines={2}
        value={typed.notes}
        onChange={(notes) => change({ notes })}
        fault={refused["notes"]}
      />
    </>
  )
}

const knownPaths: ReadonlyArray<string> = Object.keys(emptyPosition)

/** The error, unless the fields already show it. */
const untold = ({ refused, trouble, unknown }: Pick<Writing<never>, "refused" | "trouble" | "unknown">) => {
  const paths = Object.keys(refused)
  const isTold = unknown !== undefined ||
    (paths.length > 0 && paths.every((path) => knownPaths.includes(path.split(".")[0]!)))
  return isTold ? undefined : trouble
}

/** Records a position, or changes the given one. */
export const PositionDialog = ({ begin, of: before, onClose, onRecorded, profile }: {
  readonly of?: Recorded
  /** The initial values of a new position. */
  readonly begin?: Partial<TypedPosition> | undefined
  readonly profile?: Profile | undefined
  readonly onClose: () => void
  readonly onRecorded?: () => void
}) => {
  const says = useWords(formWords)
  const { language } = useLanguage()
  const priced = usePriced()
  const [typed, setTyped] = useState<TypedPosition>(() =>
    before === undefined ? { ...emptyPosition, ...begin } : typedOf(before)
  )
  const [isTried, setIsTried] = useState(false)
  const recording = useRecord(({ coin }) => {
    toast(says.recorded(coin))
    onClose()
    onRecorded?.()
  })
  const changing = useChange(({ coin }) => {
    toast(says.changed(coin))
    onClose()
  })
  const writing = before === undefined ? recording : changing
  const { faults } = before === undefined ? newPosition(typed, language) : changedPosition(typed, language, before)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (Object.keys(faults).length > 0) return
    if (before === undefined) return recording.run(newPosition(typed, language).args)
    const { args } = changedPosition(typed, language, before)
    if (args === undefined) onClose()
    else changing.run(args)
  }
  const trouble = untold(writing)
  return (
    <Dialog
      title={before === undefined ? says.recordTitle : says.changeTitle(before.coin)}
      isOpen
      onClose={onClose}
    >
      <form className={forms["form"]} onSubmit={submit} noValidate>
        <Fields
          typed={typed}
          change={(part) => {
            setTyped({ ...typed, ...part })
            writing.forget()
          }}
          faults={isTried ? faults : {}}
          isNew={before === undefined}
          writing={writing}
        />
        <AtStop typed={typed} profile={profile} />
        {trouble !== undefined && <TroubleNote trouble={trouble} />}
        <DialogActions>
          <Button onPress={onClose}>{says.cancel}</Button>
          <Button type="submit" look="primary" isBusy={writing.isRunning}>
            {before === undefined
              ? priced(says.record, "set_position", "get_positions")
              : priced(says.save, "update_position", "get_positions")}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
